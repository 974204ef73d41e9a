/** A database per test file, on the server that the repository's Vitest setup starts. */
import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { migrations } from '#migrations.ts'
import type { Tables } from '#store.ts'

export interface TestDatabase {
  readonly db: Kysely<Tables>
  /** A separate connection, for example for LISTEN. */
  connect(): Promise<pg.Client>
  close(): Promise<void>
}

/** Creates an empty database and applies the migrations. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const adminUrl = process.env['TEST_DATABASE_URL']
  if (!adminUrl) throw new Error('TEST_DATABASE_URL is not set; run Vitest from the repository root')
  const name = `identity_${randomBytes(6).toString('hex')}`
  await run(adminUrl, `create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 8 })
  pool.on('error', () => undefined)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  for (const { up } of Object.values(migrations)) await up(db)
  const clients: pg.Client[] = []
  return {
    db,
    async connect() {
      const client = new pg.Client({ connectionString: url.href })
      clients.push(client)
      await client.connect()
      return client
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()))
      await db.destroy()
      await run(adminUrl, `drop database ${name} with (force)`)
    },
  }
}

async function run(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
