/** Determines the workspace of a request and the role of the person in it. */
import { nameLengthMax } from '@glacis/contract/primitives'
import { type Role, errorReasons } from '@glacis/contract/role'
import type { Session } from '@glacis/contract/identity'
import type { Actor, Person } from '#ctx.ts'
import { type Database, newId } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { ApiError, notFound } from '#errors.ts'
import { accessOf, appointFirstAdministrator } from '#installation/index.ts'
import { joinableBy } from '#workspaces/email-domains.ts'
import { type SignInSite, providerId, signInUrl } from '#workspaces/sign-in/provider-id.ts'
import { claimProvisioned, isProvisioned } from '#workspaces/provisioning/claim.ts'
import { type Kysely, sql, type Transaction } from 'kysely'

export interface Membership {
  readonly workspace: string
  readonly role: Role
  /** The networks of the installation and of the workspace; each list has to contain the client's address. */
  readonly networks: readonly (readonly string[])[]
}

export interface Memberships {
  /**
   * The membership of a person in a workspace, or in the one used last. Creates a workspace at the first sign-in of
   * a person who can't join one. One statement, unless something has to be written.
   *
   * @param requested workspace ID from the request
   * @param options the actor, for the audit log, if the person becomes a member of workspaces that provisioned them; and
   *   whether the request counts as activity of the person, true by default
   * @throws ApiError `not_found` for someone else's workspace; `forbidden` for a former member, without any membership,
   *   or for a session that the workspace's required sign-in provider didn't start
   */
  of(person: Person, requested?: string, options?: UseOptions): Promise<Membership>
}

interface UseOptions {
  readonly actor?: Actor
  readonly isActivity?: boolean
}

/** How long a sign-in with a provider is valid in a session of an external identity service, in milliseconds. */
export interface SignInLimits {
  readonly sessionMs: number
  /** Without activity. */
  readonly idleMs: number
}

/** For commands, which have no session. */
const noSite: SignInSite & SignInLimits = { url: '', hasOwnIdentity: true, sessionMs: 0, idleMs: 0 }

/** The person of a session. */
export function personOf({
  id: sessionId,
  identity,
  authentication_methods: methods = [],
}: Pick<Session, 'identity' | 'authentication_methods'> & { readonly id?: string }): Person {
  const { email, name } = identity.traits
  return {
    identityId: identity.id,
    name: `${name.first} ${name.last}`.trim(),
    email,
    providers: methods.flatMap(({ provider }) => provider ?? []),
    isVerified: identity.verifiable_addresses.some(
      ({ value, verified }) => verified && value.toLowerCase() === email.toLowerCase(),
    ),
    ...(sessionId !== undefined && { sessionId }),
  }
}

interface Row extends Omit<Membership, 'networks'> {
  readonly installation_networks: readonly string[] | null
  readonly sign_in_networks: readonly string[]
  /** Label of the provider that everyone but owners has to sign in with; null if there is none. */
  readonly required_provider: string | null
  /** When the session was last used since it signed in with the provider; null if it didn't, or if that has expired. */
  readonly signed_in_used_at: Date | null
  readonly name: string
  readonly email: string
  readonly left_at: Date | null
  /** The time of the last use has to be written. */
  readonly is_stale: boolean
}

export function createMemberships(
  { owner }: Pick<Database, 'owner'>,
  signIn: SignInSite & SignInLimits = noSite,
): Memberships {
  return {
    async of(person, requested, { actor, isActivity = true } = {}) {
      const rows = await membershipsOf(owner, person, signIn)
      const isLost = !rows.some(({ workspace, left_at }) => !left_at && (requested ?? workspace) === workspace)
      // Provisioned people are only looked for when the request would fail otherwise.
      if (isLost && (await claimProvisioned(owner, person, actor))) return this.of(person, requested)
      const chosen = choose(rows, requested)
      if (!chosen) return firstWorkspace(owner, person, rows.length > 0)
      requireProvider(person, chosen, signIn)
      const { signed_in_used_at: usedAt } = chosen
      // Rarely, so that requests cost no write.
      if (isActivity && usedAt && Date.now() - usedAt.getTime() > signIn.idleMs / 20)
        await recordSignInUse(owner, person, chosen)
      const isRenamed = chosen.name !== person.name || chosen.email !== person.email
      if (isRenamed || chosen.is_stale || rows[0] !== chosen) await recordUse(owner, person, chosen, isRenamed)
      return membershipOf(chosen)
    },
  }
}

function membershipOf({ workspace, role, installation_networks, sign_in_networks }: Row): Membership {
  return { workspace, role, networks: [installation_networks ?? [], sign_in_networks] }
}

