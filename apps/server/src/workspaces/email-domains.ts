/** Email domains whose users can join, verified by a DNS TXT record. */
import { randomBytes } from 'node:crypto'
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type { EmailDomain } from '@glacis/contract/invitation'
import type * as contract from '@glacis/contract/invitation'
import { recordAuditEvent } from '#audit.ts'
import type { JoinableWorkspace } from '@glacis/contract/workspace'
import type { Ctx, Person, Within } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import type { Tables } from '#database/tables.ts'
import { ApiError, notFound } from '#errors.ts'
import { type Kysely, type Selectable, sql } from 'kysely'

/** Looks up TXT records, like `resolveTxt` of node:dns. */
export type ResolveTxt = (name: string) => Promise<string[][]>
type Row = Selectable<Tables['email_domain']>

const domainsMax = 20
const lookupMs = 10_000

/** The part of an address after the last `@`, in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/**
 * The workspaces that admit a person by the domain of their address once they have verified it. If the sign-in provider
 * assigns roles only through groups, it alone decides who joins.
 */
export async function joinableBy(owner: Kysely<Tables>, person: Person): Promise<JoinableWorkspace[]> {
  const { rows } = await sql<JoinableWorkspace>`
    select workspace.id, workspace.name, email_domain.domain, email_domain.role
    from email_domain join workspace on workspace.id = email_domain.account_id
    where email_domain.domain = ${domainOf(person.email)} and email_domain.verified_at is not null
      and not exists (
        select from sign_in_provider where account_id = workspace.id and default_role is null)
      and not exists (
        -- Users who were removed need an invitation.
        select from member where member.account_id = workspace.id and member.identity_id = ${person.identityId})
    order by workspace.name, workspace.id`.execute(owner)
  return rows
}

export async function listEmailDomains(ctx: Ctx): Promise<{ emailDomains: EmailDomain[] }> {
  const rows = await domains(ctx).orderBy('domain').execute()
  return { emailDomains: rows.map(toEmailDomain) }
}

/** @throws ApiError `conflict` for a domain that is listed; `precondition` at the limit */
export async function createEmailDomain(
  ctx: Ctx,
  { emailDomain: { domain, role } }: ParsedInputOf<typeof contract.createEmailDomain>,
): Promise<{ emailDomain: EmailDomain }> {
  await lockForLimit(ctx, 'email domains')
  if ((await domains(ctx).execute()).length >= domainsMax)
    throw new ApiError('precondition', `A workspace can have at most ${domainsMax} email domains. Remove one first`)
  const row = await ctx.tx
    .insertInto('email_domain')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      domain,
      role,
      proof: randomBytes(16).toString('hex'),
      created_at: ctx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new ApiError('conflict', `${domain} is already listed`)
  await recordAuditEvent(ctx, 'email-domain.create', { kind: 'email-domain', id: row.id }, { domain, role })
  return { emailDomain: toEmailDomain(row) }
}

/** Looks up the record, without an open transaction. @throws ApiError `not_found`; `precondition` without the record */
export async function verifyEmailDomain(
  within: Within,
  resolveTxt: ResolveTxt,
  { id }: { id: string },
): Promise<{ emailDomain: EmailDomain }> {
  const row = await within((ctx) => domains(ctx).where('id', '=', id).executeTakeFirst())
  if (!row) throw notFound('email domain', id)
  const { recordName, recordValue } = recordOf(row)
  const values = await valuesOf(resolveTxt, recordName)
  if (!values.includes(recordValue)) {
    const problem = values.length > 0 ? 'has another value' : 'was not found'
    throw new ApiError(
      'precondition',
      `The TXT record ${recordName} ${problem}. Publish ${recordValue} and try again; changes can take an hour`,
    )
  }
  return within((ctx) => setVerified(ctx, id))
}

/** @throws ApiError `not_found`; `precondition` for the last domain of a required sign-in provider */
export async function deleteEmailDomain(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const row = await ctx.tx
    .deleteFrom('email_domain')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returning('domain')
    .executeTakeFirst()
  if (!row) throw notFound('email domain', id)
  await keepDomainOfProvider(ctx)
  await recordAuditEvent(ctx, 'email-domain.delete', { kind: 'email-domain', id }, row)
  return {}
}

/** A required provider without a domain could sign in no one, and only owners would have access. */
async function keepDomainOfProvider(ctx: Ctx): Promise<void> {
  const provider = await ctx.tx
    .selectFrom('sign_in_provider')
    .select('label')
    .where('account_id', '=', ctx.workspace)
    .where('is_required', '=', true)
    .executeTakeFirst()
  if (!provider || (await domains(ctx).where('verified_at', 'is not', null).executeTakeFirst())) return
  throw new ApiError(
    'precondition',
    `This is the last verified domain, and everyone must sign in with ${provider.label}. Stop requiring it first`,
  )
}

function domains(ctx: Ctx) {
  return ctx.tx.selectFrom('email_domain').selectAll().where('account_id', '=', ctx.workspace)
}

async function setVerified(ctx: Ctx, id: string): Promise<{ emailDomain: EmailDomain }> {
  const row = await ctx.tx
    .updateTable('email_domain')
    .set({ verified_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound('email domain', id)
  await recordAuditEvent(ctx, 'email-domain.verify', { kind: 'email-domain', id }, { domain: row.domain })
  return { emailDomain: toEmailDomain(row) }
}

/** A name that doesn't exist has no values. A long value arrives in chunks (RFC 1035, section 3.3.14). */
async function valuesOf(resolveTxt: ResolveTxt, name: string): Promise<string[]> {
  const deadline = AbortSignal.timeout(lookupMs)
  const expired = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(new Error('timed out', { cause: deadline.reason })), { once: true })
  })
  try {
    return (await Promise.race([resolveTxt(name), expired])).map((chunks) => chunks.join(''))
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOTFOUND', 'ENODATA'].includes(String(error.code))) return []
    throw new ApiError('unavailable', `The DNS lookup of ${name} failed. Try again later`, { cause: error })
  }
}

function recordOf({ domain, proof }: Row) {
  return { recordName: `_glacis.${domain}`, recordValue: `glacis-domain-verification=${proof}` }
}

function toEmailDomain(row: Row): EmailDomain {
  return {
    id: row.id,
    domain: row.domain,
    role: row.role,
    isVerified: row.verified_at !== null,
    ...recordOf(row),
    createTime: row.created_at.toISOString(),
    ...(row.verified_at && { verifyTime: row.verified_at.toISOString() }),
  }
}
