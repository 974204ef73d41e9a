/** Runs the checks of one service whose requests follow on each other, a few checks side by side. */
import type { HttpRequest, HttpResponse } from '#net/http.ts'
import type { DslValue } from '#template/dsl-value.ts'
import { controlOf, needsControl, type Calibration } from '#template/calibration.ts'
import { follow, questionsOf, type Chain } from '#template/http.ts'
import type { Health } from '#template/health.ts'
import { evaluateOperators } from '#template/matcher.ts'
import { payloadLimits } from '#template/payloads.ts'
import { requestKey } from '#template/plan.ts'
import { rankOf, recognised } from '#template/relevance.ts'
import { found } from '#template/finding.ts'
import type { ServiceEvent, ServiceRun } from '#template/run.ts'
import {
  answerAt,
  createState,
  runSequence,
  type SequenceTools,
  type State,
  type StepMatch,
} from '#template/sequence.ts'
import type { Matcher, Template } from '#template/template.ts'
import { confirmDelay, delaysOf, looksAtTime } from '#template/timing.ts'
import { withRandom } from '#template/variables.ts'

/** Checks under way on one origin; the client may allow fewer requests. */
const SIDE_BY_SIDE = 6
/** Controls asked for one match. */
const CONTROLS_MAX = 6

interface Circumstances {
  readonly calibration: Calibration
  readonly basePath: string
  readonly variables: ReadonlyMap<string, DslValue>
  readonly health: Health
}

/** @throws only when the run's signal aborts */
export async function* runSequences(run: ServiceRun, around: Circumstances): AsyncIterable<ServiceEvent> {
  const queue = inOrder(run, around)
  const answers = sharedAnswers(run, queue)
  const rest = queue.values()
  const under = new Map<State, Promise<readonly ServiceEvent[]>>()
  const start = () => {
    const next = around.health.trouble() === null ? rest.next() : { done: true as const }
    if (next.done) return
    const { state } = next.value
    under.set(state, runOne(run, state, around, answers))
  }
  try {
    for (let at = 0; at < SIDE_BY_SIDE; at++) start()
    while (under.size > 0) {
      const [state, events] = await Promise.race(
        [...under].map(async ([key, promise]) => [key, await promise] as const),
      )
      under.delete(state)
      yield* events
      start()
    }
    for (const { state } of rest) yield { kind: 'ended', isFinished: false, check: state.template.info.id }
  } finally {
    for (const left of under.values()) left.catch(() => undefined)
  }
}

interface Waiting {
  readonly state: State
  /** What the first request is told apart by; empty when its answer is not shared. */
  readonly firstKey: string
  /** Lower comes first. */
  readonly rank: number
}

