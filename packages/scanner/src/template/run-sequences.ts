/** Runs the checks of one service whose requests follow on each other, a few checks side by side. */
import type { HttpRequest, HttpResponse } from '#net/http.ts'
import type { DslValue } from '#template/dsl-value.ts'
import {
  bodyControlOf,
  controlOf,
  isReflection,
  isSameEvidence,
  needsControl,
  type Calibration,
} from '#template/calibration.ts'
import { questionsOf } from '#template/questions.ts'
import type { Chain } from '#template/redirects.ts'
import type { Health } from '#template/health.ts'
import { evaluateOperators } from '#template/matcher.ts'
import { payloadLimits } from '#template/payloads.ts'
import { createCallList, settleCalls, type CallList } from '#template/calls.ts'
import { rankOf } from '#template/relevance.ts'
import { concernsNames, isBorrowed, isForeign } from '#template/selection.ts'
import type { SharedClient } from '#template/shared-client.ts'
import { found } from '#template/finding.ts'
import type { ServiceEvent, ServiceRun } from '#template/run.ts'
import { answerAt, createState, type State } from '#template/sequence-state.ts'
import { runSequence, type SequenceTools, type StepMatch } from '#template/sequence.ts'
import type { Matcher, Template } from '#template/template.ts'
import { confirmDelay, delaysOf, looksAtTime } from '#template/timing.ts'
import { withGiven, withRandom } from '#template/variables.ts'

/** Checks under way on one origin; the client may allow fewer requests. */
const SIDE_BY_SIDE = 8
/** Controls asked for one match. */
const CONTROLS_MAX = 6

interface Circumstances {
  readonly calibration: Calibration
  readonly basePath: string
  readonly variables: ReadonlyMap<string, DslValue>
  readonly health: Health
  readonly client: SharedClient
  /** Names of what was recognised on the service. */
  readonly names: ReadonlySet<string>
  readonly sequences: readonly Template[]
  /** There are so few checks that all may be asked. */
  readonly isSmall: boolean
}

/** @throws only when the run's signal aborts */
export async function* runSequences(run: ServiceRun, around: Circumstances): AsyncIterable<ServiceEvent> {
  const waiting = inOrder(run, around)
  const rest = waiting.values()
  const under = new Map<State, Promise<readonly ServiceEvent[]>>()
  const calls = createCallList()
  const start = () => {
    while (around.health.trouble() === null) {
      const next = rest.next()
      if (next.done) return
      const { state } = next.value
      if (!isWorthIts(next.value, run, around)) continue
      under.set(state, runOne(run, state, around, calls))
      return
    }
  }
  try {
    for (let at = 0; at < SIDE_BY_SIDE; at++) start()
    while (under.size > 0) {
      const [state, events] = await Promise.race(
        [...under].map(async ([key, promise]) => [key, await promise] as const),
      )
      under.delete(state)
      start()
      yield* events
    }
    for (const { state } of rest) yield { kind: 'ended', isFinished: false, check: state.template.id }
    yield* settleCalls(run, calls)
  } finally {
    for (const left of under.values()) left.catch(() => undefined)
    // Addresses that were made and never sent, or that no matcher waited for.
    for (const { state } of waiting) if (state.callback) run.tools.callbacks?.forget(state.callback.id)
  }
}

interface Waiting {
  readonly state: State
  /** The first request; null for one that is not the same each time. */
  readonly first: HttpRequest | null
  /** Lower comes first. */
  readonly rank: number
}

/** Checks with the same first request stand together, so that its answer is kept for a short while only. */
function inOrder(run: ServiceRun, { variables, basePath, names, sequences }: Circumstances): Waiting[] {
  const guesses = payloadLimits[run.tools.profile].credentials > 0
  const place = withGiven(
    run.tools.given,
    withRandom((name) => variables.get(name)),
  )
  const waiting = sequences
    .filter(({ isGuessing }) => guesses || !isGuessing)
    .map((template): Waiting & { key: string } => {
      const [written] = template.questions[0] ?? []
      const state = createState(template, place, run.tools.callbacks)
      const rank = (template.isUnsafe ? 4 : 0) + (template.isIntrusive ? 2 : 0) + rankOf(template, names)
      return { state, rank, key: written ?? '', first: written ? firstOf(state, basePath) : null }
    })
  return waiting.toSorted((left, right) => left.rank - right.rank || compare(left.key, right.key))
}

function firstOf({ template, lookup }: State, basePath: string): HttpRequest | null {
  const [block] = template.http
  return (block && questionsOf(block)[0]?.write(basePath, lookup)) ?? null
}

/**
 * Whether a check is worth its requests. One that begins with an answer that is at hand, and goes on
 * only where that fits, costs nothing to begin.
 */
