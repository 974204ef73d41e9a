import type { FindingObservation, Observation } from '@glacis/contract/runner'
import type { CheckInfo } from '@glacis/scanner'
import type { z } from 'zod'

export type Finding = z.infer<typeof FindingObservation>
/** What a scan tells of hosts; how far it has come is for the progress alone. */
export type Seen = Exclude<Observation, { kind: 'progress' }>

/** From this quality of detection on, a finding is proof and not a suspicion. */
const provenFrom = 95

/**
 * Whether a finding makes the command end with 1: it is proved, and it is a weakness. What our own
 * checks merely note (severity `info`) is no weakness; of somebody's own checks every hit counts.
 */
export function isProven({ check, quality }: Finding, checks: readonly CheckInfo[], isOwnPack: boolean): boolean {
  if (quality < provenFrom) return false
  return !isOwnPack || checks.find(({ id }) => id === check)?.severity !== 'info'
}
