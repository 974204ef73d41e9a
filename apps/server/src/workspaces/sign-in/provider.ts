/** The sign-in provider of a workspace, as its members configure it. */
import { isDeepStrictEqual } from 'node:util'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/sign-in-provider'
import type { SignInProvider } from '@glacis/contract/sign-in-provider'
import { checkProvider, seal } from '@glacis/identity'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx, Within } from '#ctx.ts'
import { recheckStreams } from '#database/channels.ts'
import type { Tables } from '#database/tables.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { type EgressPolicy, urlError } from '#egress-policy.ts'
import { ApiError, invalid, requireUnchanged } from '#errors.ts'
import type { OutboundFetch } from '#workspaces/sign-in/organizations.ts'
import { type SignInSite, providerId, redirectUri, signInUrl } from '#workspaces/sign-in/provider-id.ts'
import type { Selectable } from 'kysely'

type Row = Selectable<Tables['sign_in_provider']>
type Result = ResultOf<typeof contract.getSignInProvider>

export interface SignInService extends SignInSite {
  /** The secret of the installation. */
  readonly secret: string
  readonly egress: EgressPolicy
  /** Sends requests to providers that the egress policy allows. */
  readonly fetch: OutboundFetch
  /** Revokes the sessions of everyone who signed in with a provider of the embedded identity service. */
  readonly revokeSessions: (provider: string) => Promise<void>
}

export async function getSignInProvider(ctx: Ctx, site: SignInSite): Promise<Result> {
  const row = await providerOf(ctx)
  return {
    ...(row && { provider: toProvider(row, site) }),
    redirectUri: redirectUri(site, ctx.workspace),
    domains: await verifiedDomains(ctx),
  }
}

/**
 * Loads the provider's metadata, without an open transaction, and stores the settings.
 *
 * @throws ApiError `invalid` for an issuer that can't be used; `precondition` if the sign-in is required but no email
 *   domain is verified; `conflict` if the settings are no longer those that the request replaces
 */
export async function setSignInProvider(
  within: Within,
  service: SignInService,
  { provider, replaces }: ParsedInputOf<typeof contract.setSignInProvider>,
): Promise<Result> {
  const { issuer, clientId } = provider
  const problem = urlError(issuer, service.egress)
  if (problem) throw invalid('provider.issuer', problem)
  await checkProvider({ issuer, clientId, fetch: service.fetch }).catch((cause: unknown) => {
    throw invalid('provider.issuer', `The metadata of the issuer can't be used: ${reasonOf(cause).slice(0, 300)}`)
  })
  return within(async (ctx) => {
    if (provider.isRequired && (await verifiedDomains(ctx)).length === 0)
      throw new ApiError(
        'precondition',
        'Verify an email domain first. Only users with an address in a verified domain can sign in with a provider',
      )
    await lockForLimit(ctx, 'members')
    requireUnchanged(replaces, (await providerOf(ctx))?.updated_at.toISOString() ?? null)
    await store(ctx, service, provider)
    return getSignInProvider(ctx, service)
  })
}

/** The OpenID Connect client wraps the error that contains the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}

/** @throws ApiError `not_found` */
export async function deleteSignInProvider(ctx: Ctx): Promise<Record<string, never>> {
  const row = await ctx.tx
    .deleteFrom('sign_in_provider')
    .where('account_id', '=', ctx.workspace)
    .returning(['issuer', 'label'])
    .executeTakeFirst()
  if (!row) throw new ApiError('not_found', 'The workspace has no sign-in provider')
  await recordAuditEvent(ctx, 'sign-in-provider.delete', { kind: 'workspace', id: ctx.workspace }, row)
  return {}
}

async function store(
  ctx: Ctx,
  { secret, revokeSessions }: SignInService,
  given: ParsedInputOf<typeof contract.setSignInProvider>['provider'],
): Promise<void> {
  const before = await providerOf(ctx)
  const isSame = before?.issuer === given.issuer && before.client_id === given.clientId
  // A stored secret must not be sent to another issuer.
  const kept = given.clientSecret === undefined && isSame ? before.client_secret : null
  const source = { secret: Buffer.from(secret, 'hex') }
  const values = {
    label: given.label,
    issuer: given.issuer,
    client_id: given.clientId,
    client_secret: given.clientSecret ? seal(source, 'organization provider', given.clientSecret) : kept,
    groups_claim: given.groupsClaim,
    group_roles: JSON.stringify(given.groupRoles),
    default_role: given.defaultRole,
    is_required: given.isRequired,
    updated_at: ctx.now,
  }
  await ctx.tx
    .insertInto('sign_in_provider')
    .values({ account_id: ctx.workspace, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute()
  // A different provider has not verified the users who signed in before.
  if (!isSame) {
    await ctx.tx.deleteFrom('provider_session').where('account_id', '=', ctx.workspace).execute()
    await revokeSessions(providerId(ctx.workspace))
  }
  const { label, issuer, clientId, groupsClaim, groupRoles, defaultRole, isRequired } = given
  const detail = { label, issuer, clientId, groupsClaim, groupRoles, defaultRole, isRequired }
  const isSecretChanged = !isDeepStrictEqual(before?.client_secret ?? null, values.client_secret)
  const resource = { kind: 'workspace', id: ctx.workspace }
  await recordAuditEvent(ctx, 'sign-in-provider.set', resource, { ...detail, isSecretChanged })
  // Open streams of people who now have to sign in again end.
  if (isRequired || !isSame) await recheckStreams(ctx)
}

function providerOf(ctx: Ctx): Promise<Row | undefined> {
  return ctx.tx.selectFrom('sign_in_provider').selectAll().where('account_id', '=', ctx.workspace).executeTakeFirst()
}

async function verifiedDomains(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.tx
    .selectFrom('email_domain')
    .select('domain')
    .where('account_id', '=', ctx.workspace)
    .where('verified_at', 'is not', null)
    .orderBy('domain')
    .execute()
  return rows.map(({ domain }) => domain)
}

function toProvider(row: Row, site: SignInSite): SignInProvider {
  return {
    label: row.label,
    issuer: row.issuer,
    clientId: row.client_id,
    hasClientSecret: row.client_secret !== null,
    groupsClaim: row.groups_claim,
    groupRoles: row.group_roles,
    defaultRole: row.default_role,
    isRequired: row.is_required,
    signInUrl: signInUrl(site, row.account_id),
    updateTime: row.updated_at.toISOString(),
  }
}
