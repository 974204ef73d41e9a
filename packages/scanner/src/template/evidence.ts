/**
 * Evidence of a finding: the relevant part of a response, safe to store and display. Secret values
 * are masked; their names stay, because the user needs them to rotate the secrets.
 */
import { headOf } from '#template/response-parts.ts'
import type { Exchange } from '#template/redirects.ts'
import type { Match } from '#template/matcher.ts'

const EVIDENCE_MAX = 16_000
const HEAD_MAX = 4_000
const HIGHLIGHTS_MAX = 20
const HIGHLIGHT_LENGTH_MAX = 480
const MASK = '••••••'

/** Evidence texts of a finding. */
export interface Evidence {
  readonly request: string
  readonly evidence: string
  readonly highlights: string[]
  readonly extracted?: string[]
}

/** Evidence from an HTTP exchange: the head and the part of the body around the first proof. */
export function httpEvidence({ response }: Exchange, match: Match): Evidence {
  const head = truncate(headOf(response), HEAD_MAX)
  const body = response.body.toString('latin1')
  return evidenceOf(
    response.request,
    `${head}\r\n${excerptAround(body, match.spans, EVIDENCE_MAX - head.length - 200)}`,
    match,
  )
}

/** Evidence from other protocols: data sent and received, as byte strings. */
export function rawEvidence(request: string, received: string, match: Match): Evidence {
  return evidenceOf(request, excerptAround(received, match.spans, EVIDENCE_MAX), match)
}

function evidenceOf(request: string, evidence: string, match: Match): Evidence {
  const spans = [...new Set([...match.spans, ...match.extracted])].filter((span) => span.trim() !== '')
  const shown = (texts: readonly string[]) =>
    texts.slice(0, HIGHLIGHTS_MAX).map((text) => sanitize(truncate(text, HIGHLIGHT_LENGTH_MAX)).slice(0, 500))
  return {
    request: sanitize(truncate(request, EVIDENCE_MAX)).slice(0, 16_384),
    evidence: sanitize(evidence).slice(0, 16_384),
    highlights: shown(spans),
    ...(match.extracted.length > 0 && { extracted: shown(match.extracted) }),
  }
}

/** A byte string as masked text without control characters. */
function sanitize(bytes: string): string {
  return maskSecrets(printable(Buffer.from(bytes, 'latin1').toString('utf8')))
}

function truncate(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
}

/** An excerpt that contains the first proof; the whole text if it fits. */
function excerptAround(text: string, spans: readonly string[], lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const found = spans.map((span) => text.indexOf(span)).filter((at) => at >= 0)
  const first = found.length > 0 ? Math.min(...found) : 0
  const start = first < lengthMax / 2 ? 0 : first - Math.floor(lengthMax / 4)
  return `${start > 0 ? '…' : ''}${text.slice(start, start + lengthMax)}…`
}

/**
 * Removes characters that would move a terminal's cursor, change the text direction, or be rejected
 * by a database.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\P{C}\n\t]/gu, '·')
}

const SECRET_NAME =
  /pass(?:wd|word|phrase)?|pwd|secret|token|(?:api|access|private|app|auth|encryption|signing|account|storage)[_.-]?key|_key$|^key$|credential|dsn|salt/i
/**
 * NAME=value, name: value, "name": "value", name => 'value'. Bounded repetition prevents slow
 * matching.
 */
const ASSIGNMENT =
  /(["']?)([\w.-]{1,100})\1(\s{0,4}(?:=>|[:=])\s{0,4})("[^"\n]{0,2000}"?|'[^'\n]{0,2000}'?|[^\s"'<>,;&][^\s<>,;&]{0,2000})/g
/** The value of an LDAP filter that only tests for presence: (userPassword=*). */
const WILDCARD = /^\*\)+$/
/** Two adjacent table cells, as in phpinfo()'s environment table. */
const CELLS = /(<td[^>]{0,80}>\s{0,8})([\w.$'"[\]-]{1,100})(\s{0,8}<\/td>\s{0,8}<td[^>]{0,80}>)([^<]{1,2000})/gi
const masks: readonly (readonly [RegExp, string])[] = [
  // PEM private keys, complete or truncated.
  [/(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]{0,16000}(-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g, `$1 ${MASK} $2`],
  // Credentials in a URL.
  [/\b([a-z][a-z\d+.-]{1,20}:\/\/[^\s:@/]{0,200}:)[^\s@/]{1,500}@/gi, `$1${MASK}@`],
  [/^((?:proxy-)?authorization:[^\S\n]{0,8}[^\s]{1,40}[^\S\n]{1,8})\S{1,16000}/gim, `$1${MASK}`],
  [/^((?:set-)?cookie:[^\S\n]{0,8}[^=\s;]{1,200}=)[^;\n]{1,16000}/gim, `$1${MASK}`],
  // Tokens with recognizable formats.
  [/\b(AKIA|ASIA)[A-Z\d]{16}\b/g, `$1${MASK}`],
  [
    /\b(gh[pousr]_|github_pat_|xox[abprs]-|[rs]k_live_|glpat-|npm_|dop_v1_|shp(?:at|ss|ca|pa)_|sk-proj-|sk-ant-|SG\.)[\w.-]{10,255}/g,
    `$1${MASK}`,
  ],
  [/\b(key-)[\da-f]{32}\b|\b(https:\/\/hooks\.slack\.com\/services\/)[\w/]{20,100}/g, `$1$2${MASK}`],
  [/\beyJ[\w-]{8,300}\.[\w-]{8,2000}\.[\w-]{8,1000}/g, `eyJ${MASK}`],
]

/** Masks passwords, tokens, and keys, and leaves all other text unchanged. */
export function maskSecrets(text: string): string {
  const maskedAssignments = text.replace(
    ASSIGNMENT,
    (whole, quote: string, name: string, sign: string, value: string) =>
      SECRET_NAME.test(name) && !WILDCARD.test(value) ? `${quote}${name}${quote}${sign}${MASK}` : whole,
  )
  const maskedCells = maskedAssignments.replace(CELLS, (whole, cell: string, name: string, between: string) =>
    SECRET_NAME.test(name.replace(/\W{1,100}$/, '')) ? `${cell}${name}${between}${MASK}` : whole,
  )
  return masks.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), maskedCells)
}
