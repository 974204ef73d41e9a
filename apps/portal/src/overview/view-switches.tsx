/** The period and risk type switches of the overview. They are links, so the view can be shared. */
import { riskKinds, periodNames, type View } from '#overview/view.ts'
import { SegmentedLinks, SegmentLink } from '#ui/segmented-control.tsx'

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export function PeriodSwitch({ view }: { readonly view: View }) {
  return (
    <SegmentedLinks label="Period">
      {periodNames.map((period) => (
        <SegmentLink
          key={period}
          from="/overview"
          to="/overview"
          search={(before) => ({ ...before, period: period === 'quarter' ? undefined : period })}
          resetScroll={false}
          on={view.period === period}
        >
          {capitalized(period)}
        </SegmentLink>
      ))}
    </SegmentedLinks>
  )
}

export function KindSwitch({ view }: { readonly view: View }) {
  return (
    <SegmentedLinks label="Risk type">
      {riskKinds.map((kind) => (
        <SegmentLink
          key={kind}
          from="/overview"
          to="/overview"
          search={(before) => ({ ...before, verification: kind === 'verified' ? undefined : kind })}
          resetScroll={false}
          on={view.kind === kind}
        >
          {capitalized(kind)}
        </SegmentLink>
      ))}
    </SegmentedLinks>
  )
}
