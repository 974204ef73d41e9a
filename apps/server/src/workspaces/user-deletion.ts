/** The workspaces and memberships of a person whose identity is deleted. */
import { channels } from '#database/channels.ts'
import type { Database } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { CliError } from '#cli-error.ts'
import { type Kysely, sql } from 'kysely'

/**
 * The workspaces without another member, which are deleted with the person.
 *
 * @throws CliError if the person is the last owner of a workspace with other members
 */
export async function soleWorkspacesOf(
  { owner }: Pick<Database, 'owner'>,
  identityId: string,
): Promise<{ id: string; targets: number }[]> {
  const { rows } = await sql<{
    id: string
    name: string
    targets: number
    others: number
    owners: number
    role: string
  }>`
    select workspace.id, workspace.name, member.role,
           (select count(*)::int from target where target.account_id = workspace.id) as targets,
           count(other.identity_id)::int as others,
           count(other.identity_id) filter (where other.role = 'owner')::int as owners
    from member
    join workspace on workspace.id = member.account_id
    left join member as other
      on other.account_id = member.account_id and other.identity_id <> member.identity_id and other.left_at is null
    where member.identity_id = ${identityId} and member.left_at is null
    group by workspace.id, member.role
    order by workspace.id`.execute(owner)
  const orphaned = rows.find((row) => row.role === 'owner' && row.others > 0 && row.owners === 0)
  if (orphaned)
    throw new CliError(
      `This user is the last owner of ${orphaned.name}, which has other members. Transfer ownership in the portal first.`,
    )
  return rows.filter(({ others }) => others === 0).map(({ id, targets }) => ({ id, targets }))
}

/** Ends all memberships of a person and revokes their API tokens. */
export async function endMemberships(owner: Kysely<Tables>, identityId: string): Promise<void> {
  await owner.deleteFrom('api_token').where('created_by_id', '=', identityId).execute()
  // The provider still lists the address as a member. Someone else may sign up with it.
  await owner.updateTable('provisioned_user').set({ identity_id: null }).where('identity_id', '=', identityId).execute()
  await sql`
    with ended as (
      update member set left_at = now() where identity_id = ${identityId} and left_at is null returning account_id
    )
    select pg_notify(${channels.members}, account_id::text) from ended`.execute(owner)
}
