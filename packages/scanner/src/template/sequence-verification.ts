/**
 * Verifies matches of sequential checks: repeats the relevant steps with control requests, and
 * time-based matches with other delays.
 */
import type { HttpRequest, HttpResponse } from '#net/http-message.ts'
import {
  bodyControlRequestFor,
  controlRequestFor,
  isReflection,
  isSameEvidence,
  needsControl,
  type Calibration,
} from '#template/calibration.ts'
import { evaluateOperators } from '#template/matcher.ts'
import type { ServiceRun } from '#template/service-run.ts'
import { isSharedPath } from '#template/selection.ts'
import { answerAt } from '#template/sequence-state.ts'
import type { StepMatch } from '#template/sequence.ts'
import type { Matcher } from '#template/template.ts'
import { confirmDelay, delaysOf, isTimeMatcher } from '#template/timing.ts'
import type { Verdict } from '#template/match-verification.ts'

/** Maximum number of control requests per match. */
const CONTROLS_MAX = 6

interface VerificationContext {
  readonly calibration: Calibration
  readonly basePath: string
  /** Names of the products identified on the service. */
  readonly names: ReadonlySet<string>
}

/**
 * Whether a match is genuine, and would not also occur for control requests.
 *
 * @throws only when the run's signal aborts
 */
export async function verifyStepMatch(
  { tools, origin, signal }: ServiceRun,
  stepMatch: StepMatch,
  { calibration, basePath, names }: VerificationContext,
): Promise<Verdict> {
  if (tools.acceptsEveryMatch) return 'true'
  const step = withoutTime(stepMatch)
  if (!step) return verifyDelay(tools, origin, signal, stepMatch)
  const guessedIndexes = guessedSteps(step, basePath)
  if (guessedIndexes.length === 0) return 'true'
  const paths = [...step.state.provenPaths, step.exchange.request.path]
  if (paths.every((path) => isSharedPath(step.state.template, names, path))) return 'shared'
  if (calibration.responses.some((response) => matchesWith(step, () => response, guessedIndexes))) return 'everywhere'
  if (!needsControl(calibration, step.exchange.response.status)) return 'true'
  const inspectedSteps = guessedIndexes.slice(-CONTROLS_MAX)
  const requestControls = (write: (at: number) => HttpRequest | null) =>
    sendControls({ tools, origin, signal }, inspectedSteps, write)
  const controls = await requestControls((at) => controlFor(step, at, basePath))
  if (controls === 'none') return 'true'
  if (controls === 'failed') return calibration.responses.length === 0 && step.match.isProof ? 'true' : 'unknown'
  if (!matchesWith(step, (at) => controls.get(at), guessedIndexes) || isReflection(step.state.template, step.match))
    return 'true'
  const others = await requestControls((at) => {
    const request = step.state.steps[at]?.request
    return request ? bodyControlRequestFor(step.state.jar.addCookies(request), basePath, step.match) : null
  })
  return typeof others === 'object' && !matchesWith(step, (at) => others.get(at), guessedIndexes) ? 'true' : 'echo'
}

/** The same match without its time-based part; null if nothing else led to it. */
function withoutTime(step: StepMatch): StepMatch | null {
  const { state, block, exchange, match } = step
  const { operators } = block
  const matchers = operators.matchers.filter((matcher) => !isTimeMatcher(matcher))
  if (matchers.length === operators.matchers.length) return step
  if (operators.condition === 'and' || matchers.length === 0) return null
  const rest = { ...block, operators: { ...operators, matchers } }
  const [other] = evaluateOperators(rest.operators, answerAt(state, rest, exchange), state.unit).filter(
    ({ name }) => name === match.name,
  )
  return other ? { ...step, block: rest, match: other } : null
}

/**
 * Control responses by step; `none` when a control can't be built, `failed` when it went
 * unanswered.
 */
async function sendControls(
  { tools, origin, signal }: Pick<ServiceRun, 'tools' | 'origin' | 'signal'>,
  steps: readonly number[],
  write: (at: number) => HttpRequest | null,
): Promise<ReadonlyMap<number, HttpResponse> | 'none' | 'failed'> {
  const answers = new Map<number, HttpResponse>()
  for (const at of steps) {
    const control = write(at)
    if (!control) return 'none'
    const response = await tools.http.request(origin, control, { signal })
    if (response.kind === 'failure') return 'failed'
    answers.set(at, response)
  }
  return answers
}

/** A time-based match is genuine when other delays cause other response times. */
async function verifyDelay(
  { http }: ServiceRun['tools'],
  origin: ServiceRun['origin'],
  signal: AbortSignal,
  { state, block, at }: StepMatch,
): Promise<Verdict> {
  const sendRequest = async (request: HttpRequest, deadlineMs: number) => {
    const response = await http.request(origin, state.jar.addCookies(request), { signal, deadlineMs })
    return response.kind === 'response' ? response : null
  }
  const delays = delaysOf(block.operators.matchers)
  for (const delay of delays) {
    const request = state.steps[delay.request === null ? at : delay.request - 1]?.request
    const verdict = request ? await confirmDelay(request, delay.seconds, sendRequest) : 'unknown'
    if (verdict !== 'true') return verdict === 'false' ? 'delay' : 'unknown'
  }
  return delays.length > 0 ? 'true' : 'unknown'
}

/** Steps that the block's matchers inspect, except the front page, which always exists. */
function guessedSteps({ state, block, at }: StepMatch, basePath: string): number[] {
  const inspected = new Set(block.operators.matchers.flatMap((matcher) => stepsOf(matcher, at)))
  if (inspected.size === 0) inspected.add(at)
  return [...inspected].filter((one) => {
    const path = state.steps[one]?.request.path
    return path !== undefined && path !== basePath && path !== '/'
  })
}

/** A numbered name refers to that step, any other to the current one. */
function stepsOf(matcher: Matcher, at: number): number[] {
  const names =
    matcher.type === 'dsl' ? matcher.expressions.flatMap((expression) => [...expression.names]) : [matcher.part]
  return names.map((name) => {
    const number = /_(\d{1,3})$/.exec(name)?.[1]
    return number === undefined ? at : Number(number) - 1
  })
}

function controlFor({ state }: StepMatch, at: number, basePath: string): HttpRequest | null {
  const request = state.steps[at]?.request
  return request ? controlRequestFor(state.jar.addCookies(request), basePath) : null
}

/** Whether the matcher also matches with the control responses. */
function matchesWith(
  { state, block, at, exchange, match }: StepMatch,
  responseOf: (at: number) => HttpResponse | undefined,
  guessedIndexes: readonly number[],
): boolean {
  const steps = state.steps.map((step, index) => {
    const response = step && guessedIndexes.includes(index) ? responseOf(index) : undefined
    return step && response ? { ...step, exchange: { ...step.exchange, path: '/', response } } : step
  })
  const present = steps[at]?.exchange ?? exchange
  const answer = answerAt(state, block, present, steps)
  return evaluateOperators(block.operators, answer, state.unit).some((other) => isSameEvidence(match, other))
}
