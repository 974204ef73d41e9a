/** Charts, tabs and toasts of the kit. */
import type { Toast } from '#lib/toasts.ts'
import { ChartFigure } from '#ui/charts/figure.tsx'
import { Area, Lines, type LineSeries } from '#ui/charts/lines.tsx'
import { LadderRow, SeverityLadder } from '#ui/charts/severity-ladder.tsx'
import type { ChartPoint } from '#ui/charts/series.ts'
import { Columns, StackedColumns } from '#ui/charts/stacked-columns.tsx'
import { SeverityGlyph, severityLevels, severityWords } from '#ui/severity.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'
import { ToastView } from '#ui/toast-region.tsx'

const points: readonly ChartPoint[] = ['28 Sept', '5 Oct', '12 Oct', '19 Oct', '26 Oct', '2 Nov'].map((label) => ({
  label,
  title: `Week of ${label}`,
}))
const severities = severityLevels.map((level, index) => ({
  name: severityWords[level],
  color: `var(--gl-${level})`,
  glyph: <SeverityGlyph level={level} />,
  values: points.map((_, week) => [3, 12, 21, 9][index] ?? week),
}))
const statuses: readonly LineSeries[] = [
  { name: 'Open', color: 'var(--gl-open)', stroke: 'solid', values: [52, 50, 47, 41, 40, 38] },
  { name: 'Resolved', color: 'var(--gl-resolved)', stroke: 'solid', values: [4, 18, 33, 51, 70, 96] },
  { name: 'Ignored', color: 'var(--gl-ignored)', stroke: 'dotted', values: [8, 8, 9, 10, 11, 12] },
]
const scans = [9, 11, 10, 12, 14, 9]

/** Every kind of chart, with the same weeks under it. */
export function KitCharts() {
  return (
    <div className="grid gap-8 md:grid-cols-2">
      <ChartFigure title="Open risks by severity" points={points} series={severities} height={212} hasLegend>
        {(shown) => <StackedColumns label="Open risks by severity" points={points} series={shown} />}
      </ChartFigure>
      <section aria-label="Open risks" className="min-w-0">
        <SeverityLadder
          counts={{ critical: 4, high: 11, medium: 19, low: 9 }}
          changes={{ critical: -1, high: 3, medium: 0, low: -2 }}
          row={(_, content) => <LadderRow>{content}</LadderRow>}
        />
      </section>
      <ChartFigure title="Risks by status" points={points} series={statuses}>
        <Lines label="Risks by status" points={points} series={statuses} />
      </ChartFigure>
      <ChartFigure title="Affected hosts" points={points} series={[{ ...hosts }]}>
        <Area label="Affected hosts" points={points} {...hosts} of="of 412" />
      </ChartFigure>
      <ChartFigure
        title="Scans finished"
        points={points}
        series={[{ name: 'Scans', color: 'var(--gl-n7)', values: scans }]}
      >
        <Columns label="Scans finished" name="Scans" points={points} values={scans} />
      </ChartFigure>
    </div>
  )
}
const hosts = { name: 'Hosts', color: 'var(--gl-main-mark)', values: [90, 88, 83, 76, 70, 66] }

export function KitTabs() {
  return (
    <Tabs label="Parts">
      <Tab to="/scope" on count={43}>
        Open
      </Tab>
      <Tab to="/scope" on={false} count={0}>
        Resolved
      </Tab>
      <Tab to="/scope" on={false}>
        All
      </Tab>
    </Tabs>
  )
}

const toasts: readonly Omit<Toast, 'id' | 'isLeaving'>[] = [
  { kind: 'success', title: 'Success', message: 'A passkey was added.' },
  { kind: 'info', title: 'Info', message: 'A scan of DMZ Bern is already running.' },
  { kind: 'error', title: 'API failure', message: 'Service Unavailable: the database is being restarted.' },
  { kind: 'success', title: 'Success', message: 'Resolved on 127.0.0.1.', action: { label: 'Undo', run: () => {} } },
]

/** As they stack at the bottom right; these stay. */
export function KitToasts() {
  return (
    <div className="grid max-w-[372px] gap-2.5">
      {toasts.map((toast, index) => (
        <ToastView key={toast.message} toast={{ ...toast, id: -1 - index, isLeaving: false }} />
      ))}
    </div>
  )
}
