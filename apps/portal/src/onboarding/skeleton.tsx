import { PageHead } from '#ui/page-head.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

/** Loading state of the onboarding page. */
export function OnboardingSkeleton() {
  return (
    <div className="pg flex grow flex-col">
      <output className="sr-only">Loading</output>
      <PageHead
        title="Set up Glacis"
        description="Four steps to your first results. You can leave and come back at any time."
      />
      <div className="mt-4.5 grid grow border-t border-line max-md:content-start md:grid-cols-[300px_minmax(0,1fr)]">
        <div className="border-line px-(--gl-gutter) pt-7 max-md:flex max-md:gap-2 md:border-r">
          {Array.from({ length: 4 }, (_, step) => (
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
