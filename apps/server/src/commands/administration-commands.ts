/** The subcommands of `glacis identity` about the installation. They also work with an external identity service. */
import { recordIdentityEvent } from '#audit.ts'
import { CliError } from '#cli-error.ts'
import type { Database } from '#database/index.ts'
import { operatorName } from '#deletions.ts'
import { grantAdministration, revokeAdministration } from '#installation/index.ts'
import type { CommandOutput, IdentityContext, Subcommand } from './identity-subcommands.ts'

export const administrationCommands: readonly (readonly [string, Subcommand])[] = [
  ['grant-admin', { parameters: ['USER'], isIndependent: true, run: (context, args) => change(context, args, true) }],
  ['revoke-admin', { parameters: ['USER'], isIndependent: true, run: (context, args) => change(context, args, false) }],
  ['allow-all-networks', { parameters: [], isIndependent: true, run: allowAllNetworks }],
]

async function change(
  { database }: IdentityContext,
  [who = '']: readonly string[],
  isAdministrator: boolean,
): Promise<CommandOutput> {
  const { identity_id: id, email } = await findMember(database, who)
  if (isAdministrator) await grantAdministration(database.owner, id)
  else await revokeAdministration(database.owner, id)
  await recordIdentityEvent(database, {
    kind: isAdministrator ? 'administration_granted' : 'administration_revoked',
    identityId: id,
    ip: '',
    userAgent: 'glacis identity',
    at: new Date(),
    operator: operatorName(),
  })
  const line = isAdministrator ? 'administers this installation' : "doesn't administer this installation"
  return { lines: [`${email} ${line}.`], data: { id, email, isAdministrator } }
}

/** Finds a user among the members of all workspaces, because an external identity service may manage the accounts. */
async function findMember({ owner }: Pick<Database, 'owner'>, who: string) {
  const found = await owner
    .selectFrom('member')
    .select(['identity_id', 'email'])
    .where('left_at', 'is', null)
    .where(({ or, eb, fn }) => or([eb('identity_id', '=', who), eb(fn('lower', ['email']), '=', who.toLowerCase())]))
    .executeTakeFirst()
  if (found) return found
  throw new CliError(
    `No user found for ${who}. Users have to sign in once before they can administer the installation.`,
  )
}

/** Restores access for administrators whose own address isn't in the list. */
async function allowAllNetworks({ database: { owner } }: IdentityContext): Promise<CommandOutput> {
  await owner.updateTable('installation').set({ sign_in_networks: [] }).execute()
  await owner.updateTable('workspace').set({ sign_in_networks: [] }).execute()
  return { lines: ['Users can sign in from all networks, to all workspaces.'], data: { signInNetworks: [] } }
}
