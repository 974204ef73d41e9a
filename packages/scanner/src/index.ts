/** Scanner entry point: takes a job, yields observations. Has no database and no workspaces. */
import type { Observation, ScanJob } from '@glacis/contract/runner'
import { compileFingerprints } from '#fingerprint/match.ts'
import { loadRecog } from '#fingerprint/recog.ts'
import { webPathsOf } from '#fingerprint/web-paths.ts'
import { nativeChecks } from '#native/run.ts'
import type { Knowledge, ScanOptions } from '#scan-host.ts'
import { loadTemplates, type CheckInfo } from '#template/plan.ts'

export { expand, hostsMax, isProblem, parseAddress } from '#address.ts'
export type { AddressProblem, ScanAddress } from '#address.ts'
export { limitsByProfile } from '#budget.ts'
export type { Limits } from '#budget.ts'
export { commonPorts } from '#common-ports.ts'
export { denyEntries as denials, isExcluded, parseExclusion } from '#exclusion.ts'
export type { Exclusion } from '#exclusion.ts'
export { createGuard } from '#guard.ts'
export type { Guard } from '#guard.ts'
export { createCallbackServer } from '#callback/index.ts'
export type { Callbacks, CallbackServer, CallbackSettings } from '#callback/index.ts'
export { borrowCallbacks, lendCallbacks } from '#callback/relay.ts'
export type { BorrowedCallbacks, InteractionMessage, Lending, RelayRequest } from '#callback/relay.ts'
export { isMetadataAddress, isPublicAddress } from '#ip.ts'
export { resolveName } from '#net/dns.ts'
export { parsePorts } from '#port-list.ts'
export { readableAddress } from '#readable.ts'
export type { ScanOptions } from '#scan-host.ts'
export { scanInProcess } from '#scan-process.ts'
export { runTask, TaskFailure } from '#process/pool.ts'
export type { Program } from '#process/program.ts'
export type { CheckInfo } from '#template/plan.ts'

/** Fingerprints and checks, compiled once and shared by many scans. */
export interface Packs extends Knowledge {
  /** Metadata of each check for the server: threat, severity, texts, and links. */
  readonly checks: readonly CheckInfo[]
  readonly counts: { readonly fingerprints: number; readonly checks: number }
  /** Skipped records, each with its file and the reason. */
  readonly problems: readonly { readonly file: string; readonly reason: string }[]
}

/**
 * Loads the packs in the folders. Invalid records are skipped and listed in `problems`.
 *
 * @throws when a folder can't be read
 */
export async function loadPacks(folders: {
  readonly checks: readonly string[]
  readonly fingerprints: readonly string[]
  /** Folder for the parse cache of large packs; absent: no cache. */
  readonly cache?: string
  /** False excludes the native checks. */
  readonly native?: boolean
  /** False skips invalid fingerprints without listing them in `problems`, which makes loading much faster. */
  readonly validatesPatterns?: boolean
}): Promise<Packs> {
  const { validatesPatterns = true } = folders
  const recog = await loadRecog(folders.fingerprints, { validatesPatterns })
  const templates = await loadTemplates(folders.checks, folders.cache)
  const fingerprints = compileFingerprints(recog.files)
  const native = folders.native ?? true
  const ownChecks = native ? nativeChecks : []
  let checks: readonly CheckInfo[] | undefined
  return {
    fingerprints,
    webPaths: webPathsOf(recog.files),
    plan: templates.plan,
    native,
    get checks() {
      return (checks ??= [...templates.checks, ...ownChecks])
    },
    counts: { fingerprints: fingerprints.count, checks: templates.plan.templates.length + ownChecks.length },
    problems: [...recog.problems, ...templates.rejected],
  }
}

/**
 * Scans a job's hosts concurrently. Observations of one host are ordered: host, services, and software, findings,
 * coverage. Packs can be shared by concurrent scans.
 *
 * @throws the signal's reason when it aborts; all sockets, timers, and threads are released
 */
export async function* scan(
  job: ScanJob,
  { packs, ...options }: ScanOptions & { readonly packs: Packs },
): AsyncIterable<Observation> {
  // Loaded lazily: code that only parses packs or addresses doesn't need the scan engine.
  const { runScan } = await import('#scan.ts')
  yield* runScan(job, packs, options)
}
