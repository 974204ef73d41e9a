import { Block, Detail, SectionHead } from '#ui/card.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

/** Loading state of the subscription page: headings without values. */
export function SubscriptionSkeleton() {
  const rail = (
    <section>
      <h2>Change</h2>
      <Lines count={4} />
    </section>
  )
  return (
    <div className="pg flex grow flex-col">
      <output className="sr-only">Loading</output>
      <PageHead title="Subscription" description={<Skeleton className="my-1.5 w-72 max-w-full" />} />
      <Detail rail={rail}>
        <Block title="Usage">
          <div className="grid grid-cols-2 gap-x-10 gap-y-5 pt-1.5 max-md:grid-cols-1">
            <Quota />
            <Quota />
          </div>
        </Block>
        <section className="blk">
          <div className="mb-3.5">
            <SectionHead title="Plan" />
          </div>
          <div className="rounded-lg border border-line px-4">
            <Lines count={5} className="h-15" />
          </div>
        </section>
      </Detail>
    </div>
  )
}

function Quota() {
  return (
    <div className="h-14 space-y-3">
      <Skeleton className="w-2/5" />
      <Skeleton className="h-1.5" />
      <Skeleton className="w-3/5" />
    </div>
  )
}

function Lines({ count, className = 'h-9' }: { readonly count: number; readonly className?: string }) {
  return Array.from({ length: count }, (_, row) => (
    <div key={row} className={`flex items-center border-b border-line last:border-b-0 ${className}`}>
      <Skeleton className={row % 2 === 0 ? 'w-1/2' : 'w-2/5'} />
    </div>
  ))
}