/** Checks with the same first request stand together, so that its answer is kept for a short while only. */
function inOrder(run: ServiceRun, { variables, basePath }: Circumstances): Waiting[] {
  const names = recognised(run.service.technologies)
  const guesses = payloadLimits[run.tools.profile].credentials > 0
  const waiting = run.plan.templates
    .filter(({ isSequence, http, isGuessing }) => isSequence && http.length > 0 && (guesses || !isGuessing))
    .map((template) => ({ ...waitingFor(template, variables, basePath), rank: rankOf(template, names) }))
  return waiting.toSorted((left, right) => left.rank - right.rank || compare(left.firstKey, right.firstKey))
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

function waitingFor(
  template: Template,
  variables: Circumstances['variables'],
  basePath: string,
): Omit<Waiting, 'rank'> {
  const state = createState(
    template,
    withRandom((name) => variables.get(name)),
  )
  const [block] = template.http
  const request = block && questionsOf(block)[0]?.write(basePath, state.lookup)
  const isShared = request?.method === 'GET' && request.body === undefined
  return { state, firstKey: block && isShared ? requestKey(request, block) : '' }
}

/** Sends equal first requests once and forgets an answer when all that wanted it have it. */
function sharedAnswers({ tools, origin, signal }: ServiceRun, queue: readonly Waiting[]): SequenceTools['askFirst'] {
  const wanted = Map.groupBy(queue, ({ firstKey }) => firstKey)
  const left = new Map([...wanted].map(([key, { length }]) => [key, length]))
  const known = new Map<string, Promise<Chain>>()
  return (request, block) => {
    const { redirects: policy, redirectsMax } = block
    const ask = () => follow(tools.http, origin, request, { policy, redirectsMax, signal })
    const key = requestKey(request, block)
    const count = left.get(key) ?? 0
    const chain = known.get(key) ?? ask()
    left.set(key, count - 1)
    if (count > 1) known.set(key, chain)
    else known.delete(key)
    return chain
  }
}

async function runOne(
  run: ServiceRun,
  state: State,
  around: Circumstances,
  askFirst: SequenceTools['askFirst'],
): Promise<readonly ServiceEvent[]> {
  const events: ServiceEvent[] = []
  const settle = async (step: StepMatch) => {
    const judged = await judge(run, step, around)
    if (judged === 'unknown') state.isBroken = true
    if (judged === 'true' && !step.match.isSilent) events.push(found(run, step.exchange, state.template, step.match))
    return judged === 'true'
  }
  const goesOn = (chain: Chain) => {
    around.health.note(chain)
    return around.health.trouble() === null
  }
  await runSequence(state, { run, basePath: around.basePath, askFirst, goesOn, settle })
  events.push({ kind: 'ended', isFinished: !state.isBroken && !state.isDone, check: state.template.info.id })
  return events
}

/** Whether a match stands, or would come out for questions that make no sense, too. */
async function judge(
  { tools, origin, signal }: ServiceRun,
  step: StepMatch,
  { calibration, basePath }: Circumstances,
): Promise<'true' | 'nonsense' | 'unknown'> {
  if (step.block.operators.matchers.some(looksAtTime)) return judgeDelay(tools, origin, signal, step)
  const guessed = guessedSteps(step, basePath)
  if (guessed.length === 0) return 'true'
  if (calibration.nonsense.some((response) => holdsWith(step, () => response, guessed))) return 'nonsense'
  if (!needsControl(calibration, step.exchange.response.status)) return 'true'
  const controls = new Map<number, HttpResponse>()
  for (const at of guessed.slice(-CONTROLS_MAX)) {
    const control = controlFor(step, at, basePath)
    if (!control) return 'true'
    const answer = await tools.http.request(origin, control, { signal })
    if (answer.kind === 'failure') return calibration.nonsense.length === 0 && step.match.isProof ? 'true' : 'unknown'
    controls.set(at, answer)
  }
  return holdsWith(step, (at) => controls.get(at), guessed) ? 'nonsense' : 'true'
}

/** A match that rests on time stands when other delays bring about other times. */
async function judgeDelay(
  { http }: ServiceRun['tools'],
  origin: ServiceRun['origin'],
  signal: AbortSignal,
  { state, block, at }: StepMatch,
): Promise<'true' | 'nonsense' | 'unknown'> {
  const ask = async (request: HttpRequest, deadlineMs: number) => {
    const answer = await http.request(origin, state.jar.dress(request), { signal, deadlineMs })
    return answer.kind === 'response' ? answer : null
  }
  const delays = delaysOf(block.operators.matchers)
  for (const delay of delays) {
    const request = state.steps[delay.request === null ? at : delay.request - 1]?.request
    const verdict = request ? await confirmDelay(request, delay.seconds, ask) : 'unknown'
    if (verdict !== 'true') return verdict === 'false' ? 'nonsense' : 'unknown'
  }
  return delays.length > 0 ? 'true' : 'unknown'
}

/** The steps that the block's matchers look at, but for the front page: nothing was guessed in asking for it. */
function guessedSteps({ state, block, at }: StepMatch, basePath: string): number[] {
  const looked = new Set(block.operators.matchers.flatMap((matcher) => stepsOf(matcher, at)))
  if (looked.size === 0) looked.add(at)
  return [...looked].filter((one) => {
    const path = state.steps[one]?.request.path
    return path !== undefined && path !== basePath && path !== '/'
  })
}

/** A name with a number speaks of that step, any other of the present one. */
function stepsOf(matcher: Matcher, at: number): number[] {
  const names = matcher.type === 'dsl' ? matcher.expressions.flatMap((one) => [...one.names]) : [matcher.part]
  return names.map((name) => {
    const number = /_(\d{1,3})$/.exec(name)?.[1]
    return number === undefined ? at : Number(number) - 1
  })
}

function controlFor({ state }: StepMatch, at: number, basePath: string): HttpRequest | null {
  const request = state.steps[at]?.request
  return request ? controlOf(state.jar.dress(request), basePath) : null
}

/** Whether the same matcher hits when the guessed steps had been answered in another way. */
function holdsWith(
  { state, block, at, exchange, match }: StepMatch,
  answerOfStep: (at: number) => HttpResponse | undefined,
  guessed: readonly number[],
): boolean {
  const steps = state.steps.map((step, index) => {
    const response = step && guessed.includes(index) ? answerOfStep(index) : undefined
    return step && response ? { ...step, exchange: { ...step.exchange, path: '/', response } } : step
  })
  const present = steps[at]?.exchange ?? exchange
  const answer = answerAt(state, block, present, steps)
  return evaluateOperators(block.operators, answer).some(({ name }) => name === match.name)
}
