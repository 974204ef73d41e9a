import type { ReactNode } from 'react'
import { Block, Detail } from '#ui/card.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

interface DetailSkeletonProps {
  /** The item's name, if known. */
  readonly name: string | undefined
  /** `Crumb` links to the parent pages. */
  readonly crumbs: ReactNode
}

/** Loading state of a detail page, with breadcrumbs and the name if a list has already loaded it. */
export function DetailSkeleton({ name, crumbs }: DetailSkeletonProps) {
  const rail = (
    <section>
      <h2>Details</h2>
      <Lines count={6} />
    </section>
  )
  return (
    <div className="pg flex grow flex-col">
      <PageHead title={name ?? <NamePlaceholder />} documentTitle={name ?? 'Loading'} crumbs={crumbs} here={name} />
      <output className="sr-only">Loading</output>
      <div className="px-(--gl-gutter) pt-3.5">
        <Skeleton className="w-72 max-w-full" />
      </div>
      <Detail rail={rail}>
        <Block>
          <Lines count={8} />
        </Block>
      </Detail>
    </div>
  )
}

function NamePlaceholder() {
  return (
    <>
      <span className="sr-only">Loading</span>
      <Skeleton className="my-2 h-3.5! w-48" />
    </>
  )
}

function Lines({ count }: { readonly count: number }) {
  return Array.from({ length: count }, (_, row) => (
    <div key={row} className="flex h-9 items-center border-b border-line">
      <Skeleton className={row % 2 === 0 ? 'w-3/5' : 'w-2/5'} />
    </div>
  ))
}
