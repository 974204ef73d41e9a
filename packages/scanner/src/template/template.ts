/** Parsed checks: the output of `parse.ts`, executed by the runners. */
import type { CheckPermission } from '@glacis/contract/primitives'
import type { Expression } from '#template/dsl.ts'
import type { Lookup } from '#template/dsl-value.ts'
import type { Flow } from '#template/flow.ts'
import type { Query } from '#template/jq.ts'
import type { Payloads } from '#template/payloads.ts'
import type { RawText } from '#template/raw.ts'
import type { Pattern } from '#template/regex.ts'
import type { XPath } from '#template/xpath.ts'

/** Metadata of a check. Empty text for missing fields. */
export interface CheckInfo {
  /** Template ID, unique among the loaded ones. */
  readonly id: string
  readonly name: string
  /** Threat key: the CVE if the check has one, otherwise its ID. */
  readonly threat: string
  /** `critical`, `high`, `medium`, `low`, `info`, or `unknown`. */
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
  /** Maximum quality of detection of this check's findings, 0 to 100. */
  readonly quality: number
  /**
   * Programs of the lab that prove the check when weak and stay silent when hardened; empty: none. Absent: not stated.
   */
  readonly verifiedOn?: readonly string[]
}

/** Facts used to plan scans, as plain JSON values. */
export interface TemplateFacts {
  readonly file: string
  /** The ID of `info`. */
  readonly id: string
  /** Template variables: names, and texts with placeholders. */
  readonly variables: readonly (readonly [string, string])[]
  /** Number of blocks per protocol. */
  readonly blocks: { readonly http: number; readonly network: number; readonly ssl: number; readonly dns: number }
  /**
   * Digests of the HTTP blocks' requests as written, so that equal ones are found without parsing
   * the blocks; null for one that varies per check (random value, variable).
   */
  readonly requestDigests: readonly (readonly (string | null)[])[]
  /** HTTP requests run sequentially, because later requests or matchers refer to earlier ones. */
  readonly isSequence: boolean
  /** The permission that an intrusive check needs; null for all others. */
  readonly permission: CheckPermission | null
  /** Waits for a callback; requires a callback server. */
  readonly needsCallback: boolean
  /** Sends malformed HTTP: runs last, and only on the product it targets. */
  readonly isUnsafe: boolean
  /** Names of values that the operator must supply, such as credentials or a token. */
  readonly missingValues: readonly string[]
  /** Tries lists of usernames and passwords. */
  readonly isBruteForce: boolean
  /** Its products, vendors, and tags, in lower case with `_` between words. */
  readonly subjects: readonly string[]
  /** Specific to a product, which must be identified first in the lighter profiles. */
  readonly isSpecific: boolean
  /** Stops requests to an origin at the first match. */
  readonly stopsAtFirstMatch: boolean
  /** Protocols that its network blocks apply to, in addition to the template's ports. */
  readonly protocols: readonly string[]
  /** Quality that the template claims for its findings; null: derived from the evidence. */
  readonly claimedQuality: number | null
}

/** The requests and matchers of a template. */
export interface TemplateBlocks {
  readonly http: readonly HttpBlock[]
  /** Evaluation order of the HTTP blocks; null: all in sequence. */
  readonly flow: Flow | null
  readonly network: readonly NetworkBlock[]
  readonly ssl: readonly SslBlock[]
  readonly dns: readonly DnsBlock[]
}

/** Facts are always loaded; metadata and blocks may be parsed on first access. */
export interface Template
  extends Omit<TemplateFacts, 'variables' | 'missingValues' | 'subjects' | 'blocks'>, TemplateBlocks {
  readonly info: CheckInfo
  readonly variables: ReadonlyMap<string, string>
  readonly missingValues: ReadonlySet<string>
  readonly subjects: ReadonlySet<string>
  readonly counts: TemplateFacts['blocks']
}

/** Follow none, only to the same host and port, or all that stay on the target. */
export type RedirectPolicy = 'none' | 'same-origin' | 'target'

