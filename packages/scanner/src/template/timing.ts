/**
 * Checks that make a service wait. A slow answer alone proves nothing: without the delay the same
 * request must be quick, and with another delay it must take that long.
 */
import type { HttpRequest, HttpResponse } from '#net/http.ts'
import type { Matcher, Template } from '#template/template.ts'

/** Added to the delay for the second trial, in seconds. */
const MORE_SECONDS = 3
/** Clocks and schedulers may be off by so much, in seconds. */
const SLACK_SECONDS = 0.5
/** A request may ask for a little more than its matcher waits for, in seconds. */
const ABOVE_SECONDS = 4

/** The delay that a matcher waits for, and the request that is to bring it about. */
export interface Delay {
  readonly seconds: number
  /** From 1; null: the request whose answer matched. */
  readonly request: number | null
}

/** Delays from which on matchers take an answer for slow. */
export function delaysOf(matchers: readonly Matcher[]): Delay[] {
  const sources = matchers.flatMap((one) => (one.type === 'dsl' ? one.expressions.map(({ source }) => source) : []))
  const written = sources.flatMap((source) => [...source.matchAll(/\bduration(?:_(\d+))?\s*>=?\s*(\d{1,3})/g)])
  return written.map(([, request, seconds]) => ({
    seconds: Number(seconds),
    request: request === undefined ? null : Number(request),
  }))
}

/** Whether a template looks at how long answers take, so that its requests go out for it alone. */
export function isTimed({ http }: Pick<Template, 'http'>): boolean {
  const isSlow = http.some(({ raws }) => raws.some(({ annotations }) => annotations.deadlineMs !== null))
  return isSlow || http.some(({ operators }) => operators.matchers.some(looksAtTime))
}

/** Whether a matcher rests on how long an answer took. */
export function looksAtTime(matcher: Matcher): boolean {
  if (matcher.type !== 'dsl') return false
  return matcher.expressions.some(({ names }) => [...names].some((name) => /^duration(?:_\d+)?$/.test(name)))
}

/** A word that makes a program wait, then what is no number but a sign in hexadecimal, then the delay. */
const DELAY =
  /((?:sleep|delay|wait|receive_message|ping|timeout)(?:%[\da-f]{2}|0{1,2}(?::|%3a)|[^\d%]){1,40}?)(\d{1,2})(?!\d|:|%3a)/gi

/**
 * The same request with another delay, where that stands behind a word such as `sleep`.
 *
 * @param seconds what the matcher waits for; the request may ask for a little more
 * @param wanted makes the new delay of the one that was found, in seconds
 * @returns null when the request does not show where its delay stands
 */
export function withDelay(
  request: HttpRequest,
  seconds: number,
  wanted: (found: number) => number,
): HttpRequest | null {
  let isFound = false
  const change = (text: string) =>
    text.replace(DELAY, (whole, before: string, number: string) => {
      const found = Number(number)
      if (found < seconds || found > seconds + ABOVE_SECONDS) return whole
      isFound = true
      return `${before}${wanted(found)}`
    })
  const path = change(request.path)
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name, change(value)])
  const body = request.body && Buffer.from(change(Buffer.from(request.body).toString('latin1')), 'latin1')
  return isFound ? { ...request, path, headers: Object.fromEntries(headers), ...(body && { body }) } : null
}

/**
 * Whether a service waits because it was told to.
 *
 * @param ask sends a request and has the given time for its answer, in milliseconds; null when it failed
 * @returns `unknown` when an answer failed or the delay cannot be changed
 */
export async function confirmDelay(
  request: HttpRequest,
  seconds: number,
  ask: (request: HttpRequest, deadlineMs: number) => Promise<Pick<HttpResponse, 'durationMs'> | null>,
): Promise<'true' | 'false' | 'unknown'> {
  const none = withDelay(request, seconds, () => 0)
  const more = withDelay(request, seconds, (found) => found + MORE_SECONDS)
  if (!none || !more) return 'unknown'
  const quick = await ask(none, (seconds + 10) * 1000)
  if (!quick) return 'unknown'
  if (quick.durationMs / 1000 >= seconds / 2) return 'false'
  const slow = await ask(more, (seconds + ABOVE_SECONDS + MORE_SECONDS + 10) * 1000)
  if (!slow) return 'unknown'
  const waitedSeconds = (slow.durationMs - quick.durationMs) / 1000
  return waitedSeconds >= seconds + MORE_SECONDS - SLACK_SECONDS ? 'true' : 'false'
}
