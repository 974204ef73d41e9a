import { fireEvent, render, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ChartFigure, summary } from '#ui/charts/figure.tsx'
import { Lines } from '#ui/charts/lines.tsx'
import { countScale, labeledIndexes, spreadLabels } from '#ui/charts/scale.ts'
import { bucketsOf, levels, sums } from '#ui/charts/series.ts'
import { StackedColumns } from '#ui/charts/stacked-columns.tsx'

describe('countScale', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [43, [0, 20, 40, 60]],
    [96, [0, 50, 100]],
    [1234, [0, 500, 1000, 1500]],
  ])('uses integer ticks up to %s', (highest, ticks) => {
    expect(countScale(highest).ticks).toEqual(ticks)
  })
  it('begins at 0 and ends at the top tick', () => {
    const { share } = countScale(43)
    expect([share(0), share(60)]).toEqual([0, 1])
  })
})

it.each([
  [13, 7, [0, 2, 4, 6, 8, 10, 12]],
  [13, 4, [0, 4, 8, 12]],
  [13, 2, [0, 12]],
  [6, 4, [0, 3, 5]],
  [12, 7, [0, 2, 4, 7, 9, 11]],
  [8, 4, [0, 2, 5, 7]],
  [4, 7, [0, 1, 2, 3]],
  [13, 1, [12]],
  [1, 7, [0]],
  [0, 7, []],
])('labels of %i points are limited to %i and include the first and last', (points, room, kept) => {
  expect([...labeledIndexes(points, room)].sort((a, b) => a - b)).toEqual(kept)
})

it.each([
  [
    [10, 12, 100],
    [10, 26, 100],
  ],
  [
    [95, 98, 99],
    [68, 84, 100],
  ],
  [
    [50, 10],
    [50, 10],
  ],
])('moves labels %j apart', (places, apart) => {
  expect(spreadLabels(places, 16, 100)).toEqual(apart)
})

describe('buckets', () => {
  const days = Array.from({ length: 15 }, (_, day) => new Date(Date.UTC(2026, 10, 2 + day)).toISOString())
  it('are days in a week or month', () => {
    const buckets = bucketsOf(days, 'PERIOD_MONTH')
    expect(buckets).toHaveLength(15)
    expect(buckets[0]?.label).toBe('1 Nov')
  })
  it('are weeks from Monday in a quarter: levels at their end, events summed', () => {
    const buckets = bucketsOf(days, 'PERIOD_QUARTER')
    expect(buckets.map(({ title }) => title)).toEqual(['Week of 26 Oct', 'Week of 2 Nov', 'Week of 9 Nov'])
    expect(buckets.map(({ label }) => label)).toEqual(['26 Oct', '2 Nov', '15 Nov'])
    expect(levels(buckets, [...days.keys()])).toEqual([0, 7, 14])
    expect(
      sums(
        buckets,
        days.map(() => 1),
      ),
    ).toEqual([1, 7, 7])
  })
  it('stay single if already a week apart', () => {
    const ends = ['2026-11-07T23:59:59.999Z', '2026-11-14T23:59:59.999Z', '2026-11-21T09:00:00Z']
    expect(bucketsOf(ends, 'PERIOD_QUARTER').map(({ title }) => title)).toEqual([
      'Week to 7 Nov',
      'Week to 14 Nov',
      'Week to 21 Nov',
    ])
    expect(bucketsOf(['2026-10-22T23:59:59Z', '2026-11-21T09:00:00Z'], 'PERIOD_YEAR')[0]?.title).toBe(
      '30 days to 22 Oct 2026',
    )
  })
  it('are months in a year', () => {
    const buckets = bucketsOf(['2026-09-01T00:00:00Z', '2026-09-02T00:00:00Z', '2026-09-20T00:00:00Z'], 'PERIOD_YEAR')
    expect(buckets.map(({ title }) => title)).toEqual(['August 2026', 'September 2026'])
    expect(buckets.map(({ label }) => label)).toEqual(['Aug 2026', 'Sept'])
  })
})

const points = ['24 Aug', '31 Aug', '7 Sept'].map((label) => ({ label, title: `Week of ${label}` }))
const series = [
  { name: 'Critical', color: 'red', values: [5, 4, 3] },
  { name: 'Low', color: 'blue', values: [1, 0, 2] },
]

describe('chart', () => {
  it('has a text summary', () => {
    expect(summary('Open risks', points, series)).toBe(
      'Open risks, 24 Aug to 7 Sept. Critical: from 5 to 3, peak 5. Low: from 1 to 2, peak 2.',
    )
    expect(summary('Open risks', points, [{ name: 'Low', color: '', values: [0, 0, 0] }])).toContain('no data')
  })

  it('announces all values and the total of the selected point', () => {
    render(<StackedColumns label="Open risks" points={points} series={series} />)
    const plot = screen.getByRole('slider', { name: /Open risks/ })
    expect(plot.getAttribute('aria-valuetext')).toBe('Week of 7 Sept: Critical 3, Low 2, total 5')
    fireEvent.change(plot, { target: { value: '1' } })
    expect(plot.getAttribute('aria-valuetext')).toBe('Week of 31 Aug: Critical 4, Low 0, total 4')
    expect(screen.getByText('Week of 31 Aug')).toBeTruthy()
    fireEvent.keyDown(plot, { key: 'Escape' })
    expect(screen.queryByText('Week of 31 Aug')).toBeNull()
  })

  it('draws critical at the base and no segment for zero', () => {
    const { container } = render(<StackedColumns label="Open risks" points={points} series={series} />)
    const rects = [...container.querySelectorAll('rect')]
    expect(rects.map((rect) => rect.getAttribute('fill'))).toEqual(['red', 'red', 'red', 'blue', 'blue'])
  })

  it('labels lines at their ends', () => {
    render(<Lines label="By status" points={points} series={series.map((line) => ({ ...line, stroke: 'solid' }))} />)
    expect(screen.getByText('3')).toBeTruthy()
    expect(screen.getByText('Critical')).toBeTruthy()
  })

  it('toggles between chart and table', () => {
    render(
      <ChartFigure title="Open risks" points={points} series={series} showTotal>
        <p>drawn</p>
      </ChartFigure>,
    )
    fireEvent.click(screen.getByRole('button', { name: /Show as table/ }))
    const row = screen.getByRole('rowheader', { name: 'Week of 24 Aug' }).closest('tr')
    expect(
      row &&
        within(row)
          .getAllByRole('cell')
          .map((cell) => cell.textContent),
    ).toEqual(['5', '1', '6'])
    fireEvent.click(screen.getByRole('button', { name: /Show as chart/ }))
    expect(screen.getByText('drawn')).toBeTruthy()
  })

  it('shows an empty state without data', () => {
    render(
      <ChartFigure title="Scans" points={points} series={[{ name: 'Scans', color: '', values: [0, 0, 0] }]}>
        <p>drawn</p>
      </ChartFigure>,
    )
    expect(screen.getByText('No data in this period')).toBeTruthy()
    expect(screen.queryByText('drawn')).toBeNull()
  })
})
