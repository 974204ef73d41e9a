/** The timeline of a host: ports, software, and risks. */
import type { HostEvent } from '@glacis/contract/host'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DoorClosed, DoorOpen, Layers, Radar, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { timeline } from '#hosts/queries.ts'
import { SectionHead } from '#ui/card.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SectionError } from '#ui/states.tsx'

const eventKinds: Readonly<Record<HostEvent['kind'], { readonly icon: ReactNode; readonly label: string }>> = {
  KIND_FIRST_SEEN: { icon: <Radar />, label: 'First seen' },
  KIND_PORT_OPENED: { icon: <DoorOpen />, label: 'Port opened' },
  KIND_PORT_CLOSED: { icon: <DoorClosed />, label: 'Port closed' },
  KIND_TECHNOLOGY_APPEARED: { icon: <Layers />, label: 'Software detected' },
  KIND_TECHNOLOGY_GONE: { icon: <Layers />, label: 'Software no longer detected' },
  KIND_ISSUE: { icon: <ShieldAlert />, label: 'Risk' },
}

/** Newest first, with "Load more". */
export function HostTimeline({ id }: { readonly id: string }) {
  const query = useInfiniteQuery(timeline(id))
  const events = query.data?.pages.flatMap((page) => page.events) ?? []
  if (query.isError && !query.data) {
    return (
      <section aria-label="Timeline" className="px-(--gl-gutter) py-5">
        <SectionHead title="Timeline" />
        <SectionError what="The timeline" onRetry={() => void query.refetch()} />
      </section>
    )
  }
  if (events.length === 0) return null
  return (
    <section aria-label="Timeline" className="px-(--gl-gutter) py-5">
      <SectionHead title="Timeline" />
      <ol className="mt-3 [&>li]:flex [&>li]:min-h-9 [&>li]:items-center [&>li]:gap-2.5 [&>li]:border-t [&>li]:border-line [&>li]:py-1.5">
        {events.map((event) => (
          <li key={`${event.time} ${event.kind} ${event.name} ${event.issueStatus ?? ''} ${event.port ?? ''}`}>
            <span aria-hidden="true" className="flex-none text-ink-3 [&_.lucide]:size-4">
              {eventKinds[event.kind].icon}
            </span>
            <span className="min-w-0 wrap-anywhere">
              <span className="text-ink-2">{eventLabel(event)}</span> <EventName event={event} />
            </span>
            <span className="ml-auto flex-none text-12 text-ink-3">
              <RelativeTime value={event.time} />
            </span>
          </li>
        ))}
      </ol>
      <LoadMore query={query} size="sm" className="mt-3" />
    </section>
  )
}

const issueStatusLabels: Readonly<Record<string, string>> = {
  STATUS_OPEN: 'Risk found',
  STATUS_REGRESSION: 'Risk regressed',
  STATUS_RESOLVED: 'Risk resolved',
  STATUS_IGNORED: 'Risk ignored',
}

function eventLabel({ kind, issueStatus }: HostEvent): string {
  if (kind !== 'KIND_ISSUE') return eventKinds[kind].label
  return issueStatusLabels[issueStatus ?? ''] ?? 'Risk changed'
}

function EventName({ event: { name, issueId, productId, kind } }: { readonly event: HostEvent }) {
  if (issueId)
    return (
      <Link to="/risks/$id" params={{ id: issueId }} className="font-medium hover:underline">
        {name}
      </Link>
    )
  if (productId)
    return (
      <Link to="/technologies/$id" params={{ id: productId }} className="font-medium hover:underline">
        {name}
      </Link>
    )
  return <span className={kind === 'KIND_FIRST_SEEN' ? 'font-mono' : 'font-mono font-medium'}>{name}</span>
}
