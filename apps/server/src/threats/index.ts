/** Threats: what can be wrong. They belong to no account; feeds and checks bring them. */
export type { ThreatDraft } from '#threats/draft.ts'
export { type Candidate, splitKey, threatsOfProducts } from '#threats/candidates.ts'
export { shownThreats, type ThreatKey, threatsById, threatsByKey, toThreat } from '#threats/read.ts'
export { asOnlyWriter, noteChanged, upsertThreats, writeThreats } from '#threats/write.ts'
