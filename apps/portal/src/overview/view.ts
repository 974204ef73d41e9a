/** What the overview shows: which period and which kind of risks, as its address says. */
import type { StatsPeriod } from '@glacis/contract/insights'
import type { VerificationFilter } from '@glacis/contract/issue'

export type PeriodWord = 'week' | 'month' | 'quarter' | 'year'
export type KindWord = 'verified' | 'potential' | 'all'

export interface View {
  readonly period: PeriodWord
  readonly kind: KindWord
}

export const periodWords: readonly PeriodWord[] = ['week', 'month', 'quarter', 'year']
export const kindWords: readonly KindWord[] = ['verified', 'potential', 'all']

const periods: Readonly<Record<PeriodWord, StatsPeriod>> = {
  week: 'PERIOD_WEEK',
  month: 'PERIOD_MONTH',
  quarter: 'PERIOD_QUARTER',
  year: 'PERIOD_YEAR',
}
const kinds: Readonly<Record<KindWord, VerificationFilter>> = {
  verified: 'VERIFICATION_FILTER_VERIFIED',
  potential: 'VERIFICATION_FILTER_UNVERIFIED',
  all: 'VERIFICATION_FILTER_ALL',
}

/** The quarter and verified risks, unless the address says otherwise. */
export function viewOf(search: { period?: PeriodWord | undefined; verification?: KindWord | undefined }): View {
  return { period: search.period ?? 'quarter', kind: search.verification ?? 'verified' }
}

export function periodOf({ period }: View): StatsPeriod {
  return periods[period]
}

/** What the figures over issues are asked for. */
export function statsInput(view: View) {
  return { period: periodOf(view), filter: { verification: kinds[view.kind] } }
}

/** Begins the sentence under the title: "Verified risks on 18 targets …". */
export const kindSentence: Readonly<Record<KindWord, string>> = {
  verified: 'Verified risks',
  potential: 'Potential risks',
  all: 'All risks',
}

/** The list that a chart over issues opens. */
export function listOf({ kind }: View): '/risks/verified' | '/risks/potential' {
  return kind === 'potential' ? '/risks/potential' : '/risks/verified'
}
