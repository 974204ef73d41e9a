import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import { formatNumber } from '#lib/format.ts'
import { Skeleton } from '#ui/skeleton.tsx'

/** A row of links to the parts of a page. They are links, not ARIA tabs: each part has its own address. */
export function Tabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav
      aria-label={label}
      className="mt-3.5 flex gap-5 overflow-x-auto border-b border-line px-(--gl-gutter) [scrollbar-width:none] max-md:gap-4.5"
    >
      {children}
    </nav>
  )
}

interface TabAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** `awaited` while it is asked for. */
  readonly count?: number | 'awaited' | undefined
  /** Says whether this is the present part, where the router cannot know from the path alone. */
  readonly on?: boolean
  readonly ref?: Ref<HTMLAnchorElement>
}
function TabAnchor({ count, on, children, ...rest }: TabAnchorProps) {
  return (
    <a
      {...rest}
      {...(on !== undefined && { 'aria-current': on ? 'page' : undefined })}
      className="-mb-px inline-flex h-[38px] flex-none items-center gap-1.5 border-b-2 border-transparent font-medium whitespace-nowrap text-ink-2 hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-ink"
    >
      {children}
      {count === 'awaited' ? (
        <Skeleton className="w-4" />
      ) : (
        count !== undefined && (
          // As wide as what stood for it: no tab moves away below a pointer when the counts come.
          <span className="min-w-4 text-12 font-normal text-ink-3 tabular-nums">{formatNumber(count)}</span>
        )
      )}
    </a>
  )
}

/** One link of `Tabs`. The router marks the present one with `aria-current="page"`. */
export const Tab = createLink(TabAnchor)
