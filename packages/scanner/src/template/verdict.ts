/** Whether a match on one answer stands: what comes out for questions that make no sense proves nothing. */
import {
  bodyControlOf,
  controlOf,
  isNonsense,
  isReflection,
  matchesToo,
  needsControl,
  type Calibration,
  type Listener,
} from '#template/calibration.ts'
import type { Match } from '#template/matcher.ts'
import type { Exchange } from '#template/redirects.ts'
import type { ServiceRun } from '#template/run.ts'
import { isBorrowed } from '#template/selection.ts'

/** `unknown` where a control was not answered, so that the check has not come to its end. */
export type Verdict = 'true' | 'nonsense' | 'unknown'

interface Circumstances {
  readonly run: ServiceRun
  readonly calibration: Calibration
  readonly basePath: string
  /** Names of what was recognised on the service. */
  readonly names: ReadonlySet<string>
}

/**
 * Whether a match stands, or would come out for any question at all.
 *
 * @param path what the check asked for; redirects may have led elsewhere
 * @throws only when the run's signal aborts
 */
export async function judgeAnswer(
  { run: { tools, origin, signal }, calibration, basePath, names }: Circumstances,
  path: string,
  { response, request }: Exchange,
  listener: Listener,
  match: Match,
): Promise<Verdict> {
  // The front page is what it is: nothing was guessed in asking for it, unless something was sent along.
  const isFront = path === basePath || path === '/'
  if (isFront && request.body === undefined) return 'true'
  if (isBorrowed(listener.template, names, path)) return 'nonsense'
  if (isFront) return 'true'
  if (isNonsense(calibration, origin, listener, match)) return 'nonsense'
  if (!needsControl(calibration, response.status)) return 'true'
  const control = controlOf(request, basePath)
  if (!control) return 'true'
  const answer = await tools.http.request(origin, control, { signal })
  if (answer.kind === 'failure') return calibration.nonsense.length === 0 && match.isProof ? 'true' : 'unknown'
  if (!matchesToo(answer, origin, listener, match) || isReflection(listener.template, match)) return 'true'
  const bodyControl = bodyControlOf(request, basePath, match)
  const other = bodyControl && (await tools.http.request(origin, bodyControl, { signal }))
  return other?.kind === 'response' && !matchesToo(other, origin, listener, match) ? 'true' : 'nonsense'
}
