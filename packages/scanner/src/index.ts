/** The eyes: an address goes in, observations come out. Knows no database and no account. */
import type { Observation, ScanJob } from '@glacis/contract/runner'
import { compileFingerprints } from '#fingerprint/match.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import { loadRecog } from '#fingerprint/recog.ts'
import { runScan } from '#scan.ts'
import type { ScanOptions } from '#scan.ts'

export { expand, hostsMax, isProblem, parseAddress } from '#address.ts'
export type { AddressProblem, ScanAddress } from '#address.ts'
export { limitsByProfile } from '#budget.ts'
export type { Limits } from '#budget.ts'
export { isPublicAddress } from '#ip.ts'
export { resolveName } from '#net/dns.ts'
export type { ScanOptions } from '#scan.ts'

/** Fingerprints and checks, read and compiled once for many scans. */
export interface Packs {
  readonly fingerprints: Fingerprints
  readonly webPaths: readonly string[]
  readonly counts: { readonly fingerprints: number; readonly checks: number }
  /** Records that were left out, each with its file and the reason. */
  readonly problems: readonly { readonly file: string; readonly reason: string }[]
}

/** Reads the packs below the folders. A bad record is left out and told in `problems`. */
export async function loadPacks(folders: {
  readonly checks: readonly string[]
  readonly fingerprints: readonly string[]
}): Promise<Packs> {
  const { files, problems } = await loadRecog(folders.fingerprints)
  const fingerprints = compileFingerprints(files)
  return {
    fingerprints,
    webPaths: webPathsOf(files),
    counts: { fingerprints: fingerprints.count, checks: 0 },
    problems,
  }
}

/** Scans the hosts of a job. See {@link runScan} for order, bounds and cancelling. */
export function scan(
  job: ScanJob,
  { packs, ...options }: ScanOptions & { readonly packs: Packs },
): AsyncIterable<Observation> {
  return runScan(job, { ...packs, checks: async function* () {} }, options)
}

const webPathsMax = 24

/** A family of fingerprints for `http.path:/version` makes every web server be asked for `/version`. */
function webPathsOf(files: readonly { readonly matches: string }[]): string[] {
  const paths = files.flatMap(({ matches }) => /^http\.path:(\/\S*)$/.exec(matches)?.[1] ?? [])
  return [...new Set(paths)].slice(0, webPathsMax)
}
