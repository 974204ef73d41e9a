/** Runs the sequential checks of one service, a few concurrently. */
import type { HttpRequest } from '#net/http-message.ts'
import type { DslValue } from '#template/dsl-value.ts'
import type { Calibration } from '#template/calibration.ts'
import { requestBuildersOf } from '#template/request-builders.ts'
import type { Chain } from '#template/redirects.ts'
import type { Health } from '#template/health.ts'
import { createPendingCallbacks, awaitCallbacks, type PendingCallbacks } from '#template/pending-callbacks.ts'
import { isUndecodable } from '#template/groups.ts'
import { rankOf } from '#template/relevance.ts'
import { appliesTo, couldCreate, isForeignPath } from '#template/selection.ts'
import type { SharedClient } from '#net/shared-client.ts'
import { toDoubted, toFinding } from '#template/finding.ts'
import type { ServiceEvent, ServiceRun } from '#template/service-run.ts'
import { createState, type State } from '#template/sequence-state.ts'
import { verifyStepMatch } from '#template/sequence-verification.ts'
import { runSequence, type SequenceTools, type StepMatch } from '#template/sequence.ts'
import type { Template } from '#template/template.ts'
import { withSuppliedValues, withRandom } from '#template/variables.ts'
import { runUnit, Stopped } from '#unit.ts'

/** Concurrent checks per origin; the client may allow fewer requests. */
const CONCURRENT_CHECKS = 8

interface SequenceContext {
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
export async function* runSequences(run: ServiceRun, context: SequenceContext): AsyncIterable<ServiceEvent> {
  const waiting = inRunOrder(run, context)
  const rest = waiting.values()
  const running = new Map<State, Promise<readonly ServiceEvent[]>>()
  const calls = createPendingCallbacks()
  const start = () => {
    while (context.health.stopReason() === null) {
      const next = rest.next()
      if (next.done) return
      const { state } = next.value
      if (!shouldRun(next.value, run, context)) continue
      running.set(state, runCheck(run, state, context, calls))
      return
    }
  }
  try {
    for (let at = 0; at < CONCURRENT_CHECKS; at++) start()
    while (running.size > 0) {
      const [state, events] = await Promise.race(
        [...running].map(async ([key, promise]) => [key, await promise] as const),
      )
      running.delete(state)
      start()
      yield* events
    }
    for (const { state } of rest) yield { kind: 'ended', isFinished: false, check: state.template.id }
    yield* awaitCallbacks(run, calls)
  } finally {
    for (const left of running.values()) left.catch(() => undefined)
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
function inRunOrder(run: ServiceRun, { variables, basePath, names, sequences }: SequenceContext): Waiting[] {
  const targetLookup = withSuppliedValues(
    run.tools.suppliedValues,
    withRandom((name) => variables.get(name)),
  )
  const waiting = sequences.map((template): Waiting & { key: string } => {
    const [written] = template.requestDigests[0] ?? []
    const state = createState(template, run.units.of(template.id), targetLookup, run.tools.callbacks)
    const isLast = template.http.some(({ paths, raws }) =>
      [...paths, ...raws.map(({ text }) => text)].some(isUndecodable),
    )
    const rank =
      (isLast ? 8 : 0) + (template.isUnsafe ? 4 : 0) + (template.permission ? 2 : 0) + rankOf(template, names)
    return { state, rank, key: written ?? '', first: written ? firstOf(state, basePath) : null }
  })
  return waiting.toSorted((left, right) => left.rank - right.rank || compare(left.key, right.key))
}

function firstOf({ template, lookup, unit }: State, basePath: string): HttpRequest | null {
  const [block] = template.http
  try {
    return runUnit(unit, () => (block && requestBuildersOf(block)[0]?.write(basePath, lookup)) ?? null)
  } catch (error) {
    // Its run stops with the same reason.
    if (error instanceof Stopped) return null
    throw error
  }
}

/**
 * Whether to run a check. One that starts with a cached response, and only continues if that
 * matches, costs nothing to start.
 */
function shouldRun({ state, first }: Waiting, run: ServiceRun, { names, client, isSmall }: SequenceContext): boolean {
  const { template } = state
  // Malformed requests and login attempts are only sent to the product that they target.
  if (template.isUnsafe && !(template.isSpecific && appliesTo(template, names))) return false
  if (template.isBruteForce && !appliesTo(template, names)) return false
  if (!isSmall && first && isForeignPath(first.path, names)) return false
  if (!isSmall && couldCreate(template, names)) return false
  if (isSmall || appliesTo(template, names)) return true
  const firstBlock = template.http[0]
  const isGated = template.flow?.kind === 'and' && firstBlock?.paths.length === 1 && firstBlock.payloads === null
  return isGated && first !== null && client.isCached(run.origin, first)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

async function runCheck(
  run: ServiceRun,
  state: State,
  context: SequenceContext,
  calls: PendingCallbacks,
): Promise<readonly ServiceEvent[]> {
  const events: ServiceEvent[] = []
  const verify = async (step: StepMatch) => {
    const verdict = await verifyStepMatch(run, step, context)
    if (verdict === 'unknown') state.isBroken = true
    events.push(...toDoubted(step.exchange, state.template, step.match, verdict))
    if (verdict === 'true') state.provenPaths.push(step.exchange.request.path)
    if (verdict === 'true' && !step.match.isSilent)
      events.push(toFinding(run, step.exchange, state.template, step.match))
    return verdict === 'true'
  }
  const shouldContinue = (chain: Chain) => {
    context.health.record(chain)
    return context.health.stopReason() === null
  }
  const addCall: SequenceTools['awaitCallback'] = (call) => calls.add(call)
  const { basePath, client, names } = context
  const isForeignRequest = (request: HttpRequest) => !context.isSmall && isForeignPath(request.path, names)
  await runSequence(state, {
    run,
    basePath,
    client,
    isForeign: isForeignRequest,
    shouldContinue,
    verify,
    awaitCallback: addCall,
  })
  const isFinished = !state.isBroken && !state.isDone && !state.isPartial
  if (calls.has(state)) calls.whenSettled(state, isFinished)
  else events.push({ kind: 'ended', isFinished, check: state.template.id, stopReason: state.stopReason })
  return events
}
