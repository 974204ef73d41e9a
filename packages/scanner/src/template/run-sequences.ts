/** Runs the checks of one service whose requests follow on each other, a few checks side by side. */
import type { HttpRequest } from '#net/http.ts'
import type { DslValue } from '#template/dsl-value.ts'
import type { Calibration } from '#template/calibration.ts'
import { questionsOf } from '#template/questions.ts'
import type { Chain } from '#template/redirects.ts'
import type { Health } from '#template/health.ts'
import { payloadLimits } from '#template/payloads.ts'
import { createCallList, settleCalls, type CallList } from '#template/calls.ts'
import { rankOf } from '#template/relevance.ts'
import { concernsNames, isForeign } from '#template/selection.ts'
import type { SharedClient } from '#template/shared-client.ts'
import { found } from '#template/finding.ts'
import type { ServiceEvent, ServiceRun } from '#template/run.ts'
import { createState, type State } from '#template/sequence-state.ts'
import { judgeStep } from '#template/sequence-verdict.ts'
import { runSequence, type SequenceTools, type StepMatch } from '#template/sequence.ts'
import type { Template } from '#template/template.ts'
import { withGiven, withRandom } from '#template/variables.ts'

/** Checks under way on one origin; the client may allow fewer requests. */
const SIDE_BY_SIDE = 8

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
    const judged = await judgeStep(run, step, around)
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
