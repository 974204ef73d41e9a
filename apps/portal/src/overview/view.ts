/** The period and the risk type that the overview shows, from its search params. */
import type { StatsPeriod } from '@glacis/contract/insights'
import type { VerificationFilter } from '@glacis/contract/issue'

export type Period = 'week' | 'month' | 'quarter' | 'year'
export type RiskKind = 'verified' | 'potential' | 'all'

export interface View {
  readonly period: Period
  readonly kind: RiskKind
}

export const periodNames: readonly Period[] = ['week', 'month', 'quarter', 'year']
export const riskKinds: readonly RiskKind[] = ['verified', 'potential', 'all']

const periods: Readonly<Record<Period, StatsPeriod>> = {
  week: 'PERIOD_WEEK',
  month: 'PERIOD_MONTH',
  quarter: 'PERIOD_QUARTER',
  year: 'PERIOD_YEAR',
}
const kinds: Readonly<Record<RiskKind, VerificationFilter>> = {
  verified: 'VERIFICATION_FILTER_VERIFIED',
  potential: 'VERIFICATION_FILTER_UNVERIFIED',
  all: 'VERIFICATION_FILTER_ALL',
}

/** Defaults to verified risks over the quarter. */
export function viewFromSearch(search: { period?: Period | undefined; verification?: RiskKind | undefined }): View {
  return { period: search.period ?? 'quarter', kind: search.verification ?? 'verified' }
}

export function statsPeriod({ period }: View): StatsPeriod {
  return periods[period]
}

/** The input of the issue statistics. */
export function statsInput(view: View) {
  return { period: statsPeriod(view), filter: { verification: kinds[view.kind] } }
}

/** Starts the page description: "Verified risks across 18 targets …". */
export const kindLabels: Readonly<Record<RiskKind, string>> = {
  verified: 'Verified risks',
  potential: 'Potential risks',
  all: 'All risks',
}

/** The risk list that the charts link to. */
export function riskListPath({ kind }: View): '/risks/verified' | '/risks/potential' {
  return kind === 'potential' ? '/risks/potential' : '/risks/verified'
}
