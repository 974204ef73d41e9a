/** The eyes: an address goes in, observations come out. Knows no database and no account. */
import type { Observation, ScanJob } from '@glacis/contract/runner'
import { compileFingerprints } from '#fingerprint/match.ts'
import { loadRecog } from '#fingerprint/recog.ts'
import { nativeChecks } from '#native/run.ts'
import type { Knowledge, ScanOptions } from '#scan-host.ts'
import { loadTemplates } from '#template/plan.ts'
import type { CheckInfo } from '#template/plan.ts'

export { expand, hostsMax, isProblem, parseAddress } from '#address.ts'
export type { AddressProblem, ScanAddress } from '#address.ts'
export { limitsByProfile } from '#budget.ts'
export type { Limits } from '#budget.ts'
export { commonPorts } from '#common-ports.ts'
export { denials, isExcluded, parseExclusion } from '#exclusion.ts'
export type { Exclusion } from '#exclusion.ts'
export { createGuard } from '#guard.ts'
export type { Guard } from '#guard.ts'
export { createCallbackServer } from '#callback/index.ts'
export type { Callbacks, CallbackServer, CallbackSettings } from '#callback/index.ts'
export { borrowCallbacks, lendCallbacks } from '#callback/relay.ts'
export type { LentCallbacks } from '#callback/relay.ts'
export { isMetadataAddress, isPublicAddress } from '#ip.ts'
export { resolveName } from '#net/dns.ts'
export { parsePorts } from '#port-list.ts'
export { readableAddress } from '#readable.ts'
export type { ScanOptions } from '#scan-host.ts'
export type { CheckInfo } from '#template/plan.ts'

/** Fingerprints and checks, read and compiled once for many scans. */
export interface Packs extends Knowledge {
  /** What the server needs to know of each check: its threat, severity, words and links. */
  readonly checks: readonly CheckInfo[]
  readonly counts: { readonly fingerprints: number; readonly checks: number }
  /** Records that were left out, each with its file and the reason. */
  readonly problems: readonly { readonly file: string; readonly reason: string }[]
}

/**
 * Reads the packs below the folders. A bad record is left out and told in `problems`.
 *
 * @throws when a folder cannot be read
 */
export async function loadPacks(folders: {
  readonly checks: readonly string[]
  readonly fingerprints: readonly string[]
  /** Where what was understood of large packs is kept for the next time; absent: nowhere. */
  readonly cache?: string
  /** False leaves out the checks that are part of the scanner itself. */
  readonly native?: boolean
}): Promise<Packs> {
  const recog = await loadRecog(folders.fingerprints)
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
    problems: [...recog.problems, ...templates.refused],
  }
}

/**
 * Scans the hosts of a job, side by side; the observations of one host come in the order host,
 * services and software, findings, coverage. Packs may serve many scans at once.
 *
 * @throws the signal's reason when it aborts; no socket, timer or thread stays behind
 */
export async function* scan(
  job: ScanJob,
  { packs, ...options }: ScanOptions & { readonly packs: Packs },
): AsyncIterable<Observation> {
  // Whoever only reads packs and addresses does not wait for what asks hosts.
  const { runScan } = await import('#scan.ts')
  yield* runScan(job, packs, options)
}

const webPathsMax = 24

/** A family of fingerprints for `http.path:/version` makes every web server be asked for `/version`. */
function webPathsOf(files: readonly { readonly matches: string }[]): string[] {
  const paths = files.flatMap(({ matches }) => /^http\.path:(\/\S*)$/.exec(matches)?.[1] ?? [])
  return [...new Set(paths)].slice(0, webPathsMax)
}
