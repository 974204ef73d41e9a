/**
 * Finds out how a host answers questions that make no sense. What also appears there proves nothing:
 * many hosts say 200 to everything, and some repeat whatever they are asked.
 */
import { randomBytes } from 'node:crypto'
import type { HttpClient, HttpRequest, HttpResponse, Origin } from '#net/http.ts'
import { answerOf } from '#template/answers.ts'
import type { Lookup } from '#template/dsl-value.ts'
import { evaluateOperators, type Match } from '#template/matcher.ts'
import type { HttpBlock, Template } from '#template/template.ts'

export interface Calibration {
  /** Answers to a random page, a random `.php` page and a random folder; those that failed are left out. */
  readonly nonsense: readonly HttpResponse[]
}

/** A template that waits for the answer of a request. */
export interface Listener {
  readonly template: Template
  readonly block: HttpBlock
  readonly lookup: Lookup
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

/**
 * A page that repeats its visitors' markup does so under every path, and that is what a check for it
 * says; one for a certain product says more than it saw.
 */
export function isReflection({ isSpecific, info }: Template, { isProof }: Match): boolean {
  return isProof && !isSpecific && info.cves.length === 0 && info.tags.includes('xss')
}

/**
 * A host may answer one program's questions under every path. Where the question lies in the body, one
 * without sense shows that; null for a request without a body, and where the host only repeats it.
 */
export function bodyControlOf(request: HttpRequest, basePath: string, { spans }: Match): HttpRequest | null {
  const body = request.body === undefined ? '' : Buffer.from(request.body).toString('latin1')
  if (body === '' || spans.length === 0 || spans.some((span) => body.includes(span))) return null
  const control = controlOf(request, basePath)
  return control && { ...control, body: Buffer.from(nonsenseWord(), 'latin1') }
}

/** Whether the same matcher hits on another answer. */
export function matchesToo(response: HttpResponse, origin: Origin, { block, lookup }: Listener, match: Match): boolean {
  const answer = answerOf(
    { origin, path: '/', request: { method: 'GET', path: '/' }, response },
    lookup,
    block.bodyBytesMax,
  )
  return evaluateOperators(block.operators, answer).some((other) => isSameEvidence(match, other))
}

/** Whether what proved one match also proves the other, and nothing more was seen. */
export function isSameEvidence({ name, proofs }: Match, other: Match): boolean {
  return other.name === name && proofs.every((proof) => other.proofs.includes(proof))
}

function nonsenseWord(): string {
  return `g${randomBytes(7).toString('hex')}`
}
