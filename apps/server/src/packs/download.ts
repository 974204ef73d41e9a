/** Downloads a feed if it changed, with limits on size and time. */
import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { version } from '#version.ts'

/** The result of a download. */
export type Download =
  | { readonly kind: 'file'; readonly validators: Readonly<Record<string, string>> }
  | { readonly kind: 'unchanged' }
  /** The download failed; `message` is shown to users. */
  | {
      readonly kind: 'failure'
      readonly message: string
      readonly isOffline: boolean
      /** The file doesn't exist (404 and 410 of RFC 9110). */
      readonly isGone: boolean
      readonly retryAfterMs: number
    }

export interface DownloadOptions {
  readonly to: string
  /** `etag` and `lastModified` of the previous response. */
  readonly validators?: Readonly<Record<string, string>>
  readonly bytesMax: number
  readonly signal: AbortSignal
}

const timeoutMs = 15 * 60_000
const retryAfterMsMax = 24 * 3_600_000

/** Downloads `url` to a file. Returns failures instead of throwing, except if `signal` aborts. */
export async function download(
  url: string,
  { to, validators = {}, bytesMax, signal }: DownloadOptions,
): Promise<Download> {
  const failure = (
    message: string,
    details: { isOffline?: boolean; isGone?: boolean; retryAfterMs?: number } = {},
  ): Download => ({
    kind: 'failure',
    message,
    isOffline: false,
    isGone: false,
    retryAfterMs: 0,
    ...details,
  })
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        'user-agent': `Glacis/${version}`,
        // So that Content-Length is the length of the file.
        'accept-encoding': 'identity',
        ...(validators['etag'] && { 'if-none-match': validators['etag'] }),
        ...(validators['lastModified'] && { 'if-modified-since': validators['lastModified'] }),
      },
    })
    if (response.status === 304) return { kind: 'unchanged' }
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      const isGone = response.status === 404 || response.status === 410
      return failure(messageFor(url, response.status), {
        isGone,
        retryAfterMs: retryAfter(response.headers.get('retry-after')),
      })
    }
    await pipeline(Readable.from(response.body), limitBytes(bytesMax), createWriteStream(to))
    return { kind: 'file', validators: validatorsOf(response.headers) }
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

function limitBytes(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > bytesMax ? new TooLarge() : null, chunk)
    },
  })
}

function messageFor(url: string, status: number): string {
  if (status === 429 || status === 503) return `${hostOf(url)} is rate limiting requests (HTTP ${status}).`
  return `${hostOf(url)} responded with HTTP ${status}.`
}

function validatorsOf(headers: Headers): Record<string, string> {
  const etag = headers.get('etag')
  const lastModified = headers.get('last-modified')
  return { ...(etag && { etag }), ...(lastModified && { lastModified }) }
}

/** A number of seconds, or a date (RFC 9110, section 10.2.3). */
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
