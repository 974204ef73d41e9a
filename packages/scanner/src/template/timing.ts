/**
 * Time-based checks. A slow response alone proves nothing: without the delay the same request must
 * be fast, and with another delay it must take that long.
 */
import type { HttpRequest, HttpResponse } from '#net/http-message.ts'
import type { Matcher, Template } from '#template/template.ts'

/** Added to the delay in the second trial, in seconds. */
const MORE_SECONDS = 3
/** Tolerance for clocks and schedulers, in seconds. */
const SLACK_SECONDS = 0.5
/** The request's delay may exceed the matcher's threshold by this much, in seconds. */
const ABOVE_SECONDS = 4

/** The delay that a matcher expects, and the request that causes it. */
export interface Delay {
  readonly seconds: number
  /** Starting at 1; null: the request whose response matched. */
  readonly request: number | null
}

/** Delays at which matchers consider a response slow. */
export function delaysOf(matchers: readonly Matcher[]): Delay[] {
  const sources = matchers.flatMap((matcher) =>
    matcher.type === 'dsl' ? matcher.expressions.map(({ source }) => source) : [],
  )
  const written = sources.flatMap((source) => [...source.matchAll(/\bduration(?:_(\d+))?\s*>=?\s*(\d{1,3})/g)])
  return written.map(([, request, seconds]) => ({
    seconds: Number(seconds),
    request: request === undefined ? null : Number(request),
  }))
}

/** Whether a template measures response times, so that its requests can't be shared. */
export function isTimed({ http }: Pick<Template, 'http'>): boolean {
  const isSlow = http.some(({ raws }) => raws.some(({ annotations }) => annotations.deadlineMs !== null))
  return isSlow || http.some(({ operators }) => operators.matchers.some(isTimeMatcher))
}

/** Whether a matcher depends on the response time. */
export function isTimeMatcher(matcher: Matcher): boolean {
  if (matcher.type !== 'dsl') return false
  return matcher.expressions.some(({ names }) => [...names].some((name) => /^duration(?:_\d+)?$/.test(name)))
}

/** A sleep function's name, then a separator or URL-encoded character, then the delay. */
const DELAY =
  /((?:sleep|delay|wait|receive_message|ping|timeout)(?:%[\da-f]{2}|0{1,2}(?::|%3a)|[^\d%]){1,40}?)(\d{1,2})(?!\d|:|%3a)/gi

/**
 * The same request with another delay after a word such as `sleep`.
 *
 * @param seconds the matcher's threshold; the request's delay may be slightly longer
 * @param wanted maps the original delay to the new one, in seconds
 * @returns null when the delay can't be located in the request
 */
export function withDelay(
  request: HttpRequest,
  seconds: number,
  wanted: (delay: number) => number,
): HttpRequest | null {
  let isFound = false
  const change = (text: string) =>
    text.replace(DELAY, (whole, before: string, number: string) => {
      const delay = Number(number)
      if (delay < seconds || delay > seconds + ABOVE_SECONDS) return whole
      isFound = true
      return `${before}${wanted(delay)}`
    })
  const path = change(request.path)
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name, change(value)])
  const body = request.body && Buffer.from(change(Buffer.from(request.body).toString('latin1')), 'latin1')
  return isFound ? { ...request, path, headers: Object.fromEntries(headers), ...(body && { body }) } : null
}

/**
 * Whether a service's delay is caused by the request.
 *
 * @param ask sends a request with the given timeout, in milliseconds; null when it failed
 * @returns `unknown` when a request failed or the delay can't be changed
 */
export async function confirmDelay(
  request: HttpRequest,
  seconds: number,
  ask: (request: HttpRequest, deadlineMs: number) => Promise<Pick<HttpResponse, 'durationMs'> | null>,
): Promise<'true' | 'false' | 'unknown'> {
  const none = withDelay(request, seconds, () => 0)
  const more = withDelay(request, seconds, (delay) => delay + MORE_SECONDS)
  if (!none || !more) return 'unknown'
  const quick = await ask(none, (seconds + 10) * 1000)
  if (!quick) return 'unknown'
  if (quick.durationMs / 1000 >= seconds / 2) return 'false'
  const slow = await ask(more, (seconds + ABOVE_SECONDS + MORE_SECONDS + 10) * 1000)
  if (!slow) return 'unknown'
  const waitedSeconds = (slow.durationMs - quick.durationMs) / 1000
  return waitedSeconds >= seconds + MORE_SECONDS - SLACK_SECONDS ? 'true' : 'false'
}
