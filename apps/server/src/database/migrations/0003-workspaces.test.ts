import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { migrate } from '#database/migrate.ts'
import { testDatabase } from '#testing/database.ts'

const ids = { anna: '0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01', bert: '0199c0de-7a10-7c3e-9f00-5b1e6a2d4c02' }

it('turns accounts into workspaces with one owner, and keeps IDs and data', async () => {
  const database = await testDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  pool.on('error', () => undefined)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    await migrate(db, ['0001-baseline'])
    await fill(db)
    await migrate(db)
    const { rows } = await sql`
      select workspace.id, workspace.name, plan_id, role, identity_id, email
      from workspace join member on account_id = workspace.id order by email`.execute(db)
    expect(rows).toEqual([
      { id: ids.anna, name: 'Anna', plan_id: 'team', role: 'owner', identity_id: 'anna', email: 'anna@example.ch' },
      { id: ids.bert, name: 'Bert', plan_id: 'team', role: 'owner', identity_id: 'bert', email: 'bert@example.ch' },
    ])
    const owned = await sql`
      select api_token.role, created_by_id, allowed_networks, saved_view.owner_id, target.name
      from api_token join saved_view using (account_id) join target using (account_id)
      where account_id = ${ids.anna}`.execute(db)
    expect(owned.rows).toEqual([
      { role: 'owner', created_by_id: 'anna', allowed_networks: [], owner_id: 'anna', name: 'Web' },
    ])
    expect(await visibleTargets(db, ids.bert)).toEqual([])
    expect(await visibleTargets(db, ids.anna)).toEqual(['Web'])
  } finally {
    await db.destroy()
    await database.drop()
  }
})

async function fill(db: Kysely<unknown>): Promise<void> {
  for (const [name, id] of Object.entries(ids)) {
    const capitalized = name.charAt(0).toUpperCase() + name.slice(1)
    await sql`
      insert into account (id, identity_id, name, email, plan_id)
      values (${id}, ${name}, ${capitalized}, ${`${name}@example.ch`}, 'team')`.execute(db)
  }
  await sql`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    values (${ids.anna}, new_id(), 'Web', '127.0.0.1', 'HOST', 'PERIOD_WEEKLY', now(), now())`.execute(db)
  await sql`
    insert into saved_view (account_id, id, name, page, query, shared, created_at, updated_at)
    values (${ids.anna}, new_id(), 'Mine', '/scope', '', false, now(), now())`.execute(db)
  await sql`
    insert into api_token (account_id, id, name, scopes, prefix, digest, created_by, created_at, expires_at)
    values (${ids.anna}, new_id(), 'ci', '{SCOPE_READ}', 'glc_', '\\x00', 'Anna', now(), now())`.execute(db)
}

/** As the application sees them, with row-level security. */
async function visibleTargets(db: Kysely<unknown>, workspace: string): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    await sql`set local role glacis_app`.execute(tx)
    await sql`select set_config('glacis.account', ${workspace}, true)`.execute(tx)
    const { rows } = await sql<{ name: string }>`select name from target`.execute(tx)
    return rows.map(({ name }) => name)
  })
}
