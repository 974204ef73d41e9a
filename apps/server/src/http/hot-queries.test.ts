/** Explains the statements of lists, details, and charts on a workspace that owns most of the data. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ctx, systemActor } from '#ctx.ts'
import { type Database, inWorkspace, openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { ecosystem } from '#graph.ts'
import { getHost, getProduct, listHosts, listProducts } from '#inventory/index.ts'
import { getIssue, listIssues } from '#issues/index.ts'
import { getScan, listScanEvents, listScans } from '#scans/index.ts'
import { affectedHosts, issuesBySeverity, issuesByStatus, scans, summary } from '#stats/index.ts'
import { describeTargets, getTarget, listTargets } from '#targets/index.ts'
import { testDatabase } from '#testing/database.ts'
import { workspaceId, rowId, seed } from '#testing/large-database.ts'
import { type Statement, statementsOf } from '#testing/statements.ts'
import { sql } from 'kysely'

const size = { hosts: 3000, issues: 1000, occurrencesPerHost: 10, smallAccounts: 2 }
/** Tables that grow without limit. No statement may scan one of them completely. */
const largeTables = [
  'occurrence',
  'issue_event',
  'issue_target',
  'host',
  'host_product',
  'service',
  'scan_issue',
  'scan_host',
  'scan_event',
  'stats_day',
]
const silentLog = { info() {}, warn() {}, error() {} }
let database: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const testDb = await testDatabase()
  drop = testDb.drop
  database = openDatabase(testDb.url, silentLog, { app: 1, owner: 1 })
  await migrate(database.owner)
  await seed(database.owner, size, () => undefined)
}, 300_000) // creating the data is slow on a busy machine
afterAll(async () => {
  await database.close()
  await drop()
})

const [target, host, product, issue, scan] = [
  rowId('target', 7),
  rowId('host', 55),
  rowId('product', 590),
  rowId('issue', 300),
  rowId('scan', 155 * 400 + 7),
]
const verified = { verification: 'VERIFICATION_FILTER_VERIFIED', status: ['STATUS_FILTER_OPEN'] } as const
const year = { period: 'PERIOD_YEAR' } as const
const quarter = { period: 'PERIOD_QUARTER' } as const

const calls: Readonly<Record<string, (ctx: Ctx) => Promise<unknown>>> = {
  targets: (ctx) => listTargets(ctx, {}),
  'one target': (ctx) => getTarget(ctx, { id: target }),
  hosts: (ctx) => listHosts(ctx, {}, describeTargets),
  'hosts of a target': (ctx) => listHosts(ctx, { filter: { targetId: target } }, describeTargets),
  'one host': (ctx) => getHost(ctx, { id: host }, describeTargets),
  'hosts of a product': (ctx) => listHosts(ctx, { filter: { productId: product } }, describeTargets),
  products: (ctx) => listProducts(ctx, {}),
  'one product': (ctx) => getProduct(ctx, { id: product }),
  scans: (ctx) => listScans(ctx, {}),
  'one scan': (ctx) => getScan(ctx, { id: scan }),
  'events of a scan': (ctx) => listScanEvents(ctx, { id: scan }),
  'open verified issues': (ctx) =>
    listIssues(ctx, { filter: { ...verified, status: [...verified.status] } }, describeTargets),
  'issues by priority': (ctx) =>
    listIssues(ctx, { orderBy: 'ORDER_BY_PRIORITY', filter: { verification: verified.verification } }, describeTargets),
  'all issues': (ctx) => listIssues(ctx, {}, describeTargets),
  'issues of a host': (ctx) => listIssues(ctx, { filter: { affectedHostId: host } }, describeTargets),
  'issues of a target': (ctx) => listIssues(ctx, { filter: { affectedTargetId: target } }, describeTargets),
  'open issues of a host': (ctx) =>
    listIssues(ctx, { filter: { affectedHostId: host, status: ['STATUS_FILTER_OPEN'] } }, describeTargets),
  'open issues of a target': (ctx) =>
    listIssues(ctx, { filter: { affectedTargetId: target, status: ['STATUS_FILTER_OPEN'] } }, describeTargets),
  'issues of a product': (ctx) => listIssues(ctx, { filter: { productId: product } }, describeTargets),
  'issues of a scan': (ctx) => listIssues(ctx, { filter: { scanId: scan } }, describeTargets),
  'one issue': (ctx) => getIssue(ctx, { id: issue }, describeTargets),
  'issues by severity over a year': (ctx) => issuesBySeverity(ctx, year),
  'issues by status over a quarter': (ctx) => issuesByStatus(ctx, quarter),
  'issues of a target by status over a year': (ctx) =>
    issuesByStatus(ctx, { ...year, filter: { affectedTargetId: target } }),
  'issues of a host by status over a year': (ctx) => issuesByStatus(ctx, { ...year, filter: { affectedHostId: host } }),
  'affected hosts over a year': (ctx) => affectedHosts(ctx, year),
  'scans over a year': (ctx) => scans(ctx, year),
  'the summary': (ctx) => summary(ctx, { ...year, filter: { verification: verified.verification } }),
  'the graph': (ctx) => ecosystem(ctx, { maxNodes: 200 }),
  'the graph of a target': (ctx) => ecosystem(ctx, { maxNodes: 200, filter: { targetId: target } }),
}

/** Large tables that the plan of a statement scans completely. */
async function scannedTables(ctx: Ctx, { text, values }: Statement): Promise<string[]> {
  const parts = text
    .split(/\$(\d+)/)
    .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`))
  const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${sql.join(parts, sql``)}`.execute(ctx.tx)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  return [...plan.matchAll(/Seq Scan on (\w+)/g)].flatMap(([, table = '']) =>
    largeTables.includes(table) ? [table] : [],
  )
}

describe('no large table is scanned completely for', () => {
  it.each(Object.keys(calls))('%s', async (name) => {
    const as = { workspace: workspaceId(0), actor: systemActor, log: silentLog }
    const call = calls[name]
    if (!call) throw new Error('unknown call')
    const sent = await statementsOf(() => inWorkspace(database, as, call))
    const statements = sent.filter(({ text }) => /^\s*(select|with|update|insert|delete)\b/i.test(text))
    expect(statements.length).toBeGreaterThan(0)
    for (const statement of statements) {
      const tables = await inWorkspace(database, as, (ctx) => scannedTables(ctx, statement))
      expect([tables, tables.length > 0 && statement.text]).toEqual([[], false])
    }
  })
})
