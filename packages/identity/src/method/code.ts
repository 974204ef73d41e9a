/** Single-use six-digit codes that verify an address. Each is bound to a flow and stored as a keyed hash. */
import { createHmac, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Flow, CodeTable, Database } from '#store.ts'
import type { Mail } from '#options.ts'
import type { Exchange, Service } from '#service.ts'
import { consumeMailQuota } from '#throttle.ts'
import { errorMessage } from '#ui/error-message.ts'
import { label, type Message } from '#ui/message.ts'
import { type Node, input, submit } from '#ui/node.ts'

/** Maximum attempts per code. */
const triesMax = 5

export const tooManyTries = errorMessage.generic('The request was submitted too often. Please request another code.')

/**
 * Creates a code for an address and invalidates the flow's earlier codes. Unknown addresses also get a code, so that
 * the work is the same.
 *
 * @returns the plaintext code; use it only in the email
 */
async function issueCode(
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
      code_hash: hashCode(service, flowId, code),
      expires_at: new Date(now.getTime() + service.lifespans.codeMs),
      created_at: now,
    })
    .execute()
  return code
}

interface Recipient {
  readonly address: string
  /** Null for an unknown address, or for one that is being registered. */
  readonly identityId: string | null
  /** Nothing is sent, although the work is the same. */
  readonly isVoid?: boolean
}

/**
 * Issues a code for a flow and emails it.
 *
 * @param mailOf writes the email with a code that is valid for this many minutes
 */
export async function mailCode(
  service: Service,
  db: Database,
  { id }: Flow,
  { address, identityId, isVoid = identityId === null }: Recipient,
  mailOf: (code: string, minutes: number) => Mail,
): Promise<void> {
  const { codeMs } = service.lifespans
  const code = await issueCode(service, db, id, address, identityId)
  const expiresAt = new Date(service.now().getTime() + codeMs)
  await service.courier.queue(db, mailOf(code, Math.round(codeMs / 60_000)), { expiresAt, isVoid })
}

/**
 * Emails a code for signing in or up, and resets the attempts. If too many were requested, sends nothing, and the last code
 * stays valid.
 */
export async function requestCode(
  { service, client }: Exchange,
  flow: Flow,
  recipient: Recipient,
  mailOf: (address: string, code: string, minutes: number) => Mail,
): Promise<void> {
  const { address } = recipient
  if (!(await consumeMailQuota(service, address, client.ip))) return
  await resetTries(service, flow.id)
  await mailCode(service, service.db, flow, recipient, (code, minutes) => mailOf(address, code, minutes))
}

/** The form for a code, with a button to resend it. */
export function codeFields(codeLabel: Message): Node[] {
  return [
    input('code', 'method', 'hidden', { value: 'code' }),
    input('code', 'code', 'text', { required: true, label: codeLabel }),
    submit('code', 'code', label.continue),
    input('code', 'resend', 'submit', { value: 'code', label: label.resend }),
  ]
}

/** Resets a flow's attempts for a new code. The email limit bounds the number of codes. */
async function resetTries({ db }: Service, flowId: string): Promise<void> {
  await db.updateTable('identity.flow').set({ tries: 0 }).where('id', '=', flowId).execute()
}

/** True if the flow rejects all further codes, even the valid one. */
export function isOutOfTries(flow: Flow): boolean {
  return flow.tries > triesMax
}

export type CodeOutcome =
  | { readonly kind: 'valid'; readonly identityId: string; readonly address: string }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'expired'; readonly at: Date }
  | { readonly kind: 'too_many_tries' }

/** Verifies a code and consumes it if valid. The attempt is counted before the check. */
export async function tryCode(service: Service, flow: Flow, submittedCode: string): Promise<CodeOutcome> {
  const outcome = await checkCode(service, flow, submittedCode)
  if (outcome.kind !== 'valid') return outcome
  const { identity_id: identityId, address } = outcome.code
  if (identityId === null || !(await markUsed(service, outcome.code))) return { kind: 'invalid' }
  return { kind: 'valid', identityId, address }
}

/** Verifies a registration code, which has no identity yet. A valid code verifies the returned address. */
export async function tryRegistrationCode(
  service: Service,
  flow: Flow,
  submittedCode: string,
): Promise<{ readonly kind: 'valid'; readonly address: string } | Exclude<CodeOutcome, { kind: 'valid' }>> {
  const outcome = await checkCode(service, flow, submittedCode)
  if (outcome.kind !== 'valid') return outcome
  return (await markUsed(service, outcome.code))
    ? { kind: 'valid', address: outcome.code.address }
    : { kind: 'invalid' }
}

type CheckedCode =
  | { readonly kind: 'valid'; readonly code: Selectable<CodeTable> }
  | Exclude<CodeOutcome, { kind: 'valid' }>

async function checkCode(service: Service, flow: Flow, submittedCode: string): Promise<CheckedCode> {
  const { tries } = await service.db
    .updateTable('identity.flow')
    .set({ tries: sql<number>`tries + 1` })
    .where('id', '=', flow.id)
    .returning('tries')
    .executeTakeFirstOrThrow()
  if (tries > triesMax) return { kind: 'too_many_tries' }
  const code = await service.db
    .selectFrom('identity.code')
    .selectAll()
    .where('flow_id', '=', flow.id)
    .executeTakeFirst()
  const isMatch = timingSafeEqual(code?.code_hash ?? Buffer.alloc(32), hashCode(service, flow.id, submittedCode.trim()))
  if (!code || !isMatch) return { kind: 'invalid' }
  // Except for registration, a code without an identity was created for an unknown address.
  const isVoid = code.identity_id === null && flow.kind !== 'registration'
  if (isVoid) return { kind: 'invalid' }
  return code.expires_at <= service.now() ? { kind: 'expired', at: code.expires_at } : { kind: 'valid', code }
}

async function markUsed(service: Service, code: Selectable<CodeTable>): Promise<boolean> {
  const { numUpdatedRows } = await service.db
    .updateTable('identity.code')
    .set({ used_at: service.now() })
    .where('id', '=', code.id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function hashCode(service: Service, flowId: string, code: string): Buffer {
  return createHmac('sha256', service.secret).update(`code ${flowId} ${code}`).digest()
}
