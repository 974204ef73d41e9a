/** The two switches of the overview. They are links: a period can be sent to a colleague. */
import { kindWords, periodWords, type View } from '#overview/view.ts'
import { SegmentedLinks, SegmentLink } from '#ui/segmented-control.tsx'

const titled = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** Week, month, quarter, year: drives every chart of the page. */
export function PeriodSwitch({ view }: { readonly view: View }) {
  return (
    <SegmentedLinks label="Period">
      {periodWords.map((period) => (
        <SegmentLink
          key={period}
          from="/overview"
          to="/overview"
          search={(before) => ({ ...before, period: period === 'quarter' ? undefined : period })}
          resetScroll={false}
          on={view.period === period}
        >
          {titled(period)}
        </SegmentLink>
      ))}
    </SegmentedLinks>
  )
}

/** Verified, potential or all risks. */
export function KindSwitch({ view }: { readonly view: View }) {
  return (
    <SegmentedLinks label="Kind of risks">
      {kindWords.map((kind) => (
        <SegmentLink
          key={kind}
          from="/overview"
          to="/overview"
          search={(before) => ({ ...before, verification: kind === 'verified' ? undefined : kind })}
          resetScroll={false}
          on={view.kind === kind}
        >
          {titled(kind)}
        </SegmentLink>
      ))}
    </SegmentedLinks>
  )
}
