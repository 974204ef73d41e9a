/** A check as it is understood: what `parse.ts` makes of a nuclei template and the runners carry out. */
import type { Expression } from '#template/dsl.ts'
import type { Lookup } from '#template/dsl-value.ts'
import type { Flow } from '#template/flow.ts'
import type { Query } from '#template/jq.ts'
import type { Payloads } from '#template/payloads.ts'
import type { RawText } from '#template/raw.ts'
import type { Pattern } from '#template/regex.ts'
import type { XPath } from '#template/xpath.ts'

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

/** What checks are sorted out by before any is looked at closely: plain values, as JSON keeps them. */
export interface TemplateFacts {
  readonly file: string
  /** The id of `info`. */
  readonly id: string
  /** Values that the template sets itself: names, and texts with placeholders. */
  readonly variables: readonly (readonly [string, string])[]
  /** How many blocks there are of each protocol. */
  readonly blocks: { readonly http: number; readonly network: number; readonly ssl: number; readonly dns: number }
  /**
   * Digests of the requests of the HTTP blocks as they are written, so that equal ones are known without
   * reading the blocks; null for one that differs from check to check (a random value, a variable).
   */
  readonly questions: readonly (readonly (string | null)[])[]
  /** Its HTTP requests go out one after the other, because a later one or a matcher looks back at earlier ones. */
  readonly isSequence: boolean
  /** It may change what it looks at, and runs only where that was allowed. */
  readonly isIntrusive: boolean
  /** It waits for the target to call back, and runs only where such calls can be heard. */
  readonly needsCallback: boolean
  /** It sends what is no proper HTTP: last, and only to what it is written for. */
  readonly isUnsafe: boolean
  /** Names that an operator must give a value to (an account to sign in with, a token) before it can run. */
  readonly lacking: readonly string[]
  /** It tries lists of user names and passwords. */
  readonly isGuessing: boolean
  /** Products, vendors and tags that it names, in lower case with `_` between words. */
  readonly subjects: readonly string[]
  /** It is written for a product, which a scan that asks less wants to see first. */
  readonly isSpecific: boolean
  /** Stop asking one origin as soon as something matched. */
  readonly stopsAtFirstMatch: boolean
  /** Protocols, beside the ports of the template, on which its network blocks make sense. */
  readonly protocols: readonly string[]
  /** Quality that the template claims for its findings; null: derived from what matched. */
  readonly claimedQuality: number | null
}

/** What a template asks and looks for. */
export interface TemplateBlocks {
  readonly http: readonly HttpBlock[]
  /** In which order the HTTP blocks run; null: one after the other, whatever they say. */
  readonly flow: Flow | null
  readonly network: readonly NetworkBlock[]
  readonly ssl: readonly SslBlock[]
  readonly dns: readonly DnsBlock[]
}

/** Facts are at hand; words and blocks may be read when they are first looked at. */
export interface Template extends Omit<TemplateFacts, 'variables' | 'lacking' | 'subjects' | 'blocks'>, TemplateBlocks {
  readonly info: CheckInfo
  readonly variables: ReadonlyMap<string, string>
  readonly lacking: ReadonlySet<string>
  readonly subjects: ReadonlySet<string>
  readonly counts: TemplateFacts['blocks']
}

/** Follow none, those to the same host and port, or all that stay on the target. */
export type RedirectPolicy = 'none' | 'same-origin' | 'target'

export interface HttpBlock {
  readonly method: string
  /** With placeholders. A block has either these or `raws`. */
  readonly paths: readonly string[]
  /** Requests that are written out in full. */
  readonly raws: readonly RawText[]
  /** The texts leave byte for byte, on a connection of their own, because they bend the rules of HTTP. */
  readonly isUnsafe: boolean
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
  /** Values that the inputs are sent with, set by set, each on a new connection. */
  readonly payloads: Payloads | null
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

/** A question about the name of the target, asked of this machine's own resolvers. */
export interface DnsBlock {
  /** With placeholders. */
  readonly name: string
  /** A type of record that `net/resolver.ts` knows, such as `CNAME`. */
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
  /** Steers the check and is no result of its own. */
  readonly isInternal: boolean
}
export type Matcher = MatcherBase &
  (
    | {
        readonly type: 'word'
        readonly words: readonly string[]
        /** The words as byte strings; null for one with placeholders. In lower case where case does not count. */
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
  /** What it reads is for later requests and matchers, and no result. */
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

/** One answer under the names that templates use. Texts are byte strings. */
export interface Answer {
  /** The value of a part or variable; undefined for one that this answer does not have. */
  readonly get: Lookup
  /** The part that a matcher without `part` looks at. */
  readonly defaultPart: string
}
