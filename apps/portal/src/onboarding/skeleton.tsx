import { pageWords } from '#lib/page-words.ts'
import { PageHead } from '#ui/page-head.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

/** Setting up, on its way: what it is stands there, which steps are open does not. */
export function OnboardingSkeleton() {
  const { title, lede, steps } = pageWords.onboarding
  return (
    <div className="pg flex grow flex-col">
      <output className="sr-only">Loading</output>
      <PageHead title={title} description={lede} />
      <div className="mt-4.5 grid grow border-t border-line max-md:content-start md:grid-cols-[300px_minmax(0,1fr)]">
        <div className="border-line px-(--gl-gutter) pt-7 max-md:flex max-md:gap-2 md:border-r">
          {Object.keys(steps).map((step) => (
            <div key={step} className="flex gap-3 not-last:pb-[38px] max-md:pb-0!">
              <Skeleton className="size-6! flex-none rounded-full!" />
              <Skeleton className="mt-2 w-40 max-md:hidden" />
            </div>
          ))}
        </div>
        <div className="px-(--gl-gutter) py-7 md:pl-10">
          <div className="grid max-w-[520px] content-start gap-5.5">
            <Skeleton className="h-3.5! w-64 max-w-full" />
            <Skeleton className="w-4/5" />
            <Skeleton className="h-9! w-full" />
            <Skeleton className="h-9! w-full" />
          </div>
        </div>
      </div>
    </div>
  )
}