function isWorthIts({ state, first }: Waiting, run: ServiceRun, { names, client, isSmall }: Circumstances): boolean {
  const { template } = state
  // Bytes that bend the rules and tries to sign in are for the product alone that they are written for.
  if (template.isUnsafe && !(template.isSpecific && concernsNames(template, names))) return false
  if (template.isGuessing && !concernsNames(template, names)) return false
  if (!isSmall && first && isForeign(first.path, names, run.tools.profile)) return false
  if (run.tools.profile === 'deep' || isSmall || concernsNames(template, names)) return true
  const begins = template.http[0]
  const isGated = template.flow?.kind === 'and' && begins?.paths.length === 1 && begins.payloads === null
  return isGated && first !== null && client.knows(run.origin, first)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

async function runOne(
  run: ServiceRun,
  state: State,
  around: Circumstances,
  calls: CallList,
): Promise<readonly ServiceEvent[]> {
  const events: ServiceEvent[] = []
  const settle = async (step: StepMatch) => {
    const judged = await judge(run, step, around)
    if (judged === 'unknown') state.isBroken = true
    if (judged === 'true') state.proved.push(step.exchange.request.path)
    if (judged === 'true' && !step.match.isSilent) events.push(found(run, step.exchange, state.template, step.match))
    return judged === 'true'
  }
  const goesOn = (chain: Chain) => {
    around.health.note(chain)
    return around.health.trouble() === null
  }
  const awaitCall: SequenceTools['awaitCall'] = (call) => calls.add(call)
  const { basePath, client, names } = around
  const foreign = (request: HttpRequest) => !around.isSmall && isForeign(request.path, names, run.tools.profile)
  await runSequence(state, { run, basePath, client, isForeign: foreign, goesOn, settle, awaitCall })
  const isFinished = !state.isBroken && !state.isDone && !state.isCut
  if (calls.has(state)) calls.whenSettled(state, isFinished)
  else events.push({ kind: 'ended', isFinished, check: state.template.id })
  return events
}

/** Whether a match stands, or would come out for questions that make no sense, too. */
async function judge(
  { tools, origin, signal }: ServiceRun,
  whole: StepMatch,
  { calibration, basePath, names }: Circumstances,
): Promise<'true' | 'nonsense' | 'unknown'> {
  const step = withoutTime(whole)
  if (!step) return judgeDelay(tools, origin, signal, whole)
  const guessed = guessedSteps(step, basePath)
  if (guessed.length === 0) return 'true'
  const paths = [...step.state.proved, step.exchange.request.path]
  if (paths.every((path) => isBorrowed(step.state.template, names, path))) return 'nonsense'
  if (calibration.nonsense.some((response) => holdsWith(step, () => response, guessed))) return 'nonsense'
  if (!needsControl(calibration, step.exchange.response.status)) return 'true'
  const asked = guessed.slice(-CONTROLS_MAX)
  const ask = (write: (at: number) => HttpRequest | null) => answersTo({ tools, origin, signal }, asked, write)
  const controls = await ask((at) => controlFor(step, at, basePath))
  if (controls === 'none') return 'true'
  if (controls === 'failed') return calibration.nonsense.length === 0 && step.match.isProof ? 'true' : 'unknown'
  if (!holdsWith(step, (at) => controls.get(at), guessed) || isReflection(step.state.template, step.match))
    return 'true'
  const others = await ask((at) => {
    const request = step.state.steps[at]?.request
    return request ? bodyControlOf(step.state.jar.dress(request), basePath, step.match) : null
  })
  return typeof others === 'object' && !holdsWith(step, (at) => others.get(at), guessed) ? 'true' : 'nonsense'
}

/** The same match by what does not rest on time; null where nothing else led to it. */
function withoutTime(step: StepMatch): StepMatch | null {
  const { state, block, exchange, match } = step
  const { operators } = block
  const matchers = operators.matchers.filter((matcher) => !looksAtTime(matcher))
  if (matchers.length === operators.matchers.length) return step
  if (operators.condition === 'and' || matchers.length === 0) return null
  const rest = { ...block, operators: { ...operators, matchers } }
  const [other] = evaluateOperators(rest.operators, answerAt(state, rest, exchange)).filter(
    ({ name }) => name === match.name,
  )
  return other ? { ...step, block: rest, match: other } : null
}

/** Answers to controls by their steps; `none` where one cannot be written, `failed` where one was not answered. */
async function answersTo(
  { tools, origin, signal }: Pick<ServiceRun, 'tools' | 'origin' | 'signal'>,
  steps: readonly number[],
  write: (at: number) => HttpRequest | null,
): Promise<ReadonlyMap<number, HttpResponse> | 'none' | 'failed'> {
  const answers = new Map<number, HttpResponse>()
  for (const at of steps) {
    const control = write(at)
    if (!control) return 'none'
    const answer = await tools.http.request(origin, control, { signal })
    if (answer.kind === 'failure') return 'failed'
    answers.set(at, answer)
  }
  return answers
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
  return evaluateOperators(block.operators, answer).some((other) => isSameEvidence(match, other))
}
