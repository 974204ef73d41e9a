/** Creates many targets sequentially, one API call each. */
import type { InputOf } from '@glacis/contract/endpoint'
import { createTarget, type Target } from '@glacis/contract/target'
import { call } from '#api/call.ts'
import { ApiFailure } from '#api/failure.ts'

export interface CreateEachOptions {
  readonly bodies: readonly InputOf<typeof createTarget>[]
  /** Checked before each call; an abort never interrupts a call in flight. */
  readonly signal: AbortSignal
  /** Called with the number of bodies processed so far. */
  readonly onStep: (done: number) => void
  /** Idempotency keys of bodies without a response yet, so that a retry doesn't create a duplicate. */
  readonly keys: Map<string, string>
}
export interface CreateEachResult {
  readonly created: readonly Target[]
  /** Reasons for rejected targets, by address. */
  readonly rejected: ReadonlyMap<string, string>
  /** Why the remaining bodies weren't sent; absent if all were. */
  readonly stopped?: string
}

/** Statuses that concern one body only: the next one may succeed. */
const perTargetStatuses: ReadonlySet<number> = new Set([400, 409])

/**
 * Sends the bodies in order. A rejection of one body is recorded and the next is sent. Any other failure, such as an
 * exhausted quota or an unreachable server, ends the run. Each failed call shows a toast. Never throws.
 */
export async function createTargets({ bodies, signal, onStep, keys }: CreateEachOptions): Promise<CreateEachResult> {
  const created: Target[] = []
  const rejected = new Map<string, string>()
  for (const body of bodies) {
    if (signal.aborted) return { created, rejected, stopped: 'you stopped it' }
    const outcome = await createOne(body, keys)
    if (!(outcome instanceof ApiFailure)) created.push(outcome)
    else if (perTargetStatuses.has(outcome.status))
      rejected.set(body.address, outcome.serverMessage || outcome.statusText)
    else return { created, rejected, stopped: outcome.detail }
    onStep(created.length + rejected.size)
  }
  return { created, rejected }
}

async function createOne(body: InputOf<typeof createTarget>, keys: Map<string, string>): Promise<Target | ApiFailure> {
  const text = JSON.stringify(body)
  const key = keys.get(text) ?? newIdempotencyKey()
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

/** 128 random bits. `crypto.randomUUID` isn't available on pages served without TLS. */
function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
