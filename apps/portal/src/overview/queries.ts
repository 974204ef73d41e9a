/** Queries of the overview itself; its sections use those of other modules. */
import type { InputOf } from '@glacis/contract/endpoint'
import { statsSummary } from '@glacis/contract/insights'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'
import { list as listIssues } from '#issues/queries.ts'
import { statsInput, type View, viewFromSearch } from '#overview/view.ts'

/** The totals at the top of the overview. */
export function summary(input: InputOf<typeof statsSummary>) {
  return { ...query(statsSummary, input), placeholderData: keepPreviousData }
}

/** The totals of the view that the search parameters select. */
export function ofView(search: Parameters<typeof viewFromSearch>[0]) {
  return summary(statsInput(viewFromSearch(search)))
}

/** The open risks, some of which the section "Needs attention" shows. */
export function needingAttention(view: View) {
  const { verification } = statsInput(view).filter
  return listIssues({
    pageSize: 100,
    orderBy: 'ORDER_BY_PRIORITY',
    filter: { status: ['STATUS_FILTER_OPEN'], verification },
  })
}
