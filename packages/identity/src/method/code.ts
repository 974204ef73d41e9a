/** Six-digit codes that prove an address. Kept as keyed hashes, bound to one flow, used once. */
import { createHmac, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Flow, CodeTable, Database } from '#store.ts'
import type { Service } from '#service.ts'
import { problem } from '#ui/problem.ts'

/** Wrong codes after which a flow takes no more. */
const triesMax = 5

/** What is said to somebody who has used a flow's tries up. */
export const tooOften = problem.generic('The request was submitted too often. Please request another code.')

/**
 * Makes a code for an address in a flow; earlier codes of the flow stop working. An address that
 * nobody has gets one as well, which opens nothing.
 *
 * @returns the six digits, for the mail and for nothing else
 */
export async function issueCode(
  service: Service,
  db: Database,
  flowId: string,
  address: string,
  identityId: string | null,
): Promise<string> {
  const now = service.now()
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await db.deleteFrom('identity.code').where('flow_id', '=', flowId).execute()
  await db
    .insertInto('identity.code')
    .values({
      id: randomUUID(),
      flow_id: flowId,
      identity_id: identityId,
      address,
      code_hash: hashOf(service, flowId, code),
      expires_at: new Date(now.getTime() + service.lifespans.codeMs),
      created_at: now,
    })
    .execute()
  return code
}

/** Gives a flow its tries again, for a code that is new; how many codes there are is bounded by the mails. */
export async function resetTries({ db }: Service, flowId: string): Promise<void> {
  await db.updateTable('identity.flow').set({ tries: 0 }).where('id', '=', flowId).execute()
}

/** True when a flow takes no more codes, not even the right one. */
export function isSpent(flow: Flow): boolean {
  return flow.tries > triesMax
}

export type CodeOutcome =
  | { readonly kind: 'right'; readonly identityId: string; readonly address: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'expired'; readonly at: Date }
  | { readonly kind: 'too often' }

/** Tries a code in a flow. The try is counted before it is judged, and a right code works once. */
export async function tryCode(service: Service, flow: Flow, given: string): Promise<CodeOutcome> {
  const outcome = await judge(service, flow, given)
  if (outcome.kind !== 'right') return outcome
  const { identity_id: identityId, address } = outcome.code
  if (identityId === null || !(await spend(service, outcome.code))) return { kind: 'wrong' }
  return { kind: 'right', identityId, address }
}

/**
 * Tries a code that was sent to the address of an account that is not there yet.
 *
 * @returns the address that a right code has proved
 */
export async function tryCodeOfNewcomer(
  service: Service,
  flow: Flow,
  given: string,
): Promise<{ readonly kind: 'right'; readonly address: string } | Exclude<CodeOutcome, { kind: 'right' }>> {
  const outcome = await judge(service, flow, given)
  if (outcome.kind !== 'right') return outcome
  return (await spend(service, outcome.code)) ? { kind: 'right', address: outcome.code.address } : { kind: 'wrong' }
}

type Judgement =
  | { readonly kind: 'right'; readonly code: Selectable<CodeTable> }
  | Exclude<CodeOutcome, { kind: 'right' }>

async function judge(service: Service, flow: Flow, given: string): Promise<Judgement> {
  const { tries } = await service.db
    .updateTable('identity.flow')
    .set({ tries: sql<number>`tries + 1` })
    .where('id', '=', flow.id)
    .returning('tries')
    .executeTakeFirstOrThrow()
  if (tries > triesMax) return { kind: 'too often' }
  const code = await service.db
    .selectFrom('identity.code')
    .selectAll()
    .where('flow_id', '=', flow.id)
    .executeTakeFirst()
  const isRight = timingSafeEqual(code?.code_hash ?? Buffer.alloc(32), hashOf(service, flow.id, given.trim()))
  if (!code || !isRight) return { kind: 'wrong' }
  // The code of an address that nobody has opens nothing.
  const isVoid = code.identity_id === null && flow.kind !== 'registration'
  if (isVoid) return { kind: 'wrong' }
  return code.expires_at <= service.now() ? { kind: 'expired', at: code.expires_at } : { kind: 'right', code }
}

async function spend(service: Service, code: Selectable<CodeTable>): Promise<boolean> {
  const { numUpdatedRows } = await service.db
    .updateTable('identity.code')
    .set({ used_at: service.now() })
    .where('id', '=', code.id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function hashOf(service: Service, flowId: string, code: string): Buffer {
  return createHmac('sha256', service.secret).update(`code ${flowId} ${code}`).digest()
}
