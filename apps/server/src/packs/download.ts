/** Fetching a feed politely: only when it changed, only so much, and not again too soon. */
import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { version } from '#version.ts'

/** What came of a request. */
export type Download =
  | { readonly kind: 'file'; readonly validators: Readonly<Record<string, string>> }
  | { readonly kind: 'unchanged' }
  /** It did not come; `words` is a sentence for people. */
  | {
      readonly kind: 'failure'
      readonly words: string
      readonly isOffline: boolean
      /** There is no such file (404 and 410 of RFC 9110). */
      readonly isGone: boolean
      readonly retryAfterMs: number
    }

export interface DownloadOptions {
  /** The file to write. */
  readonly to: string
  /** What the last answer said of its own state: `etag` and `lastModified`. */
  readonly validators?: Readonly<Record<string, string>>
  readonly bytesMax: number
  readonly signal: AbortSignal
}

const waitMsMax = 15 * 60_000
const retryAfterMsMax = 24 * 3_600_000

/** Asks for `url` and writes the answer to a file. Never throws but for the signal and for bugs. */
export async function download(
  url: string,
  { to, validators = {}, bytesMax, signal }: DownloadOptions,
): Promise<Download> {
  const failure = (
    words: string,
    more: { isOffline?: boolean; isGone?: boolean; retryAfterMs?: number } = {},
  ): Download => ({
    kind: 'failure',
    words,
    isOffline: false,
    isGone: false,
    retryAfterMs: 0,
    ...more,
  })
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMsMax)]),
      headers: {
        'user-agent': `Glacis/${version}`,
        // The length that is announced is then the length that comes.
        'accept-encoding': 'identity',
        ...(validators['etag'] && { 'if-none-match': validators['etag'] }),
        ...(validators['lastModified'] && { 'if-modified-since': validators['lastModified'] }),
      },
    })
    if (answer.status === 304) return { kind: 'unchanged' }
    if (!answer.ok || !answer.body) {
      await answer.body?.cancel()
      const isGone = answer.status === 404 || answer.status === 410
      return failure(wordsOf(url, answer.status), {
        isGone,
        retryAfterMs: retryAfter(answer.headers.get('retry-after')),
      })
    }
    await pipeline(Readable.from(answer.body), bounded(bytesMax), createWriteStream(to))
    return { kind: 'file', validators: validatorsOf(answer.headers) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TooLarge)
      return failure(
        `${hostOf(url)} sent more than the limit of ${Math.round(bytesMax / 1e6)} MB for this feed. The previous data is kept.`,
      )
    const code = codeOf(error)
    if (/ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/.test(code))
      return failure(`${hostOf(url)} is unreachable. Check the network connection.`, { isOffline: true })
    return failure(`${hostOf(url)} closed the connection (${code}).`)
  }
}

class TooLarge extends Error {}

function bounded(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > bytesMax ? new TooLarge() : null, chunk)
    },
  })
}

function wordsOf(url: string, status: number): string {
  if (status === 429 || status === 503) return `${hostOf(url)} is rate limiting requests (HTTP ${status}).`
  return `${hostOf(url)} responded with HTTP ${status}.`
}

function validatorsOf(headers: Headers): Record<string, string> {
  const etag = headers.get('etag')
  const lastModified = headers.get('last-modified')
  return { ...(etag && { etag }), ...(lastModified && { lastModified }) }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfter(text: string | null): number {
  if (text === null) return 0
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Math.min(retryAfterMsMax, Math.max(0, Number.isNaN(ms) ? 0 : ms))
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof AggregateError) return codeOf(cause.errors[0])
  return cause instanceof Error && 'code' in cause
    ? String(cause.code)
    : cause instanceof Error
      ? cause.message
      : String(cause)
}
