/** Waits, at the end of the checks of a service, for the calls that targets were asked to make. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Interaction } from '#callback/index.ts'
import { found } from '#template/finding.ts'
import { evaluateOperators } from '#template/matcher.ts'
import type { ServiceEvent, ServiceRun } from '#template/run.ts'
import { answerAt, type State } from '#template/sequence-state.ts'
import type { AwaitedCall } from '#template/sequence.ts'
import type { Answer } from '#template/template.ts'

/** How long calls are waited for after the last request, and how often one looks, in milliseconds. */
const COOL_DOWN_MS = 5_000
const LOOK_MS = 250
/** What a target was made to do proves almost as much as what it says. */
const CALL_QUALITY = 98

/** The calls that are waited for on one service. */
export interface CallList {
  add(call: AwaitedCall): void
  has(state: State): boolean
  /** Told once the check has asked everything. */
  whenSettled(state: State, isFinished: boolean): void
  readonly calls: readonly AwaitedCall[]
  readonly endings: ReadonlyMap<State, boolean>
}

export function createCallList(): CallList {
  const calls: AwaitedCall[] = []
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
export async function* settleCalls(run: ServiceRun, { calls, endings }: CallList): AsyncIterable<ServiceEvent> {
  const { callbacks } = run.tools
  if (calls.length === 0 || !callbacks) return
  const waiting = new Set(calls)
  const until = performance.now() + COOL_DOWN_MS
  while (waiting.size > 0 && performance.now() < until) {
    for (const call of waiting) {
      const matches = matchesOf(call, callbacks.heard(call.id))
      if (matches.length === 0) continue
      waiting.delete(call)
      for (const match of matches) {
        const event = found(run, call.exchange, call.state.template, match)
        if (event.kind === 'found') yield { ...event, finding: { ...event.finding, quality: CALL_QUALITY } }
      }
    }
    await delay(LOOK_MS, undefined, { signal: run.signal }).catch(() => run.signal.throwIfAborted())
  }
  for (const { id } of calls) callbacks.forget(id)
  for (const [{ template }, isFinished] of endings) yield { kind: 'ended', isFinished, check: template.id }
}

function matchesOf({ state, block, exchange }: AwaitedCall, interactions: readonly Interaction[]) {
  const plain = answerAt(state, block, exchange)
  for (const interaction of interactions) {
    const matches = evaluateOperators(block.operators, withCall(plain, interaction)).filter(({ isSilent }) => !isSilent)
    if (matches.length > 0) return matches
  }
  return []
}

/** The answer with what was heard, under the names that templates have for it. */
function withCall(answer: Answer, { protocol, request, response, address }: Interaction): Answer {
  const parts = new Map([
    ['interactsh_protocol', protocol],
    ['interactsh_request', request],
    ['interactsh_response', response],
    ['interactsh_ip', address],
  ])
  return { ...answer, get: (name) => parts.get(name) ?? answer.get(name) }
}
