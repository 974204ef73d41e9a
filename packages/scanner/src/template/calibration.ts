/**
 * Finds out how a host answers questions that make no sense. What also appears there proves nothing:
 * many hosts say 200 to everything, and some repeat whatever they are asked.
 */
import { randomBytes } from 'node:crypto'
import type { HttpClient, HttpRequest, HttpResponse, Origin } from '#net/http.ts'
import { answerOf } from '#template/http.ts'
import { evaluateOperators, type Match } from '#template/matcher.ts'
import type { Listener } from '#template/plan.ts'

export interface Calibration {
  /** Answers to a random page, a random `.php` page and a random folder; those that failed are left out. */
  readonly nonsense: readonly HttpResponse[]
}

/** @throws only when `signal` aborts, with its reason */
export async function calibrate(
  client: HttpClient,
  origin: Origin,
  basePath: string,
  signal: AbortSignal,
): Promise<Calibration> {
  const base = basePath.replace(/\/+$/, '')
  const paths = [`${base}/${nonsenseWord()}`, `${base}/${nonsenseWord()}.php`, `${base}/${nonsenseWord()}/`]
  const answers = await Promise.all(paths.map((path) => client.request(origin, { method: 'GET', path }, { signal })))
  return { nonsense: answers.filter((answer) => answer.kind === 'response') }
}

/** Whether the match would also come out for a page that cannot exist. */
export function isNonsense(calibration: Calibration, origin: Origin, listener: Listener, match: Match): boolean {
  return calibration.nonsense.some((response) => matchesToo(response, origin, listener, match))
}

/**
 * Whether it is worth asking for a control: the host gives nonsense the same status as the page that
 * matched, or did not answer nonsense at all.
 */
export function needsControl(calibration: Calibration, status: number): boolean {
  return calibration.nonsense.length === 0 || calibration.nonsense.some((response) => response.status === status)
}

/**
 * The same question below a folder that cannot exist. It shows a host that repeats its visitors.
 *
 * @returns null where such a question would make sense after all: a path that climbs out of folders
 */
export function controlOf(request: HttpRequest, basePath: string): HttpRequest | null {
  if (/\.\.|%2e|%252e/i.test(request.path)) return null
  const base = basePath.replace(/\/+$/, '')
  return { ...request, path: `${base}/${nonsenseWord()}${request.path.slice(base.length)}` }
}

/** Whether the same matcher hits on another answer. */
export function matchesToo(
  response: HttpResponse,
  origin: Origin,
  { block, lookup }: Listener,
  { name }: Match,
): boolean {
  const answer = answerOf({ origin, path: '/', response }, lookup, block.bodyBytesMax)
  return evaluateOperators(block.operators, answer).some((other) => other.name === name)
}

function nonsenseWord(): string {
  return `g${randomBytes(7).toString('hex')}`
}
