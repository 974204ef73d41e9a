import { pathParameters } from '@glacis/contract/endpoint'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { grantAdministration } from '#installation/index.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
beforeAll(async () => {
  for (const name of ['anna', 'pager']) await grantAdministration(users.server.database.owner, name)
})
afterAll(() => users.close())

describe('the API', () => {
  it('SEC-A5 accepts changes from its own origin only', async () => {
    const payload = { addresses: ['127.0.0.1'] }
    const foreign = await users.request({
      method: 'POST',
      url: '/v1/targets/parse',
      payload,
      headers: { origin: 'https://evil.example' },
    })
    expect(foreign.statusCode).toBe(403)
    expect((await users.request({ method: 'POST', url: '/v1/targets/parse', payload })).statusCode).toBe(200)
  })

  it.each([
    '/v1/targets?nonsense=1',
    '/v1/issues?filter.nonsense=1',
    '/v1/issues?pageSize=0',
    '/v1/issues?pageSize=501',
    '/v1/issues?pageToken=%00',
    '/v1/issues?filter.query=%00',
    '/v1/products?filter.vendor=%00',
    '/v1/tags?__proto__.x=1',
    '/v1/tags?toString=1',
  ])('SEC-G4 responds to %s with 400 and the invalid field', async (url) => {
    const response = await users.request({ method: 'GET', url })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ code: 3, details: [{ fieldViolations: [{}] }] })
  })

  it.each([
    ['/v1/issues?filter.nonsense=1', 'filter.nonsense', /^Unknown field. Allowed: scanId, .*severities/],
    ['/v1/targets?filter=nonsense', 'filter', /use filter\.FIELD=VALUE with one of: query, tagIds/],
    [`/v1/issues/${newId()}/comments?filter=nonsense`, 'filter', /^Unknown field. Allowed: id, pageSize, pageToken$/],
    [`/v1/products/${newId()}/threats?filter.nonsense=1`, 'filter.nonsense', /^Unknown field. Allowed: found$/],
    [`/v1/agents/${newId()}/jobs?nonsense=1`, 'nonsense', /^Unknown field. Allowed: id, pageSize/],
    ['/v1/tags?nonsense=1', 'nonsense', /^Unknown field. Allowed: none$/],
  ])('responds to %s with the unknown name and the known ones', async (url, field, description) => {
    const { details } = (await users.request({ method: 'GET', url })).json<{
      details: [{ fieldViolations: object[] }]
    }>()
    expect(details[0].fieldViolations).toEqual([{ field, description: expect.stringMatching(description) }])
  })

  it('uses the validation messages of the contract', async () => {
    const response = await users.request({
      method: 'POST',
      url: '/v1/targets',
      payload: { name: '', schedule: { period: 'X' } },
    })
    const body = response.json<{ details: [{ fieldViolations: { field: string; description: string }[] }] }>()
    expect(Object.fromEntries(body.details[0].fieldViolations.map((item) => [item.field, item.description]))).toEqual({
      name: 'String must contain at least 1 character(s)',
      address: 'Required',
      'schedule.period': "Invalid enum value. Expected 'PERIOD_DAILY' | 'PERIOD_WEEKLY' | 'PERIOD_MONTHLY'",
    })
  })

  it('responds with 400 to a body that is not JSON', async () => {
    const response = await users.request({
      method: 'POST',
      url: '/v1/targets',
      payload: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect(response.statusCode).toBe(400)
  })
})

describe('a page token', () => {
  it('continues its own list and is rejected by all others', async () => {
    for (const name of ['one', 'two']) await users.target('pager', name)
    const get = (url: string) => users.request({ method: 'GET', url }, 'pager')
    const first = await get('/v1/targets?pageSize=1')
    const { nextPageToken } = first.json<{ nextPageToken: string }>()
    expect(nextPageToken).not.toBe('')
    const lists = users.endpoints.filter(
      ({ method, path, input }) => method === 'GET' && 'pageToken' in input.shape && pathParameters(path).length === 0,
    )
    expect(lists.length).toBeGreaterThan(5)
    for (const { path } of lists) {
      const query = path === '/v1/search' ? 'query=a&' : ''
      const { statusCode } = await get(`${path}?${query}pageToken=${nextPageToken}`)
      expect([path, statusCode]).toEqual([path, path === '/v1/targets' ? 200 : 400])
    }
  })
})

describe('row-level security', () => {
  it('SEC-B2 hides all rows from a transaction without a workspace', async () => {
    await users.target('anna')
    for (const name of await accountTables()) {
      const rows = await users.server.database.app.transaction().execute(async (tx) => {
        await sql`set local role glacis_app`.execute(tx)
        return (await sql`select 1 from ${sql.table(name)} limit 1`.execute(tx)).rows
      })
      expect([name, rows.length]).toEqual([name, 0])
    }
  })

  it('SEC-B2 hides rows of other workspaces even from a query without a condition on the workspace', async () => {
    await users.target('anna')
    const bert = await users.server.createWorkspace()
    for (const name of await accountTables()) {
      const others = await users.server.as(bert, async ({ tx }) => {
        const { rows } = await sql`select 1 from ${sql.table(name)} where account_id <> ${bert}::uuid limit 1`.execute(
          tx,
        )
        return rows
      })
      expect([name, others]).toEqual([name, []])
    }
  })

  it.each([sql`update audit_event set action = 'none'`, sql`delete from audit_event`])(
    'SEC-H2 lets the application only append to the audit log (statement %#)',
    async (statement) => {
      const workspace = await users.server.createWorkspace()
      await expect(users.server.as(workspace, ({ tx }) => statement.execute(tx))).rejects.toThrow('permission denied')
    },
  )

  it('SEC-B3 identifies the rows of a workspace by UUID, which reveals no counts', async () => {
    const { rows } = await sql<{ name: string; type: string }>`
      select c.table_name as name, c.data_type as type from information_schema.columns c
      where c.table_schema = 'public' and c.column_name = 'id' and c.table_name = any(${await accountTables()})`.execute(
      users.server.database.owner,
    )
    expect(rows.length).toBeGreaterThan(10)
    // The number of an event orders the live stream. It counts the events of all workspaces, so the API only shows it encrypted.
    expect(rows.filter(({ type }) => type !== 'uuid').map(({ name }) => name)).toEqual(['event'])
  })
})

async function accountTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id'`.execute(users.server.database.owner)
  expect(rows.length).toBeGreaterThan(10)
  return rows.map(({ name }) => name)
}
