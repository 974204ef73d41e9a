import type { FindingObservation, Observation } from '@glacis/contract/runner'
import type { CheckInfo } from '@glacis/scanner'
import type { z } from 'zod'

export type Finding = z.infer<typeof FindingObservation>
/** Checks by ID. */
export type Checks = ReadonlyMap<string, CheckInfo>
/** Observations about hosts; progress is only for the progress bar. */
export type HostObservation = Exclude<Observation, { kind: 'progress' }>

/** Minimum quality of detection for a confirmed finding. */
const confirmedQualityMin = 95

/**
 * Whether a finding sets exit code 1. Built-in checks with severity `info` don't count; in custom
 * templates, every match does.
 */
export function isConfirmedFinding(
  { check, quality }: Finding,
  checks: readonly CheckInfo[],
  isOwnPack: boolean,
): boolean {
  if (quality < confirmedQualityMin) return false
  return !isOwnPack || checks.find(({ id }) => id === check)?.severity !== 'info'
}
