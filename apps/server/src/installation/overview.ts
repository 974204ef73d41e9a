/** The installation as a whole: version, usage, and settings of sign-in. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/installation'
import { recordIdentityEvent } from '#audit.ts'
import { requireUnchanged } from '#errors.ts'
import { rejectLockout } from '#networks.ts'
import type { Visit } from '#ctx.ts'
import type { Administration } from '#installation/administration.ts'
import { newerRelease } from '#installation/releases.ts'
import { version } from '#version.ts'
import { sql } from 'kysely'

type Result = ResultOf<typeof contract.getInstallation>
interface Row {
  readonly accounts: number
  readonly workspaces: number
  readonly targets: number
  readonly hosts: number
  readonly scans: number
  readonly databaseBytes: number
  readonly databaseVersion: string
  readonly signInNetworks: string[]
}

export async function getInstallation({ database, config }: Administration): Promise<Result> {
  const [{ rows }, update] = await Promise.all([
    sql<Row>`
      select (select count(distinct identity_id) from member where left_at is null) as accounts,
        (select count(*) from workspace) as workspaces, (select count(*) from target where deleted_at is null) as targets,
        (select count(*) from host) as hosts, (select count(*) from scan) as scans,
        pg_database_size(current_database()) as "databaseBytes",
        current_setting('server_version') as "databaseVersion",
        coalesce((select sign_in_networks from installation), '{}') as "signInNetworks"`.execute(database.owner),
    newerRelease(config.releases),
  ])
  const [row] = rows
  if (!row) throw new Error('the statement returns one row')
  const { databaseVersion, signInNetworks, ...usage } = row
  return {
    installation: {
      version,
      nodeVersion: process.versions.node,
      databaseVersion,
      ...(update && { update }),
      usage,
      ...(config.identityUrl !== undefined && { identityUrl: config.identityUrl }),
      sendsEmail: config.smtpUrl !== undefined,
      signInNetworks,
    },
  }
}

/**
 * @throws ApiError `precondition` if the list excludes the administrator, without confirmation; `conflict` if it replaces another
 *   list
 */
export async function setInstallationNetworks(
  administration: Administration,
  { person, actor }: Visit,
  input: ParsedInputOf<typeof contract.setInstallationNetworks>,
): Promise<Result> {
  rejectLockout(input, actor.ip)
  const { owner } = administration.database
  await owner.transaction().execute(async (tx) => {
    const current = await tx.selectFrom('installation').select('sign_in_networks').forUpdate().executeTakeFirst()
    requireUnchanged(input.replaces, current?.sign_in_networks ?? [])
    await tx.updateTable('installation').set({ sign_in_networks: input.networks }).execute()
  })
  await recordIdentityEvent(administration.database, {
    kind: 'sign_in_networks_changed',
    identityId: person.identityId,
    ip: actor.ip,
    userAgent: actor.userAgent ?? '',
    at: new Date(),
    detail: input.networks.join(', '),
  })
  return getInstallation(administration)
}
