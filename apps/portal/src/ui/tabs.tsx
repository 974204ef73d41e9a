import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import { formatNumber } from '#lib/format.ts'
import { Skeleton } from '#ui/skeleton.tsx'

/** Links to the parts of a page. Not ARIA tabs, because each part has its own URL. */
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
  /** `awaited` while loading. */
  readonly count?: number | 'awaited' | undefined
  /** Marks the current tab, if the router can't tell from the path. */
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
          // As wide as its placeholder, so that tabs don't move when counts load.
          <span className="min-w-4 text-12 font-normal text-ink-3 tabular-nums">{formatNumber(count)}</span>
        )
      )}
    </a>
  )
}

/** A tab link. The router marks the current one with `aria-current="page"`. */
export const Tab = createLink(TabAnchor)
