/** A check as it is understood: what `parse.ts` makes of a nuclei template and the runners carry out. */
import type { Expression, Lookup } from '#template/dsl.ts'
import type { Flow } from '#template/flow.ts'
import type { Payloads } from '#template/payloads.ts'
import type { RawText } from '#template/raw.ts'
import type { Pattern } from '#template/regex.ts'

/** What a person is told about a check. Empty text where the template says nothing. */
export interface CheckInfo {
  /** Template id, unique among the loaded ones. */
  readonly id: string
  readonly name: string
  /** Key of the threat: the CVE where the check names one, else its id. */
  readonly threat: string
  /** `critical`, `high`, `medium`, `low`, `info` or `unknown`. */
  readonly severity: string
  /** CVSS vector as written. */
  readonly cvss: string
  readonly score: number | null
  readonly summary: string
  readonly impact: string
  readonly remediation: string
  readonly references: readonly string[]
  readonly cves: readonly string[]
  readonly tags: readonly string[]
  /** Best quality of detection that a finding of this check can have, 0 to 100. */
  readonly quality: number
}

export interface Template {
  readonly file: string
  readonly info: CheckInfo
  /** Values that the template sets itself, as texts with placeholders. */
  readonly variables: ReadonlyMap<string, string>
  readonly http: readonly HttpBlock[]
  /** In which order the HTTP blocks run; null: one after the other, whatever they say. */
  readonly flow: Flow | null
  readonly network: readonly NetworkBlock[]
  readonly ssl: readonly SslBlock[]
  /** Its HTTP requests go out one after the other, because a later one or a matcher looks back at earlier ones. */
  readonly isSequence: boolean
  /** It tries lists of user names and passwords. */
  readonly isGuessing: boolean
  /** Products, vendors and tags that it names, in lower case with `_` between words. */
  readonly subjects: ReadonlySet<string>
  /** Stop asking one origin as soon as something matched. */
  readonly stopsAtFirstMatch: boolean
  /** Protocols, beside the ports of the template, on which its network blocks make sense. */
  readonly protocols: readonly string[]
  /** Quality that the template claims for its findings; null: derived from what matched. */
  readonly claimedQuality: number | null
}

/** Follow none, those to the same host and port, or all that stay on the target. */
export type RedirectPolicy = 'none' | 'same-origin' | 'target'

export interface HttpBlock {
  readonly method: string
  /** With placeholders. A block has either these or `raws`. */
  readonly paths: readonly string[]
  /** Requests that are written out in full. */
  readonly raws: readonly RawText[]
  /** Values that all requests of the block are sent with, set by set. */
  readonly payloads: Payloads | null
  /** Cookies of one answer go with the later requests of the check. */
  readonly keepsCookies: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly redirects: RedirectPolicy
  readonly redirectsMax: number
  readonly stopsAtFirstMatch: boolean
  /** How much of a body is looked at, in bytes; null: all that was kept. */
  readonly bodyBytesMax: number | null
  readonly operators: Operators
}

export interface NetworkBlock {
  readonly hosts: readonly NetworkHost[]
  readonly ports: readonly number[]
  readonly inputs: readonly NetworkInput[]
  /** How much is read after the last input, in bytes. */
  readonly readBytesMax: number
  readonly operators: Operators
}
export interface NetworkHost {
  readonly tls: boolean
  /** A port that the host names itself, as in `{{Host}}:6379`. */
  readonly port: number | null
}
export interface NetworkInput {
  /** Bytes to send, as a byte string with placeholders; empty sends nothing. */
  readonly data: string
  readonly isHex: boolean
  /** How much is read after sending, in bytes; null: the next input follows at once. */
  readonly readBytesMax: number | null
  /** Name under which matchers find what was read. */
  readonly name: string
}

export type TlsVersion = 'SSLv3' | 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
export interface SslBlock {
  readonly minVersion: TlsVersion | null
  readonly maxVersion: TlsVersion | null
  readonly operators: Operators
}

export interface Operators {
  readonly condition: 'and' | 'or'
  readonly matchers: readonly Matcher[]
  readonly extractors: readonly Extractor[]
}

interface MatcherBase {
  readonly name: string
  readonly part: string
  readonly condition: 'and' | 'or'
  readonly negative: boolean
  /** Steers the check and is no result of its own. */
  readonly isInternal: boolean
}
export type Matcher = MatcherBase &
  (
    | { readonly type: 'word'; readonly words: readonly string[]; readonly ignoresCase: boolean }
    | { readonly type: 'regex'; readonly patterns: readonly Pattern[] }
    | { readonly type: 'binary'; readonly words: readonly string[] }
    | { readonly type: 'status'; readonly statuses: readonly number[] }
    | { readonly type: 'size'; readonly sizes: readonly number[] }
    | { readonly type: 'dsl'; readonly expressions: readonly Expression[] }
  )

interface ExtractorBase {
  readonly name: string
  readonly part: string
  /** What it reads is for later requests and matchers, and no result. */
  readonly isInternal: boolean
}
export type Extractor = ExtractorBase &
  (
    | { readonly type: 'regex'; readonly patterns: readonly Pattern[]; readonly group: number }
    | { readonly type: 'kval'; readonly keys: readonly string[] }
    | { readonly type: 'json'; readonly paths: readonly (readonly string[])[] }
    | { readonly type: 'dsl'; readonly expressions: readonly Expression[] }
  )

/** One answer under the names that templates use. Texts are byte strings. */
export interface Answer {
  /** The value of a part or variable; undefined for one that this answer does not have. */
  readonly get: Lookup
  /** The part that a matcher without `part` looks at. */
  readonly defaultPart: string
}
