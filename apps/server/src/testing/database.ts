/** Real databases for tests: one server per run, one database per caller. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'

export interface TestDatabase {
  /** Connection URL of the database's owner. */
  readonly url: string
  readonly name: string
  /** Connection URL for creating and dropping databases. */
  readonly adminUrl: string
  /** Ends remaining connections and drops the database. */
  drop(): Promise<void>
}

/**
 * Creates a database. Drop it in `afterAll`.
 *
 * @param template another database of the server without connections; by default the database is empty
 * @throws if the tests were not started with the repository's Vitest configuration
 */
export async function testDatabase(template = 'template1'): Promise<TestDatabase> {
  const adminUrl = process.env['TEST_DATABASE_URL']
  if (!adminUrl) throw new Error('TEST_DATABASE_URL is missing; run vitest from the root of the repository')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Copying files takes a sixth of the CPU time of copying pages through the log.
  await query(adminUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, name, adminUrl, drop: () => query(adminUrl, `drop database if exists ${name} with (force)`) }
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
