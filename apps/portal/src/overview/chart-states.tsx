/** A chart that is loading or failed to load. */
import { Skeleton } from '#ui/skeleton.tsx'
import { SectionError } from '#ui/states.tsx'

/** A chart that failed to load, below its title. */
export function ChartError({ title, onRetry }: { readonly title: string; readonly onRetry: () => void }) {
  return (
    <section>
      <ChartTitle>{title}</ChartTitle>
      <SectionError what="The chart" onRetry={onRetry} />
    </section>
  )
}

/** A loading chart: its title and height. */
export function ChartSkeleton({ title, height = 130 }: { readonly title: string; readonly height?: number }) {
  return (
    <section aria-busy="true">
      <ChartTitle>{title}</ChartTitle>
      <div className="mt-3.5 flex items-end" style={{ height: height + 22 }}>
        <Skeleton className="h-px w-full" />
      </div>
    </section>
  )
}

function ChartTitle({ children }: { readonly children: string }) {
  return (
    <div className="flex min-h-7 items-center">
      <h2 className="text-14 leading-5 font-semibold tracking-[-.006em]">{children}</h2>
    </div>
  )
}