/** The last used first. Former memberships last: they only explain why access ended. */
async function membershipsOf(
  db: Kysely<Tables>,
  { identityId, sessionId }: Pick<Person, 'identityId' | 'sessionId'>,
  { sessionMs, idleMs }: SignInLimits,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select member.account_id as workspace, role, member.name, email, left_at, provider.label as required_provider,
           workspace.sign_in_networks, installation.sign_in_networks as installation_networks,
           last_used_at is null or last_used_at < now() - interval '5 minutes' as is_stale,
           provider_session.used_at as signed_in_used_at
    from member
    join workspace on workspace.id = member.account_id
    left join installation on true
    left join sign_in_provider as provider on provider.account_id = member.account_id and provider.is_required
    left join provider_session
      on provider_session.account_id = member.account_id and session_id = ${sessionId ?? null}::text
      and provider_session.identity_id = member.identity_id
      and signed_in_at > now() - ${sessionMs} * interval '1 millisecond'
      and used_at > now() - ${idleMs} * interval '1 millisecond'
    where member.identity_id = ${identityId}
    order by left_at is not null, last_used_at desc nulls last, joined_at, member.account_id`.execute(db)
  return rows
}

/** @returns undefined if the request names no workspace and the person is a member of none */
function choose(rows: readonly Row[], requested: string | undefined): Row | undefined {
  const chosen = requested === undefined ? rows[0] : rows.find((row) => row.workspace === requested)
  if (requested !== undefined && !chosen) throw notFound('workspace', requested.slice(0, 100))
  if (requested === undefined && chosen?.left_at) return undefined
  if (chosen?.left_at)
    throw new ApiError(
      'forbidden',
      'You are no longer a member of this workspace. Ask an owner or admin to invite you again',
      { reason: errorReasons.ended },
    )
  return chosen
}

/** Owners can always sign in, to fix a provider that doesn't work. */
function requireProvider(person: Person, row: Row, site: SignInSite): void {
  const { workspace, role, required_provider: label } = row
  if (label === null || role === 'owner') return
  if (site.hasOwnIdentity ? person.providers?.includes(providerId(workspace)) : row.signed_in_used_at) return
  throw new ApiError('forbidden', `This workspace requires you to sign in with ${label}`, {
    reason: errorReasons.provider,
    metadata: { label, signInUrl: signInUrl(site, workspace), workspaceId: workspace },
  })
}

/** At most once a minute, so that two tabs in different workspaces don't write with every request. */
async function recordUse(db: Kysely<Tables>, person: Person, { workspace }: Row, isRenamed: boolean): Promise<void> {
  await sql`
    update member set name = ${person.name}, email = ${person.email}, last_used_at = now()
    where account_id = ${workspace} and identity_id = ${person.identityId}
      and (${isRenamed} or last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(db)
}

async function recordSignInUse(db: Kysely<Tables>, { sessionId = '' }: Person, { workspace }: Row): Promise<void> {
  await db
    .updateTable('provider_session')
    .set({ used_at: sql<Date>`now()` })
    .where('account_id', '=', workspace)
    .where('session_id', '=', sessionId)
    .execute()
}

async function firstWorkspace(db: Kysely<Tables>, person: Person, wasMember: boolean): Promise<Membership> {
  const created = wasMember ? null : await db.transaction().execute((tx) => createAtFirstSignIn(tx, person))
  if (created) return created
  throw new ApiError(
    'forbidden',
    'You are not a member of any workspace. Accept an invitation, or create a workspace',
    {
      reason: errorReasons.none,
    },
  )
}

/** @returns null for a person who was invited or can join a workspace, and may not want one of their own */
async function createAtFirstSignIn(tx: Transaction<Tables>, person: Person): Promise<Membership | null> {
  // Concurrent first requests of one person must not create two workspaces.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`first workspace ${person.identityId}`}, 0))`.execute(tx)
  const [existing] = await membershipsOf(tx, person, noSite)
  if (existing) return existing.left_at ? null : membershipOf(existing)
  const invited = await tx
    .selectFrom('invitation')
    .select('id')
    .where(sql`lower(email)`, '=', person.email.toLowerCase())
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', new Date())
    .executeTakeFirst()
  if (invited || (await isProvisioned(tx, person.email)) || (await joinableBy(tx, person)).length > 0) return null
  return insertWorkspace(tx, person, defaultName(person))
}

/** The name of a person's first workspace, which tells it apart from the person in sentences with both. */
function defaultName({ name }: Pick<Person, 'name'>): string {
  const suffix = "'s workspace"
  return name.slice(0, nameLengthMax - suffix.length) + suffix
}

/** Creates a workspace owned by the person. Needs a connection that owns the tables. */
export async function insertWorkspace(tx: Transaction<Tables>, person: Person, name: string): Promise<Membership> {
  const workspace = newId()
  await tx.insertInto('workspace').values({ id: workspace, name }).execute()
  await tx
    .insertInto('member')
    .values({
      account_id: workspace,
      identity_id: person.identityId,
      role: 'owner',
      name: person.name,
      email: person.email,
      last_used_at: new Date(),
    })
    .execute()
  await appointFirstAdministrator(tx, person.identityId)
  const { signInNetworks } = await accessOf(tx, person.identityId)
  return { workspace, role: 'owner', networks: [signInNetworks] }
}
