/** Threats: what can be wrong. They belong to no account; feeds and checks bring them. */
export type { ThreatDraft } from '#threats/draft.ts'
export {
  type Candidate,
  shownThreats,
  splitKey,
  type ThreatKey,
  threatsById,
  threatsByKey,
  threatsOfProducts,
  toThreat,
} from '#threats/read.ts'
export { asOnlyWriter, noteChanged, upsertThreats, writeThreats } from '#threats/write.ts'
