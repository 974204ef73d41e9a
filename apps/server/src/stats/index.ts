/** Stats: charts and summary figures, from daily snapshots and current counts. */
export { affectedHosts, issuesBySeverity, issuesByStatus, scans } from '#stats/series.ts'
export { onboarding } from '#stats/onboarding.ts'
export { summary } from '#stats/summary.ts'
export { closeEndedDays } from '#stats/days.ts'
