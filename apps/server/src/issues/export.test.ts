import { createHash } from 'node:crypto'
import { ExportQuery } from '@glacis/contract/triage'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportIssues } from '#issues/index.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'

let server: TestServer
let workspace: string
const now = new Date('2026-11-20T08:00:00Z')
const later = (days: number) => new Date(now.getTime() + days * 86_400_000)

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  workspace = await server.createWorkspace()
  await seedIssues(server, workspace, { issues: 3, hosts: 2, at: later(-10) })
})

describe('an export', () => {
  const text = async (input: object, of = workspace) => {
    const pieces: string[] = []
    const query = ExportQuery.parse(input)
    for await (const piece of exportIssues((work) => server.as(of, work), query)) pieces.push(piece)
    return pieces.join('')
  }
  const rows = async (input: object) => parse(await text(input), { columns: true }) as Record<string, string>[]

  it('contains exactly the filtered issues and selected columns', async () => {
    const table = await rows({ columns: ['name', 'severity', 'status'], filter: { severities: ['CATEGORY_LOW'] } })
    expect(table).toEqual([{ name: 'Threat 2', severity: 'low', status: 'open' }])
  })

  it('has one row per host if a column is about hosts', async () => {
    const table = await rows({ columns: ['id', 'hostAddress'], filter: { cve: 'CVE-2026-0001' } })
    expect(new Set(table.map((row) => row['hostAddress']))).toEqual(new Set(['127.63.0.0', '127.63.0.1']))
    expect(table).toHaveLength(2)
  })

  it.each([
    ['8080/admin/', '8080', '/admin/'],
    ['443 shop.example/cart grade-f', '443', '/cart'],
    ['53/udp', '53/udp', ''],
    ['6379', '6379', ''],
    ['package openssl', '', ''],
  ])('splits the location %s into port and path', async (location, hostPort, hostPath) => {
    await sql`update occurrence set location = ${location} where account_id = ${workspace}`.execute(
      server.database.owner,
    )
    const [row] = await rows({ columns: ['hostPort', 'hostPath'], filter: { cve: 'CVE-2026-0001' } })
    expect(row).toEqual({ hostPort, hostPath })
  })

  it('includes merged hosts, as lists do', async () => {
    const { rows: hosts } = await sql<{ id: string }>`
      select id from host where account_id = ${workspace} order by address`.execute(server.database.owner)
    const [first, second] = hosts.map((host) => host.id)
    await sql`update host set merged_into = ${first} where account_id = ${workspace} and id = ${second}`.execute(
      server.database.owner,
    )
    const filter = { cve: 'CVE-2026-0001', affectedHostId: first }
    const table = await rows({ columns: ['hostAddress'], filter })
    expect(new Set(table.map((row) => row['hostAddress']))).toEqual(new Set(['127.63.0.0', '127.63.0.1']))
    expect(table).toHaveLength(2)
  })

  it('SEC-D3 prevents spreadsheet formulas', async () => {
    await sql`update threat set name = '=HYPERLINK("http://x";"y"),1' where key = 'CVE-2026-0001'`.execute(
      server.database.owner,
    )
    const csv = await text({ columns: ['name'], filter: { cve: 'CVE-2026-0001' } })
    await sql`update threat set name = 'Threat 0' where key = 'CVE-2026-0001'`.execute(server.database.owner)
    expect(csv).toBe('name\r\n"\'=HYPERLINK(""http://x"";""y""),1"\r\n')
  })

  it('escapes free text, and keeps numbers and lists readable', async () => {
    const name = '\r\tone, "two"\nüß \\1 \u0001'
    await sql`update threat set name = ${name}, score = 10, epss_score = 0.00001 where key = 'CVE-2026-0001'`.execute(
      server.database.owner,
    )
    await sql`
      update issue set score = 10
      where threat_id = (select id from threat where key = 'CVE-2026-0001')`.execute(server.database.owner)
    const request = { columns: ['name', 'score', 'epss'], filter: { cve: 'CVE-2026-0001' } }
    const [csv, json] = [await text(request), await text({ ...request, format: 'json' })]
    await sql`update threat set name = 'Threat 0', score = 9.8, epss_score = null where key = 'CVE-2026-0001'`.execute(
      server.database.owner,
    )
    await sql`
      update issue set score = 9.8
      where threat_id = (select id from threat where key = 'CVE-2026-0001')`.execute(server.database.owner)
    expect(csv).toBe(`name,score,epss\r\n"'${name.replaceAll('"', '""')}",10,0.00001\r\n`)
    expect(JSON.parse(json)).toEqual({ issues: [{ name, score: 10, epss: 0.00001 }] })
  })

  it('is typed JSON, valid even when empty', async () => {
    const rows = JSON.parse(
      await text({ format: 'json', columns: ['name', 'score', 'kev', 'dueTime'], filter: { kev: true } }),
    ) as unknown
    expect(rows).toEqual({ issues: [{ name: 'Threat 0', score: 9.8, kev: true, dueTime: null }] })
    expect(JSON.parse(await text({ format: 'json', filter: { query: 'nothing like it' } }))).toEqual({ issues: [] })
  })

  it('continues across pages without missing rows', async () => {
    const largeAccount = await server.createWorkspace()
    const { issueIds } = await seedIssues(server, largeAccount, { issues: 2001, hosts: 1, at: later(-10) })
    const lines = (await text({ columns: ['id'] }, largeAccount)).trim().split('\r\n').slice(1)
    expect(digest(lines.toSorted())).toBe(digest(issueIds.toSorted()))
  })
})

const digest = (list: readonly string[]) => `${list.length} ${createHash('sha256').update(list.join()).digest('hex')}`
