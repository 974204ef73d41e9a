/** Waits for callbacks after the checks of a service have finished. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Interaction } from '#callback/index.ts'
import { toFinding } from '#template/finding.ts'
import { evaluateOperators } from '#template/matcher.ts'
import type { ServiceEvent, ServiceRun } from '#template/service-run.ts'
import { answerAt, type State } from '#template/sequence-state.ts'
import type { AwaitedCallback } from '#template/sequence.ts'
import type { ResponseParts } from '#template/template.ts'
import { Stopped } from '#unit.ts'

/**
 * How long to wait for callbacks after the last request, and the poll interval, in milliseconds.
 */
const CALLBACK_WAIT_MS = 5_000
const POLL_MS = 250
/** A triggered callback is almost as strong as evidence in a response. */
const CALLBACK_QUALITY = 98

/** Pending callbacks of one service. */
export interface PendingCallbacks {
  add(call: AwaitedCallback): void
  has(state: State): boolean
  /** Called once the check has sent all its requests. */
  whenSettled(state: State, isFinished: boolean): void
  readonly calls: readonly AwaitedCallback[]
  readonly endings: ReadonlyMap<State, boolean>
}

export function createPendingCallbacks(): PendingCallbacks {
  const calls: AwaitedCallback[] = []
  const endings = new Map<State, boolean>()
  return {
    calls,
    endings,
    add: (call) => void calls.push(call),
    has: (state) => calls.some((call) => call.state === state),
    whenSettled: (state, isFinished) => void endings.set(state, isFinished),
  }
}

/** @throws only when the run's signal aborts */
export async function* awaitCallbacks(
  run: ServiceRun,
  { calls, endings }: PendingCallbacks,
): AsyncIterable<ServiceEvent> {
  const { callbacks } = run.tools
  if (calls.length === 0 || !callbacks) return
  const waiting = new Set(calls)
  const until = performance.now() + CALLBACK_WAIT_MS
  while (waiting.size > 0 && performance.now() < until) {
    for (const call of waiting) {
      const matches = unlessStopped(call, callbacks.interactions(call.id))
      if (matches.length === 0) continue
      waiting.delete(call)
      for (const match of matches) {
        const event = toFinding(run, call.exchange, call.state.template, match)
        if (event.kind === 'found') yield { ...event, finding: { ...event.finding, quality: CALLBACK_QUALITY } }
      }
    }
    await delay(POLL_MS, undefined, { signal: run.signal }).catch(() => run.signal.throwIfAborted())
  }
  for (const { id } of calls) callbacks.forget(id)
  for (const [{ template, stopReason }, isFinished] of endings)
    yield { kind: 'ended', isFinished: isFinished && stopReason === null, check: template.id, stopReason }
}

function unlessStopped(call: AwaitedCallback, interactions: readonly Interaction[]) {
  try {
    return matchesOf(call, interactions)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    call.state.stopReason = error.message
    return []
  }
}

function matchesOf({ state, block, exchange }: AwaitedCallback, interactions: readonly Interaction[]) {
  const plain = answerAt(state, block, exchange)
  for (const interaction of interactions) {
    const matches = evaluateOperators(block.operators, withCallback(plain, interaction), state.unit).filter(
      ({ isSilent }) => !isSilent,
    )
    if (matches.length > 0) return matches
  }
  return []
}

/** The response combined with the callback, under the names that templates use. */
function withCallback(answer: ResponseParts, { protocol, request, response, address }: Interaction): ResponseParts {
  const parts = new Map([
    ['interactsh_protocol', protocol],
    ['interactsh_request', request],
    ['interactsh_response', response],
    ['interactsh_ip', address],
  ])
  return { ...answer, get: (name) => parts.get(name) ?? answer.get(name) }
}
