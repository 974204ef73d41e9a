/**
 * Threats: vulnerabilities and misconfigurations. Shared by all workspaces; supplied by feeds and
 * checks.
 */
export type { ThreatDraft } from '#threats/draft.ts'
export { type Candidate, splitKey, threatsOfProducts } from '#threats/candidates.ts'
export { describeThreats, type ThreatKey, threatsById, threatsByKey, toThreat } from '#threats/read.ts'
export { withWriteLock, queueChangedThreats, upsertThreats, writeThreats } from '#threats/write.ts'
