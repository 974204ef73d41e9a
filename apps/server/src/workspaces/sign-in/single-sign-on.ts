/**
 * Sign-in with the provider of a workspace for sessions of an external identity service. The service's session stays the
 * same; the sign-in with the provider is recorded under its ID.
 */
import type { SignInFailure } from '@glacis/contract/sign-in-provider'
import { createRelyingParty } from '@glacis/identity'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx, Log, Visit } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { SignInLimits } from '#workspaces/membership.ts'
import { applySignIn, organizations } from '#workspaces/sign-in/organizations.ts'
import type { SignInService } from '#workspaces/sign-in/provider.ts'
import { providerId, redirectUri, signInUrl } from '#workspaces/sign-in/provider-id.ts'
import { sql } from 'kysely'
import { z } from 'zod/mini'

/** A redirect of the browser. */
export interface Redirect {
  readonly url: string
  /** A Set-Cookie header. */
  readonly cookie?: string
}

export interface SingleSignOn {
  /**
   * Redirects to the provider of a workspace.
   *
   * @param visit null without a session
   * @param returnTo where to continue; ignored unless it is a page of the portal
   */
  start(visit: Visit | null, workspace: string, returnTo: string | null): Promise<Redirect>
  /**
   * Completes the sign-in after the provider's redirect.
   *
   * @param callback URL of the request
   * @param cookieHeader of the request
   */
  complete(visit: Visit | null, workspace: string, callback: URL, cookieHeader: string | undefined): Promise<Redirect>
}

/** Data for the callback. Binds the request to the session that started it. */
const Memory = z.object({ sessionId: z.string(), returnTo: z.string() })

interface Options {
  readonly database: Database
  readonly signIn: SignInService
  readonly log: Log
}

export function createSingleSignOn({ database, signIn, log }: Options): SingleSignOn {
  const { url, secret, fetch } = signIn
  const relyingParty = createRelyingParty({
    database: database.owner,
    publicUrl: url,
    secret,
    organizations: organizations({ database, secret, fetch, log }),
    log,
  })
  const failed = (workspace: string, reason: SignInFailure, returnTo?: string): Redirect => {
    const page = new URL(signInUrl(signIn, workspace))
    page.searchParams.set('reason', reason)
    if (returnTo) page.searchParams.set('return_to', returnTo)
    return { url: page.href }
  }
  return {
    async start(visit, workspace, requested) {
      const returnTo = pageOfPortal(url, requested)
      const sessionId = visit?.person.sessionId
      if (sessionId === undefined) return failed(workspace, 'session', returnTo)
      const memory: z.infer<typeof Memory> = { sessionId, returnTo }
      const started = await relyingParty.start(providerId(workspace), redirectUri(signIn, workspace), memory)
      if (started.kind === 'redirect') return started
      return failed(workspace, started.kind, returnTo)
    },
    async complete(visit, workspace, callback, cookieHeader) {
      const ended = await relyingParty.complete(providerId(workspace), callback, cookieHeader)
      const memory = ended.kind === 'completed' ? Memory.safeParse(ended.memory).data : undefined
      if (ended.kind !== 'completed') return failed(workspace, ended.kind)
      // Someone else may have signed in since, or the session may be another browser's.
      if (!memory || visit?.person.sessionId !== memory.sessionId) return failed(workspace, 'session', memory?.returnTo)
      const { person, actor } = visit
      const failure = await inWorkspace(database, { workspace, actor, log: visit.log }, (ctx) =>
        bindSession(ctx, { ...ended, person: { ...person, sessionId: memory.sessionId } }),
      )
      if (failure) return failed(workspace, failure, memory.returnTo)
      return { url: memory.returnTo, cookie: relyingParty.expiredCookie }
    },
  }
}

/** @returns the overview for a missing URL, and for one that isn't a page of the portal */
function pageOfPortal(portalUrl: string, requested: string | null): string {
  const url = requested === null || /\p{Cc}/u.test(requested) ? null : URL.parse(requested, portalUrl)
  const isOwn = url?.origin === new URL(portalUrl).origin && url.username === '' && url.password === ''
  return isOwn && !url.pathname.startsWith('/v1/') ? url.href : `${portalUrl}/overview`
}

interface VerifiedSignIn {
  readonly person: Visit['person'] & { readonly sessionId: string }
  readonly issuer: string
  readonly user: { readonly subject: string; readonly email: string | null; readonly groups: readonly string[] }
  vouchesFor(address: string | null): boolean
}

/** Records the sign-in if it is the person's own, and applies the groups. */
async function bindSession(ctx: Ctx, signIn: VerifiedSignIn): Promise<SignInFailure | null> {
  const { person, user } = signIn
  const failure = await rejectOthers(ctx, signIn)
  if (failure) return failure
  const row = {
    identity_id: person.identityId,
    subject: user.subject,
    groups: JSON.stringify(user.groups),
    signed_in_at: ctx.now,
    used_at: ctx.now,
  }
  await ctx.tx
    .insertInto('provider_session')
    .values({ account_id: ctx.workspace, session_id: person.sessionId, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'session_id']).doUpdateSet(row))
    .execute()
  await applySignIn(ctx, { ...person, groups: user.groups })
  await recordAuditEvent(ctx, 'sign-in-provider.sign-in', { kind: 'member', id: person.identityId })
  return null
}

/**
 * The account at the provider must be linked with the person, or have the same address, which both sides verified. The
 * organization vouches for addresses in its domains.
 */
async function rejectOthers(ctx: Ctx, signIn: VerifiedSignIn): Promise<SignInFailure | null> {
  const { person, issuer, user, vouchesFor } = signIn
  if (!vouchesFor(person.email)) return 'domain'
  const linked = await ctx.tx
    .selectFrom('provider_subject')
    .select('identity_id')
    .where('account_id', '=', ctx.workspace)
    .where('issuer', '=', issuer)
    .where('subject', '=', user.subject)
    .executeTakeFirst()
  if (linked) return linked.identity_id === person.identityId ? null : 'mismatch'
  if (user.email?.toLowerCase() !== person.email.toLowerCase()) return 'mismatch'
  if (!person.isVerified) return 'unverified'
  const { numInsertedOrUpdatedRows } = await ctx.tx
    .insertInto('provider_subject')
    .values({
      account_id: ctx.workspace,
      issuer,
      subject: user.subject,
      identity_id: person.identityId,
      linked_at: ctx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n ? null : 'mismatch'
}

/** Deletes sign-ins that are no longer valid. */
export async function deleteExpiredSignIns(
  { owner }: Pick<Database, 'owner'>,
  { sessionMs }: Pick<SignInLimits, 'sessionMs'>,
): Promise<void> {
  await owner
    .deleteFrom('provider_session')
    .where('signed_in_at', '<', sql<Date>`now() - ${sessionMs} * interval '1 millisecond'`)
    .execute()
}
