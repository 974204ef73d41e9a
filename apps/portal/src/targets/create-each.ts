/** Many targets, made one after the other by the call that makes one. */
import type { InputOf } from '@glacis/contract/endpoint'
import { createTarget, type Target } from '@glacis/contract/target'
import { call } from '#api/call.ts'
import { ApiFailure } from '#api/failure.ts'

export interface Wanted {
  readonly bodies: readonly InputOf<typeof createTarget>[]
  /** Asked before each: ends the work between two of them. */
  readonly signal: AbortSignal
  /** Hears how many have been dealt with. */
  readonly onStep: (done: number) => void
  /** Key of each body of which no answer has come: sent again, it makes no second target. */
  readonly keys: Map<string, string>
}
export interface Outcome {
  readonly made: readonly Target[]
  /** Why some were refused, by address. */
  readonly refused: ReadonlyMap<string, string>
  /** Why the rest was not sent; absent where all were. */
  readonly stopped?: string
}

/** A refusal that is about this one: the next may be taken. */
const ownStatuses: ReadonlySet<number> = new Set([400, 409])

/**
 * Sends each. What is refused for itself is noted, and the next is sent; where nothing more can come of it, because the
 * plan is full or nobody answers, the rest is not sent. Each failure raises its notice. Never throws.
 */
export async function createEach({ bodies, signal, onStep, keys }: Wanted): Promise<Outcome> {
  const made: Target[] = []
  const refused = new Map<string, string>()
  for (const body of bodies) {
    if (signal.aborted) return { made, refused, stopped: 'you stopped it' }
    const outcome = await createOne(body, keys)
    if (!(outcome instanceof ApiFailure)) made.push(outcome)
    else if (ownStatuses.has(outcome.status)) refused.set(body.address, outcome.said || outcome.statusText)
    else return { made, refused, stopped: outcome.detail }
    onStep(made.length + refused.size)
  }
  return { made, refused }
}

async function createOne(body: InputOf<typeof createTarget>, keys: Map<string, string>): Promise<Target | ApiFailure> {
  const text = JSON.stringify(body)
  const key = keys.get(text) ?? newKey()
  keys.set(text, key)
  try {
    const { target } = await call(createTarget, body, { key })
    keys.delete(text)
    return target
  } catch (error) {
    if (error instanceof ApiFailure) return error
    throw error
  }
}

/** 128 random bits. Pages without TLS, which an installation in a closed network may have, know no `randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
