/** `/assets/{id}`, first tab: risks, software, and services. */
import type { Host } from '@glacis/contract/host'
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Services } from '#hosts/host-services.tsx'
import { HostTimeline } from '#hosts/host-timeline.tsx'
import { detail, split } from '#hosts/queries.ts'
import { criticalityLabels, installedSoftware } from '#hosts/labels.ts'
import { openCount } from '#issues/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Detail, Fact, Facts, SectionHead } from '#ui/card.tsx'
import { LadderLink, SeverityLadder } from '#ui/charts/severity-ladder.tsx'
import { AbsoluteTime, RelativeTime } from '#ui/relative-time.tsx'
import { AgentStatus } from '#ui/status.tsx'

const route = getRouteApi('/_auth/assets/$id')

/** @param latestRisks the host's latest issues, passed in because this module can't import them */
export function HostOverviewPage({ latestRisks }: { readonly latestRisks?: ReactNode }) {
  const { id } = route.useParams()
  const { host } = useSuspenseQuery(detail(id)).data
  const total = useQuery(openCount({ affectedHostId: id })).data
  return (
    <Detail tabbed rail={<Rail host={host} />}>
      <div className="grid grid-cols-2 border-b border-line max-md:grid-cols-1">
        <section aria-label="Open risks" className="px-(--gl-gutter) py-5">
          <SectionHead title={<TitleWithCount title="Open risks" count={total} />} />
          <SeverityLadder
            counts={host.issueCount}
            row={(_, content) => (
              <LadderLink
                isSmall
                hasChanges={false}
                to="/assets/$id/issues"
                params={{ id }}
                search={{ sort: 'severity' }}
              >
                {content}
              </LadderLink>
            )}
          />
        </section>
        <Software host={host} />
      </div>
      <Services services={host.services ?? []} />
      {latestRisks}
      <HostTimeline id={id} />
    </Detail>
  )
}

function TitleWithCount({ title, count }: { readonly title: string; readonly count: number | undefined }) {
  return (
    <>
      {title}
      {count !== undefined && <span className="ml-2 font-normal text-ink-3 tabular-nums">{formatNumber(count)}</span>}
    </>
  )
}

const maxShown = 4

function Software({ host }: { readonly host: Host }) {
  return (
    <section
      aria-label="Technologies"
      className="border-line px-(--gl-gutter) py-5 max-md:border-t md:border-l md:pl-6"
    >
      <SectionHead title="Technologies">
        <Link
          to="/assets/$id/technologies"
          params={{ id: host.id }}
          className="inline-flex items-center gap-1 hover:text-ink"
        >
          All<span className="sr-only"> technologies of this asset</span>
          <ArrowRight className="size-3.5" aria-hidden="true" />
        </Link>
      </SectionHead>
      {host.inventory.length === 0 && <p className="mt-3 text-ink-2">No software identified yet.</p>}
      <ul className="mt-3.5 [&>li]:flex [&>li]:h-8.5 [&>li]:items-center [&>li]:justify-between [&>li]:gap-3 [&>li]:border-t [&>li]:border-line">
        {installedSoftware(host)
          .slice(0, maxShown)
          .map(({ name, productId, ports }) => (
            <li key={name}>
              {productId ? (
                <Link
                  to="/technologies/$id"
                  params={{ id: productId }}
                  title={name}
                  className="truncate font-medium hover:underline"
                >
                  {name}
                </Link>
              ) : (
                <span className="truncate font-medium" title={name}>
                  {name}
                </span>
              )}
              {ports.length > 0 && (
                <span className="flex-none text-ink-3 tabular-nums">
                  {ports.length === 1 ? 'port' : 'ports'} {ports.join(', ')}
                </span>
              )}
            </li>
          ))}
      </ul>
    </section>
  )
}

function Rail({ host }: { readonly host: Host }) {
  const { target } = host
  return (
    <>
      <section>
        <h2>Details</h2>
        <Facts>
          <Fact name="Address">
            <span className="font-mono">{host.address}</span>
          </Fact>
          {host.name && (
            <Fact name="Name">
              <span className="font-mono">{host.name}</span>
            </Fact>
          )}
          {target && (
            <Fact name="Target">
              <Link to="/scope/$id" params={{ id: target.id }} className="inline-link">
                {target.name}
              </Link>
            </Fact>
          )}
          <Fact name="Scanned from">
            {target?.agent ? (
              <AgentStatus status={target.agent.status}>{target.agent.name}</AgentStatus>
            ) : (
              'This server'
            )}
          </Fact>
          <Fact name="First seen">
            <AbsoluteTime value={host.createTime} />
          </Fact>
          <Fact name="Last checked">
            <RelativeTime value={host.lastCheckTime ?? host.updateTime} />
          </Fact>
        </Facts>
      </section>
      <section>
        <h2>Ownership</h2>
        <Facts>
          <Fact name="Owner">{host.owner || <span className="text-ink-3">Not set</span>}</Fact>
          <Fact name="Criticality">{criticalityLabels[host.criticality ?? 'CRITICALITY_NORMAL']}</Fact>
          {host.notes && (
            <Fact name="Notes">
              <span className="whitespace-pre-line">{host.notes}</span>
            </Fact>
          )}
        </Facts>
      </section>
      {host.merged && <Merged host={host} merged={host.merged} />}
    </>
  )
}

function Merged({ host, merged }: { readonly host: Host; readonly merged: NonNullable<Host['merged']> }) {
  const splitting = useMutation(split)
  return (
    <section>
      <h2>Also known as</h2>
      <ul className="grid gap-1 font-mono">
        {merged.map(({ id, address }) => (
          <li key={id}>{address}</li>
        ))}
      </ul>
      <Button
        size="sm"
        call="splitHost"
        className="mt-3"
        loading={splitting.isPending}
        onClick={() => splitting.mutate(host.id)}
      >
        Split
      </Button>
    </section>
  )
}
