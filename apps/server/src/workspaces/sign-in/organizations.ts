/** The sign-in providers of all workspaces, as the identity service uses them. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/sign-in-provider'
import { type OrganizationOptions, type OrganizationSignIn, unseal } from '@glacis/identity'
import { recordAuditEvent } from '#audit.ts'
import type { Actor, Ctx, Log } from '#ctx.ts'
import { recheckStreams } from '#database/channels.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { domainOf } from '#workspaces/email-domains.ts'
import { becomeMember } from '#workspaces/join.ts'
import { findMember, setRole } from '#workspaces/members.ts'
import { roleFromGroups } from '#workspaces/provisioning/roles.ts'
import { type SignInSite, signInUrl, workspaceOf } from '#workspaces/sign-in/provider-id.ts'
import { sql } from 'kysely'

/** Sends a request to a provider. */
export type OutboundFetch = (url: string, options: RequestInit) => Promise<Response>

interface Options {
  readonly database: Database
  /** The secret of the installation. */
  readonly secret: string
  readonly fetch: OutboundFetch
  readonly log: Log
}

/** Providers for the identity service, and the effects of a sign-in with one of them. */
export function organizations({ database, secret, fetch, log }: Options): OrganizationOptions {
  return {
    async find(id) {
      const row = await findProvider(database, workspaceOf(id))
      return (
        row && {
          id,
          label: row.label,
          issuer: row.issuer,
          clientId: row.client_id,
          ...(row.client_secret && {
            clientSecret: unseal({ secret: Buffer.from(secret, 'hex') }, 'organization provider', row.client_secret),
          }),
          groupsClaim: row.groups_claim,
          domains: row.domains,
          fetch,
        }
      )
    },
    async onSignIn(signIn) {
      const { identityId: id, name, ip, userAgent } = signIn
      const actor: Actor = { kind: 'person', name, id, ip, userAgent }
      const as = { workspace: workspaceOf(signIn.provider), actor, log }
      await inWorkspace(database, as, (ctx) => applySignIn(ctx, signIn))
    },
  }
}

/** Finds the provider for the sign-in page. Knowing a domain or workspace reveals only the provider's label. */
export async function findSignInProvider(
  { owner }: Pick<Database, 'owner'>,
  site: SignInSite,
  { email, workspaceId }: ParsedInputOf<typeof contract.findSignInProvider>,
): Promise<ResultOf<typeof contract.findSignInProvider>> {
  const { rows } = await sql<{ account_id: string; label: string }>`
    select account_id, label from sign_in_provider as provider
    where account_id = ${workspaceId ?? null}::uuid
      or exists (
        select from email_domain
        where email_domain.account_id = provider.account_id and verified_at is not null
          and domain = ${email === undefined ? null : domainOf(email)}::text)
    -- The named workspace first, then the one that verified the domain first.
    order by account_id = ${workspaceId ?? null}::uuid desc nulls last,
             (select min(verified_at) from email_domain where email_domain.account_id = provider.account_id), account_id
    limit 1`.execute(owner)
  const [row] = rows
  if (row) return { provider: { label: row.label, signInUrl: signInUrl(site, row.account_id) }, isOffered: true }
  const any = await owner.selectFrom('sign_in_provider').select('account_id').limit(1).executeTakeFirst()
  return { isOffered: any !== undefined }
}

/** A member gets the role of their groups, and a newcomer becomes a member if a role applies. Owners stay owners. */
export async function applySignIn(
  ctx: Ctx,
  { identityId, email, name, groups }: Pick<OrganizationSignIn, 'identityId' | 'email' | 'name' | 'groups'>,
): Promise<void> {
  await lockForLimit(ctx, 'members')
  const provider = await ctx.tx
    .selectFrom('sign_in_provider')
    .select(['group_roles', 'default_role'])
    .where('account_id', '=', ctx.workspace)
    .executeTakeFirst()
  if (!provider) return
  const mapped = roleFromGroups(provider.group_roles, groups)
  const member = await findMember(ctx, identityId)
  if (member) {
    // Without a mapping, the role set in Glacis applies.
    const role = mapped ?? (provider.group_roles.length > 0 ? provider.default_role : null)
    if (role && member.role !== 'owner' && member.role !== role) await setRole(ctx, member, role)
    return
  }
  const role = mapped ?? provider.default_role
  if (!role || (await wasRemoved(ctx, identityId, mapped !== undefined))) return
  await becomeMember(ctx, { identityId, name, email, isVerified: true }, role)
  await recordAuditEvent(
    ctx,
    'member.join',
    { kind: 'member', id: identityId },
    { email, role, isSignInProvider: true },
  )
  await recheckStreams(ctx)
}

/** Someone who was removed or left needs an invitation, unless one of their groups has a role. */
async function wasRemoved(ctx: Ctx, identityId: string, hasGroup: boolean): Promise<boolean> {
  if (hasGroup) return false
  const former = await ctx.tx
    .selectFrom('member')
    .select('identity_id')
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', '=', identityId)
    .executeTakeFirst()
  return former !== undefined
}

async function findProvider({ owner }: Database, workspace: string) {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(workspace)) return null
  const row = await owner
    .selectFrom('sign_in_provider')
    .selectAll()
    .select(
      sql<string[]>`array(
        select domain from email_domain
        where email_domain.account_id = sign_in_provider.account_id and verified_at is not null order by domain)`.as(
        'domains',
      ),
    )
    .where('account_id', '=', workspace)
    .executeTakeFirst()
  return row ?? null
}
