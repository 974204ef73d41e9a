/** Runs the sequential checks of one service, a few concurrently. */
import type { HttpRequest } from '#net/http-message.ts'
import type { DslValue } from '#template/dsl-value.ts'
import type { Calibration } from '#template/calibration.ts'
import { requestBuildersOf } from '#template/request-builders.ts'
import type { Chain } from '#template/redirects.ts'
import type { Health } from '#template/health.ts'
import { payloadLimits } from '#template/payloads.ts'
import { createPendingCallbacks, awaitCallbacks, type PendingCallbacks } from '#template/pending-callbacks.ts'
import { rankOf } from '#template/relevance.ts'
import { appliesTo, isForeignPath } from '#template/selection.ts'
import type { SharedClient } from '#template/shared-client.ts'
import { toFinding } from '#template/finding.ts'
import type { ServiceEvent, ServiceRun } from '#template/service-run.ts'
import { createState, type State } from '#template/sequence-state.ts'
import { verifyStepMatch } from '#template/sequence-verification.ts'
import { runSequence, type SequenceTools, type StepMatch } from '#template/sequence.ts'
import type { Template } from '#template/template.ts'
import { withSupplied, withRandom } from '#template/variables.ts'

/** Concurrent checks per origin; the client may allow fewer requests. */
const SIDE_BY_SIDE = 8

interface Circumstances {
  readonly calibration: Calibration
  readonly basePath: string
  readonly variables: ReadonlyMap<string, DslValue>
  readonly health: Health
  readonly client: SharedClient
  /** Names of the products identified on the service. */
  readonly names: ReadonlySet<string>
  readonly sequences: readonly Template[]
  /** There are so few checks that all of them run. */
  readonly isSmall: boolean
}

/** @throws only when the run's signal aborts */
export async function* runSequences(run: ServiceRun, around: Circumstances): AsyncIterable<ServiceEvent> {
  const waiting = inOrder(run, around)
  const rest = waiting.values()
  const under = new Map<State, Promise<readonly ServiceEvent[]>>()
  const calls = createPendingCallbacks()
  const start = () => {
    while (around.health.stopReason() === null) {
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
    yield* awaitCallbacks(run, calls)
  } finally {
    for (const left of under.values()) left.catch(() => undefined)
    // Callback addresses that were never sent or never awaited.
    for (const { state } of waiting) if (state.callback) run.tools.callbacks?.forget(state.callback.id)
  }
}

interface Waiting {
  readonly state: State
  /** The first request; null when it varies. */
  readonly first: HttpRequest | null
  /** Lower runs first. */
  readonly rank: number
}

/** Groups checks with the same first request, so that its response is cached only briefly. */
function inOrder(run: ServiceRun, { variables, basePath, names, sequences }: Circumstances): Waiting[] {
  const guesses = payloadLimits[run.tools.profile].credentials > 0
  const place = withSupplied(
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
  return (block && requestBuildersOf(block)[0]?.write(basePath, lookup)) ?? null
}

/**
 * Whether to run a check. One that starts with a cached response, and only continues if that
 * matches, costs nothing to start.
 */
function isWorthIts({ state, first }: Waiting, run: ServiceRun, { names, client, isSmall }: Circumstances): boolean {
  const { template } = state
  // Malformed requests and login attempts are only sent to the product that they target.
  if (template.isUnsafe && !(template.isSpecific && appliesTo(template, names))) return false
  if (template.isGuessing && !appliesTo(template, names)) return false
  if (!isSmall && first && isForeignPath(first.path, names, run.tools.profile)) return false
  if (run.tools.profile === 'deep' || isSmall || appliesTo(template, names)) return true
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
  calls: PendingCallbacks,
): Promise<readonly ServiceEvent[]> {
  const events: ServiceEvent[] = []
  const settle = async (step: StepMatch) => {
    const judged = await verifyStepMatch(run, step, around)
    if (judged === 'unknown') state.isBroken = true
    if (judged === 'true') state.proved.push(step.exchange.request.path)
    if (judged === 'true' && !step.match.isSilent)
      events.push(toFinding(run, step.exchange, state.template, step.match))
    return judged === 'true'
  }
  const goesOn = (chain: Chain) => {
    around.health.note(chain)
    return around.health.stopReason() === null
  }
  const awaitCall: SequenceTools['awaitCall'] = (call) => calls.add(call)
  const { basePath, client, names } = around
  const foreign = (request: HttpRequest) => !around.isSmall && isForeignPath(request.path, names, run.tools.profile)
  await runSequence(state, { run, basePath, client, isForeign: foreign, goesOn, settle, awaitCall })
  const isFinished = !state.isBroken && !state.isDone && !state.isCut
  if (calls.has(state)) calls.whenSettled(state, isFinished)
  else events.push({ kind: 'ended', isFinished, check: state.template.id })
  return events
}
