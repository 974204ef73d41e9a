/**
 * Verifies a match on one response: a match that also occurs for control requests proves
 * nothing.
 */
import {
  bodyControlRequestFor,
  controlRequestFor,
  matchesCalibration,
  isReflection,
  matchesResponse,
  needsControl,
  type Calibration,
  type Listener,
} from '#template/calibration.ts'
import type { Match } from '#template/matcher.ts'
import type { Exchange } from '#template/redirects.ts'
import type { ServiceRun } from '#template/service-run.ts'
import { isSharedPath } from '#template/selection.ts'

/** Why a match proves nothing, as shown to the operator. */
export const doubtReasons = {
  shared: 'the path is not specific to the product',
  everywhere: 'the service responds to nonexistent paths in the same way',
  echo: 'a control request gets the same match',
  delay: 'the delay could not be reproduced',
} as const
export type Doubt = keyof typeof doubtReasons
/** `unknown` when a control request went unanswered, so that the check is incomplete. */
export type Verdict = 'true' | 'unknown' | Doubt

interface VerificationContext {
  readonly run: ServiceRun
  readonly calibration: Calibration
  readonly basePath: string
  /** Names of the products identified on the service. */
  readonly names: ReadonlySet<string>
}

/**
 * Whether a match is genuine rather than a response to any request.
 *
 * @param path requested by the check; redirects may have led elsewhere
 * @throws only when the run's signal aborts
 */
export async function verifyMatch(
  { run: { tools, origin, signal }, calibration, basePath, names }: VerificationContext,
  path: string,
  { response, request }: Exchange,
  listener: Listener,
  match: Match,
): Promise<Verdict> {
  if (tools.acceptsEveryMatch) return 'true'
  // The front page always exists, so no control is needed unless the request had a body.
  const isFront = path === basePath || path === '/'
  if (isFront && request.body === undefined) return 'true'
  if (isSharedPath(listener.template, names, path)) return 'shared'
  if (isFront) return 'true'
  if (matchesCalibration(calibration, origin, listener, match)) return 'everywhere'
  if (!needsControl(calibration, response.status)) return 'true'
  const control = controlRequestFor(request, basePath)
  if (!control) return 'true'
  const answer = await tools.http.request(origin, control, { signal })
  if (answer.kind === 'failure') return calibration.responses.length === 0 && match.isProof ? 'true' : 'unknown'
  if (!matchesResponse(answer, origin, listener, match) || isReflection(listener.template, match)) return 'true'
  const bodyControl = bodyControlRequestFor(request, basePath, match)
  const other = bodyControl && (await tools.http.request(origin, bodyControl, { signal }))
  return other?.kind === 'response' && !matchesResponse(other, origin, listener, match) ? 'true' : 'echo'
}
