/** Response times can't reveal the size of other workspaces if requests read only rows of their own workspace. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { rowId, seed, workspaceId } from '#testing/large-database.ts'
import { type Statement, statementsOf } from '#testing/statements.ts'
import { openTestUsers } from '#testing/test-users.ts'

const size = { hosts: 2000, issues: 600, occurrencesPerHost: 5, smallAccounts: 1 }
const small = workspaceId(1)
/** The owner of the small workspace in the seed. */
const person = 'bench1'

const users = await openTestUsers()
afterAll(() => users.close())
const { owner } = users.server.database

interface Scan {
  readonly table: string
  /** Rows that the step read each time that it ran, including those that it discarded. */
  readonly rows: number
}

const Plan = z.object({
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  get Plans() {
    return z.array(Plan).default([])
  },
})
const Explained = z.tuple([z.object({ Plan })])

/** The words are in every host, product, and issue of both workspaces. */
const searches = [
  'search?query=host',
  'targets?filter.query=target',
  'hosts?filter.query=host',
  'issues?filter.query=product',
  'products?filter.query=product',
]
const requests = users.endpoints
  // Calls about the installation are for its administrators, who see all workspaces.
  .filter(
    ({ method, path, input }) => method === 'GET' && !path.startsWith('/v1/installation') && !('query' in input.shape),
  )
  .map(({ path }) => path.replaceAll(/:\w+/g, idIn(path.split('/')[2])))
  .concat(searches.map((search) => `/v1/${search}`))

/** The ID of an object of the small workspace, or one that doesn't exist. */
function idIn(collection = ''): string {
  const kind = z.enum(['target', 'host', 'product', 'issue', 'scan']).safeParse(collection.replace(/s$/, ''))
  return kind.success ? rowId(kind.data, kind.data === 'scan' ? 466 : 1, 1) : workspaceId(2)
}

/** How many rows the small workspace has in each table that belongs to workspaces. */
let ownRows: ReadonlyMap<string, number>
beforeAll(async () => {
  await seed(owner, size, () => undefined)
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id'`.execute(owner)
  const counts = rows.map(async ({ name }) => {
    const counted = await sql<{ count: number }>`
      select count(*)::int from ${sql.table(name)} where account_id = ${small}`.execute(owner)
    return [name, counted.rows[0]?.count ?? 0] as const
  })
  ownRows = new Map(await Promise.all(counts))
}, 300_000) // creating the data is slow on a busy machine

it.each(requests)('SEC-B3 GET %s reads only rows of its workspace, next to a larger one', async (url) => {
  let status = 0
  const statements = await statementsOf(async () => {
    status = (await users.request({ method: 'GET', url }, person)).statusCode
  })
  expect(status).toBe(url.includes(workspaceId(2)) ? 404 : 200)
  const scans = await scansOf(statements)
  expect(scans.length).toBeGreaterThan(0)
  expect(scans.filter(readsOthers)).toEqual([])
})

it('SEC-A5 changes nothing on GET, except when the member was last here', async () => {
  const before = await digests()
  for (const url of requests) await users.request({ method: 'GET', url }, person)
  expect(await digests()).toEqual(before)
})

it('notices a statement that reads rows of all workspaces', async () => {
  const statement = { text: 'select name from host where name like $1', values: ['host-1%'] }
  expect((await explain(statement, 'none')).filter(readsOthers)).toEqual([{ table: 'host', rows: 2020 }])
})

/** A workspace without rows in a table may still be looked up. Tables without workspaces are the same for all. */
function readsOthers({ table, rows }: Scan): boolean {
  return rows > Math.max(1, ownRows.get(table) ?? Infinity)
}

/** Digests of the small workspace's rows, by table. */
async function digests(): Promise<Record<string, unknown>> {
  const tables = [...ownRows.keys()].filter((name) => name !== 'member')
  const digested = tables.map(async (name) => {
    const { rows } = await sql`
      select md5(string_agg(item::text, ',' order by item::text)) from ${sql.table(name)} as item
      where account_id = ${small}`.execute(owner)
    return [name, rows[0]]
  })
  return Object.fromEntries(await Promise.all(digested))
}

/** Explains statements as the role that sent them. */
async function scansOf(statements: readonly Statement[]): Promise<Scan[]> {
  const scans: Scan[] = []
  let role = 'none'
  for (const statement of statements) {
    // Transactions of the application start by setting its role.
    if (statement.text.includes(`set_config('role'`)) role = 'glacis_app'
    else if (/^\s*(commit|rollback)/i.test(statement.text)) role = 'none'
    else if (/^\s*(select|with)\b/i.test(statement.text)) scans.push(...(await explain(statement, role)))
  }
  return scans
}

async function explain({ text, values }: Statement, role: string): Promise<Scan[]> {
  const parts = text.split(/\$(\d+)/)
  const query = parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`))
  const explained = await owner.transaction().execute(async (tx) => {
    // PostgreSQL prefers to read all of a table that has only a few pages. For larger ones, it uses an index.
    await sql`
      select set_config('role', ${role}, true), set_config('glacis.account', ${small}, true),
        set_config('enable_seqscan', 'off', true)`.execute(tx)
    const { rows } = await sql<{ 'QUERY PLAN': unknown }>`
      explain (analyze, timing off, format json) ${sql.join(query, sql``)}`.execute(tx)
    return rows[0]?.['QUERY PLAN']
  })
  return scansIn(Explained.parse(explained)[0].Plan)
}

function scansIn(plan: z.infer<typeof Plan>): Scan[] {
  const table = plan['Relation Name']
  const rows = plan['Actual Rows'] + plan['Rows Removed by Filter'] + plan['Rows Removed by Index Recheck']
  return [...(table === undefined ? [] : [{ table, rows }]), ...plan.Plans.flatMap(scansIn)]
}
