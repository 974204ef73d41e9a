import pg from 'pg'
import { expect, it } from 'vitest'
import { testDatabase } from './database.ts'

it('creates isolated databases and drops them', async () => {
  const [first, second] = [await testDatabase(), await testDatabase()]
  const client = new pg.Client({ connectionString: first.url })
  client.on('error', () => undefined) // dropping the database ends this connection
  await client.connect()
  await client.query('create table mine (id int)')
  const { rows } = await client.query('show server_version_num')
  expect(Number(rows[0].server_version_num)).toBeGreaterThanOrEqual(160_000)

  const otherClient = new pg.Client({ connectionString: second.url })
  await otherClient.connect()
  await expect(otherClient.query('select * from mine')).rejects.toThrow('does not exist')
  await otherClient.end()

  await first.drop()
  await second.drop()
  await expect(new pg.Client({ connectionString: first.url }).connect()).rejects.toThrow('does not exist')
})
