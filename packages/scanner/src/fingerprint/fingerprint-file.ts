import { RE2JS } from 're2js'

/** One pattern and the software it identifies. */
export interface Fingerprint {
  readonly description: string
  /** RE2 syntax, flags inline. */
  readonly pattern: string
  /** A constant value (`pos` 0) or the number of the capture group. */
  readonly params: readonly { readonly name: string; readonly pos: number; readonly value: string }[]
  /** Example texts and their expected values. Loaded only on request. */
  readonly examples: readonly { readonly text: string; readonly values: Readonly<Record<string, string>> }[]
}
/** One Recog file: fingerprints for one field, specific before general. */
export interface FingerprintFile {
  readonly name: string
  /** The field to match, such as `ssh.banner`, `http_header.server`, or `http.path:/version <title>Shop`. */
  readonly matches: string
  readonly protocol: string
  /** Between 0 and 1; higher takes precedence. 0: only if no other file matches. */
  readonly preference: number
  readonly fingerprints: readonly Fingerprint[]
  /** Skipped records and the reasons. */
  readonly problems: readonly string[]
}

/** Why a fingerprint can't be used, because of its pattern or its capture groups; null if it can. */
export function patternProblem({ pattern, params }: Fingerprint): string | null {
  try {
    const groups = RE2JS.compile(pattern).groupCount()
    const beyond = params.find(({ pos }) => pos > groups)
    return beyond ? `${beyond.name} refers to capture group ${beyond.pos} of ${groups}` : null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
