/** The administrators of the installation, and the networks from which users can sign in. */
import type { Database } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql } from 'kysely'

/** The first account of an installation administers it. Call when a person gets their first workspace. */
export async function appointFirstAdministrator(db: Kysely<Tables>, identityId: string): Promise<void> {
  await sql`
    with first as (
      update installation set has_first_admin = true where not has_first_admin returning is_only
    )
    insert into installation_admin (identity_id) select ${identityId} from first
    on conflict do nothing`.execute(db)
}

export async function grantAdministration(db: Kysely<Tables>, identityId: string): Promise<void> {
  await db
    .insertInto('installation_admin')
    .values({ identity_id: identityId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** @returns whether the person was an administrator */
export async function revokeAdministration(db: Kysely<Tables>, identityId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('installation_admin')
    .where('identity_id', '=', identityId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function administratorIds(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('installation_admin').select('identity_id').execute()
  return new Set(rows.map((row) => row.identity_id))
}

export async function signInNetworks({ owner }: Pick<Database, 'owner'>): Promise<readonly string[]> {
  const row = await owner.selectFrom('installation').select('sign_in_networks').executeTakeFirst()
  return row?.sign_in_networks ?? []
}

export interface InstallationAccess {
  readonly isAdministrator: boolean
  readonly signInNetworks: readonly string[]
}

export async function accessOf(db: Kysely<Tables>, identityId: string): Promise<InstallationAccess> {
  const { rows } = await sql<InstallationAccess>`
    select exists (select from installation_admin where identity_id = ${identityId}) as "isAdministrator",
      coalesce((select sign_in_networks from installation), '{}') as "signInNetworks"`.execute(db)
  return rows[0] ?? { isAdministrator: false, signInNetworks: [] }
}
