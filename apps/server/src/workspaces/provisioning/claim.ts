/** The memberships that an identity provider prepared for people who hadn't signed in yet. */
import type { Actor, Person } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { channels } from '#database/channels.ts'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/**
 * Makes a person a member of the workspaces that provisioned their verified email address.
 *
 * @returns whether there were any
 */
export async function claimProvisioned(owner: Kysely<Tables>, person: Person, actor?: Actor): Promise<boolean> {
  if (!person.isVerified) return false
  const { identityId, name, email } = person
  const { rows } = await sql`
    with claimed as (
      update provisioned_user as usr set identity_id = ${identityId}
      where identity_id is null and is_active and lower(email) = lower(${email})
        and not exists (
          select from provisioned_user as other
          where other.account_id = usr.account_id and other.identity_id = ${identityId})
        and ${hasVerifiedDomain(sql`usr.account_id`, email)}
        -- One of several with the same address, because an identity is linked once.
        and not exists (
          select from provisioned_user as earlier
          where earlier.account_id = usr.account_id and earlier.identity_id is null and earlier.is_active
            and lower(earlier.email) = lower(${email}) and earlier.id < usr.id)
      returning account_id, role),
    joined as (
      insert into member (account_id, identity_id, role, name, email)
      select account_id, ${identityId}, role, ${name}, ${email} from claimed
      on conflict (account_id, identity_id)
        do update set role = excluded.role, name = excluded.name, email = excluded.email, joined_at = now(), left_at = null
        where member.left_at is not null
      returning account_id, role),
    announced as (
      select pg_notify(${channels.members}, account_id::text) from joined)
    insert into audit_event
      (account_id, id, at, actor_kind, actor_name, actor_id, action, resource_kind, resource_id, detail, ip, user_agent)
    select account_id, new_id(), now(), 'person', ${name}, ${identityId}, 'member.join', 'member', ${identityId},
           jsonb_build_object('email', ${email}::text, 'role', role, 'isProvisioned', true),
           ${actor?.ip ?? ''}, ${actor?.userAgent ?? ''}
    from joined left join (select count(*) from announced) as hints on true
    returning account_id`.execute(owner)
  return rows.length > 0
}

/** Whether a workspace waits for a person with this address, verified or not. */
export async function isProvisioned(owner: Kysely<Tables>, email: string): Promise<boolean> {
  const { rows } = await sql`
    select from provisioned_user as usr
    where identity_id is null and is_active and lower(email) = lower(${email})
      and ${hasVerifiedDomain(sql`usr.account_id`, email)} limit 1`.execute(owner)
  return rows.length > 0
}

/**
 * Whether a workspace has verified the domain of an address. Without it, provisioning has no effect, so that no
 * workspace can claim the users of another organization.
 */
export function hasVerifiedDomain(workspace: RawBuilder<unknown>, email: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from email_domain
    where email_domain.account_id = ${workspace} and email_domain.verified_at is not null
      and email_domain.domain = lower(split_part(${email}::text, '@', 2)))`
}