export interface HttpBlock {
  readonly method: string
  /** With placeholders. A block has either these or `raws`. */
  readonly paths: readonly string[]
  /** Raw requests. */
  readonly raws: readonly RawText[]
  /** Sent byte for byte on a separate connection, because the request is malformed. */
  readonly isUnsafe: boolean
  /** Payload sets for all requests of the block. */
  readonly payloads: Payloads | null
  /** Cookies carry over to later requests of the check. */
  readonly keepsCookies: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly redirects: RedirectPolicy
  readonly redirectsMax: number
  readonly stopsAtFirstMatch: boolean
  /** Maximum body size to match, in bytes; null: everything received. */
  readonly bodyBytesMax: number | null
  readonly operators: Operators
}

export interface NetworkBlock {
  readonly hosts: readonly NetworkHost[]
  readonly ports: readonly number[]
  readonly inputs: readonly NetworkInput[]
  /** Payload sets for the inputs, each on a new connection. */
  readonly payloads: Payloads | null
  /** Bytes to read after the last input. */
  readonly readBytesMax: number
  readonly operators: Operators
}
export interface NetworkHost {
  readonly tls: boolean
  /** A port set in the host, as in `{{Host}}:6379`. */
  readonly port: number | null
}
export interface NetworkInput {
  /** Bytes to send, as a byte string with placeholders; empty sends nothing. */
  readonly data: string
  readonly isHex: boolean
  /** Bytes to read after sending; null: continue with the next input. */
  readonly readBytesMax: number | null
  /** Name of the data for matchers. */
  readonly name: string
}

export type TlsVersion = 'SSLv3' | 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
export interface SslBlock {
  readonly minVersion: TlsVersion | null
  readonly maxVersion: TlsVersion | null
  readonly operators: Operators
}

/** A DNS query about the target's name, sent to this machine's resolvers. */
export interface DnsBlock {
  /** With placeholders. */
  readonly name: string
  /** A record type supported by `net/resolver.ts`, such as `CNAME`. */
  readonly type: string
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
  /** Controls the check's flow; not a result of its own. */
  readonly isInternal: boolean
}
export type Matcher = MatcherBase &
  (
    | {
        readonly type: 'word'
        readonly words: readonly string[]
        /**
         * Words as byte strings; null for one with placeholders. Lower case if case-insensitive.
         */
        readonly bytes: readonly (string | null)[]
        readonly ignoresCase: boolean
      }
    | { readonly type: 'regex'; readonly patterns: readonly Pattern[] }
    | { readonly type: 'binary'; readonly words: readonly string[] }
    | { readonly type: 'status'; readonly statuses: readonly number[] }
    | { readonly type: 'size'; readonly sizes: readonly number[] }
    | { readonly type: 'xpath'; readonly paths: readonly XPath[] }
    | { readonly type: 'dsl'; readonly expressions: readonly Expression[] }
  )

interface ExtractorBase {
  readonly name: string
  readonly part: string
  /** Its value is for later requests and matchers only, not a result. */
  readonly isInternal: boolean
}
export type Extractor = ExtractorBase &
  (
    | { readonly type: 'regex'; readonly patterns: readonly Pattern[]; readonly group: number }
    | { readonly type: 'kval'; readonly keys: readonly string[] }
    | { readonly type: 'json'; readonly queries: readonly Query[] }
    | { readonly type: 'xpath'; readonly paths: readonly XPath[]; readonly attribute: string }
    | { readonly type: 'dsl'; readonly expressions: readonly Expression[] }
  )

/** One response under the names that templates use. Texts are byte strings. */
export interface ResponseParts {
  /** The value of a part or variable; undefined when absent from this response. */
  readonly get: Lookup
  /** The default part for matchers. */
  readonly defaultPart: string
}

/** A template that can't be run in full, and why. */
export interface RejectedTemplate {
  readonly file: string
  /** Starting at 1; 0 when unknown. */
  readonly line: number
  /** Short name of the unsupported feature or the error, used to count rejections. */
  readonly feature: string
  /** One sentence with the line number. */
  readonly reason: string
}
