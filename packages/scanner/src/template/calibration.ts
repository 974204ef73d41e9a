/**
 * Calibration: learns how a host responds to nonexistent resources. A match that also occurs there
 * proves nothing, because many hosts return 200 for everything or echo the request.
 */
import { randomBytes } from 'node:crypto'
import type { HttpClient } from '#net/http.ts'
import type { HttpRequest, HttpResponse, Origin } from '#net/http-message.ts'
import { responseParts } from '#template/response-parts.ts'
import type { Lookup } from '#template/dsl-value.ts'
import { evaluateOperators, type Match } from '#template/matcher.ts'
import type { HttpBlock, Template } from '#template/template.ts'
import type { Unit } from '#unit.ts'
import { withoutTrailingSlashes } from '#template/request-target.ts'

export interface Calibration {
  /**
   * Responses for a random page, a random `.php` page, and a random folder; failed requests are
   * omitted.
   */
  readonly responses: readonly HttpResponse[]
}

/** A template waiting for the response to a request. */
export interface Listener {
  readonly template: Template
  readonly block: HttpBlock
  readonly lookup: Lookup
  readonly unit: Unit
}

/** @throws only when `signal` aborts, with its reason */
export async function calibrate(
  client: HttpClient,
  origin: Origin,
  basePath: string,
  signal: AbortSignal,
): Promise<Calibration> {
  const base = withoutTrailingSlashes(basePath)
  const paths = [`${base}/${randomName()}`, `${base}/${randomName()}.php`, `${base}/${randomName()}/`]
  const results = await Promise.all(paths.map((path) => client.request(origin, { method: 'GET', path }, { signal })))
  return { responses: results.filter((result) => result.kind === 'response') }
}

/** Whether the match would also occur on a nonexistent page. */
export function matchesCalibration(
  calibration: Calibration,
  origin: Origin,
  listener: Listener,
  match: Match,
): boolean {
  return calibration.responses.some((response) => matchesResponse(response, origin, listener, match))
}

/**
 * Whether a control request is needed: the host returns the matched status for nonexistent pages
 * too, or did not respond to the calibration requests.
 */
export function needsControl(calibration: Calibration, status: number): boolean {
  return calibration.responses.length === 0 || calibration.responses.some((response) => response.status === status)
}

/** The path decides what these methods return. Others, such as PURGE, apply to paths that don't exist too. */
const methodsOfPages: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * The same request below a nonexistent folder, or with a nonexistent method. Exposes hosts that echo the request.
 *
 * @returns null when such a request might be valid after all: a path with traversal
 */
export function controlRequestFor(request: HttpRequest, basePath: string): HttpRequest | null {
  if (!methodsOfPages.has(request.method)) return { ...request, method: 'GLACIS' }
  if (/\.\.|%2e|%252e/i.test(request.path)) return null
  const base = withoutTrailingSlashes(basePath)
  return { ...request, path: `${base}/${randomName()}${request.path.slice(base.length)}` }
}

/**
 * A page that reflects markup does so under every path, so a control request matches too. That
 * refutes a check for a specific product, but not a generic one for XSS.
 */
export function isReflection({ isSpecific, info }: Template, { isProof }: Match): boolean {
  return isProof && !isSpecific && info.cves.length === 0 && info.tags.includes('xss')
}

/**
 * Some hosts respond to any request body under every path. Replaces the body with a random
 * one; null for a request without a body and for hosts that merely echo it.
 */
export function bodyControlRequestFor(request: HttpRequest, basePath: string, { spans }: Match): HttpRequest | null {
  const body = request.body === undefined ? '' : Buffer.from(request.body).toString('latin1')
  if (body === '' || spans.length === 0 || spans.some((span) => body.includes(span))) return null
  const control = controlRequestFor(request, basePath)
  return control && { ...control, body: Buffer.from(randomName(), 'latin1') }
}

/** Whether the same matcher matches another response. */
export function matchesResponse(
  response: HttpResponse,
  origin: Origin,
  { block, lookup, unit }: Listener,
  match: Match,
): boolean {
  const parts = responseParts(
    { origin, path: '/', request: { method: 'GET', path: '/' }, response },
    lookup,
    block.bodyBytesMax,
  )
  return evaluateOperators(block.operators, parts, unit).some((other) => isSameEvidence(match, other))
}

/** Whether both matches rest on the same evidence. */
export function isSameEvidence({ name, proofs }: Match, other: Match): boolean {
  return other.name === name && proofs.every((proof) => other.proofs.includes(proof))
}

function randomName(): string {
  return `g${randomBytes(7).toString('hex')}`
}
