import type { Observation } from '@glacis/contract/runner'
import { parseFormattedString, parseNvd, toWfn } from '@glacis/intelligence'
import { beforeEach, expect, it } from 'vitest'
import { recordInventory, watchProduct } from '#inventory/index.ts'
import { getIssue, listIssues } from '#issues/index.ts'
import { fromRecord } from '#packs/index.ts'
import { matchChangedThreats } from '#scans/emerging.ts'
import { listScans } from '#scans/index.ts'
import { createTarget, deleteTargets, describeTargets, listTargets } from '#targets/index.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { scanningIn } from '#testing/scanning.ts'
import { sql } from 'kysely'

const server = await sharedTestServer()
let workspace: string
let number = 0

const address = '127.92.7.1'
beforeEach(async () => {
  workspace = await server.createWorkspace()
  number += 1
  await server.as(workspace, async (ctx) => {
    const input = { name: 'Web', address, schedule: { period: 'PERIOD_WEEKLY' as const }, tags: [] }
    const { target } = await createTarget(ctx, input)
    await recordInventory(ctx, target.id, [
      { kind: 'host', address, names: [], reached: true, reason: '', answersEverything: false },
      { kind: 'service', address, port: 80, transport: 'tcp', protocol: 'http', tls: false, banner: '' },
      widget('1.5'),
    ])
  })
})

function widget(version: string): Observation {
  const name = parseFormattedString(`cpe:2.3:a:acme:widget_${number}:${version}:*:*:*:*:*:*:*`)
  if (!name) throw new Error('no name')
  return {
    kind: 'technology',
    address,
    port: 80,
    transport: 'tcp',
    name: 'Widget',
    wfn: toWfn(name),
    evidence: `Widget/${version}`,
    quality: 80,
  }
}

interface RecordOptions {
  readonly end?: string
  readonly id?: string
  readonly published?: Date
  readonly modified?: Date
}
/** Imports a record by which the widget is vulnerable up to a version. */
async function feed(options: RecordOptions = {}) {
  const { end = '2.0', id = `CVE-2026-${20_000 + number}`, published = new Date(), modified = new Date() } = options
  const item = parseNvd({
    id,
    published: published.toISOString(),
    lastModified: modified.toISOString(),
    descriptions: [{ lang: 'en', value: 'The widget is vulnerable.' }],
    metrics: {
      cvssMetricV31: [
        {
          source: 'nvd@nist.gov',
          cvssData: { vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', baseScore: 9.8 },
        },
      ],
    },
    configurations: [
      {
        nodes: [
          {
            operator: 'OR',
            cpeMatch: [
              {
                vulnerable: true,
                criteria: `cpe:2.3:a:acme:widget_${number}:*:*:*:*:*:*:*:*`,
                versionEndExcluding: end,
              },
            ],
          },
        ],
      },
    ],
  })
  if (item.kind !== 'threat') throw new Error(item.problem)
  await server.addThreats(fromRecord(item.threat, 'nvd'))
}

async function matchChanges(): Promise<void> {
  await matchChangedThreats(scanningIn(server), AbortSignal.timeout(20_000))
}

const issues = () =>
  server.as(workspace, async (ctx) => {
    const { issues: found } = await listIssues(ctx, {}, describeTargets)
    return Promise.all(found.map(async ({ id }) => (await getIssue(ctx, { id }, describeTargets)).issue))
  })
const scanTypes = () => server.as(workspace, async (ctx) => (await listScans(ctx, {})).scans.map((scan) => scan.type))
async function announcementTitles(): Promise<string[]> {
  const { rows } = await sql<{ title: string }>`
    select title from event where account_id = ${workspace} and kind = 'EVENT_THREAT_EMERGING'`.execute(
    server.database.owner,
  )
  return rows.map((row) => row.title)
}

it('raises a potential issue, starts an emerging-threat scan, and announces it once', async () => {
  await feed()
  await matchChanges()
  await matchChanges()
  expect(await issues()).toMatchObject([
    { status: 'STATUS_OPEN', verification: 'VERIFICATION_UNVERIFIED', affectedHosts: [{ host: { address } }] },
  ])
  expect(await scanTypes()).toEqual(['TYPE_EMERGING'])
  expect(await announcementTitles()).toEqual([`CVE-2026-${20_000 + number} affects Widget 1.5 on one host`])
})

it('ignores software of deleted targets', async () => {
  await server.as(workspace, async (ctx) => {
    const { targets } = await listTargets(ctx, {})
    await deleteTargets(
      ctx,
      targets.map((target) => target.id),
    )
  })
  await feed()
  await matchChanges()
  expect(await issues()).toEqual([])
  expect([await scanTypes(), await announcementTitles()]).toEqual([[], []])
})

it('raises old threats that are new to the installation without announcing them', async () => {
  await feed({ published: new Date('2020-01-01') })
  await matchChanges()
  expect(await issues()).toHaveLength(1)
  expect([await scanTypes(), await announcementTitles()]).toEqual([[], []])
})

it('resolves issues that a changed record no longer implies, with the reason', async () => {
  await feed()
  await matchChanges()
  await feed({ end: '1.2', modified: new Date(Date.now() + 60_000) })
  await matchChanges()
  const [issue] = await issues()
  expect(issue?.status).toBe('STATUS_RESOLVED')
  expect(issue?.history.at(-1)?.reason).toContain('changed and no longer matches this software')
})

it("doesn't announce threats below the minimum severity", async () => {
  await sql`update product set min_notification_severity = 10 where account_id = ${workspace}`.execute(
    server.database.owner,
  )
  await feed()
  await matchChanges()
  expect(await issues()).toHaveLength(1)
  expect(await announcementTitles()).toEqual([])
})

it("announces threats to watched software that isn't installed", async () => {
  const id = `CVE-2026-${30_000 + number}`
  number += 1000
  const wfn = { vendor: 'acme', product: `widget_${number}` }
  await server.as(workspace, (ctx) =>
    watchProduct(ctx, { name: 'Gadget', version: '', wfn, minNotificationSeverity: 7 }),
  )
  await feed({ id })
  await matchChanges()
  expect(await announcementTitles()).toEqual([`${id} affects Gadget`])
  expect(await scanTypes()).toEqual([])
})

it('raises priority and severity when ratings change', async () => {
  await feed({ published: new Date('2020-01-01') })
  await matchChanges()
  const [before] = await issues()
  await sql`update threat set known_exploited_at = now() where key = ${`CVE-2026-${20_000 + number}`}`.execute(
    server.database.owner,
  )
  await matchChanges()
  const [after] = await issues()
  expect(before?.priority).toBe(29)
  expect(after?.priority).toBe(54)
  expect(after?.priorityParts?.map(({ label }) => label)).toEqual([
    'Severity 9.8',
    'Exploited in the wild (KEV)',
    'Potential, not verified',
  ])
})

it('raises end-of-life software from the end date on', async () => {
  const key = `end-of-life-widget-${number}-1.5`
  const due = new Date(Date.now() + 86_400_000)
  await feed({ id: `CVE-2026-${40_000 + number}`, published: new Date('2020-01-01') })
  await sql`update threat set key = ${key}, kind = 'lifecycle', effective_at = ${due} where key = ${`CVE-2026-${40_000 + number}`}`.execute(
    server.database.owner,
  )
  await matchChanges()
  expect(await issues()).toEqual([])
  await sql`update threat set effective_at = now() - interval '1 second' where key = ${key}`.execute(
    server.database.owner,
  )
  await matchChanges()
  expect(await issues()).toHaveLength(1)
})
