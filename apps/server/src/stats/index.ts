/** Stats: figures over time, drawn from the closed days and from where things stand now. */
export { affectedHosts, issuesBySeverity, issuesByStatus, scans } from '#stats/series.ts'
export { onboarding } from '#stats/onboarding.ts'
export { summary } from '#stats/summary.ts'
export { closeEndedDays } from '#stats/sweep.ts'
