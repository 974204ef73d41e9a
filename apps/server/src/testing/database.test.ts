import pg from 'pg'
import { expect, it } from 'vitest'
import { testDatabase } from './database.ts'

it('gives everyone a database of their own and takes it back', async () => {
  const [one, other] = [await testDatabase(), await testDatabase()]
  const client = new pg.Client({ connectionString: one.url })
  client.on('error', () => undefined) // dropping the database ends this connection
  await client.connect()
  await client.query('create table mine (id int)')
  const { rows } = await client.query('show server_version_num')
  expect(Number(rows[0].server_version_num)).toBeGreaterThanOrEqual(160_000)

  const stranger = new pg.Client({ connectionString: other.url })
  await stranger.connect()
  await expect(stranger.query('select * from mine')).rejects.toThrow('does not exist')
  await stranger.end()

  await one.drop()
  await other.drop()
  await expect(new pg.Client({ connectionString: one.url }).connect()).rejects.toThrow('does not exist')
})
