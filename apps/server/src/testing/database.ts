/** Real databases for tests: one server for the whole run, one fresh database for whoever asks. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'

export interface TestDatabase {
  /** As the owner of everything in the database. */
  readonly url: string
  readonly name: string
  /** The server's own database, to make or drop others. */
  readonly adminUrl: string
  /** Ends whatever is still connected and removes the database. */
  drop(): Promise<void>
}

/**
 * A fresh database of its own. Migrate it as the test needs; drop it in `afterAll`.
 *
 * @param template another database of the server, to which nobody is connected; else it is empty
 * @throws when the tests were not started through the repository's vitest configuration
 */
export async function testDatabase(template = 'template1'): Promise<TestDatabase> {
  const adminUrl = process.env['TEST_DATABASE_URL']
  if (!adminUrl) throw new Error('TEST_DATABASE_URL is missing; run vitest from the root of the repository')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await query(adminUrl, `create database ${name} template ${template}`)
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
