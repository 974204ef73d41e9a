import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { getIssue, setHostStatus, setIssueStatus, setStatusOfMany } from '#issues/index.ts'
import { raise } from '#issues/raise.ts'
import { rollUp } from '#issues/rollup.ts'
import { workspacesWithPendingDecisions, applyPendingDecisions } from '#issues/pending-decisions.ts'
import { type TestServer, startTestServer, person } from '#testing/test-server.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const begin = new Date(Date.now() - 3_600_000)
const queued: string[] = []
const background = {
  jobs: { enqueue: async (_: unknown, name: string) => void queued.push(name) },
  occurrencesMax: 3,
}
const log = { info() {}, warn() {}, error() {} }
const applyAll = (workspace: string) =>
  applyPendingDecisions({ ...server, log }, workspace, new AbortController().signal)
const seed = async (issues: number, hosts: number) => {
  const workspace = await server.createWorkspace()
  return {
    workspace,
    ...(await seedIssues(server, workspace, { issues, hosts, at: new Date(begin.getTime() - 86_400_000) })),
  }
}
type Seeded = Awaited<ReturnType<typeof seed>>
const at = (seconds: number, actor = person) => ({ now: new Date(begin.getTime() + seconds * 1000), actor })
const ignoring = { status: 'STATUS_IGNORED', reason: 'REASON_ACCEPTED_RISK', comment: 'known' } as const
const ignoreAll = ({ workspace, issueIds }: Seeded) =>
  server.as(workspace, (ctx) => setStatusOfMany(ctx, { ids: [...issueIds], ...ignoring }, background), at(1))
const read = (workspace: string, id = '') =>
  server.as(workspace, async (ctx) => (await getIssue(ctx, { id }, describeTargets)).issue)

async function occurrencesOf(workspace: string): Promise<{ status: string }[]> {
  const { rows } = await sql<{ status: string }>`
    select threat.name, host.address, occurrence.status, occurrence.ignore_reason, occurrence.ignore_comment,
           occurrence.ignored_by, occurrence.ignored_at
    from occurrence
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    join threat on threat.id = issue.threat_id
    join host on host.account_id = occurrence.account_id and host.id = occurrence.host_id
    where occurrence.account_id = ${workspace}
    order by threat.name, host.address`.execute(server.database.owner)
  return rows
}

/** The end times of two decisions differ by the time between them. */
const withoutEnd = (ignored: { untilTime?: string | undefined } | undefined) =>
  ignored && { ...ignored, untilTime: undefined }

/** Issues as shown to a user, without IDs, which differ between workspaces. */
async function shown(workspace: string, ids: readonly string[]): Promise<unknown[]> {
  const issues = await Promise.all(ids.map((id) => read(workspace, id)))
  return issues.map(({ status, ignored, affectedHosts }) => ({
    status,
    ignored: withoutEnd(ignored),
    hosts: affectedHosts
      .map((item) => ({ address: item.host.address, status: item.status, ignored: withoutEnd(item.ignored) }))
      .toSorted((a, b) => (a.address < b.address ? -1 : 1)),
  }))
}

it('applies immediately to the issue and its displayed hosts, and later to each occurrence', async () => {
  const fixture = await seed(2, 4)
  queued.length = 0
  const { updatedCount } = await ignoreAll(fixture)
  expect(updatedCount).toBe(2)
  expect(queued).toEqual(['decisions'])
  const issue = await read(fixture.workspace, fixture.issueIds[0])
  expect(issue.status).toBe('STATUS_IGNORED')
  expect(issue.history.at(-1)).toMatchObject({ status: 'STATUS_IGNORED', actor: person.name })
  expect(new Set(issue.affectedHosts.map((host) => host.status))).toEqual(new Set(['STATUS_IGNORED']))
  expect(new Set((await occurrencesOf(fixture.workspace)).map((row) => row.status))).toEqual(new Set(['STATUS_OPEN']))
  await applyAll(fixture.workspace)
  const occurrences = await occurrencesOf(fixture.workspace)
  expect(occurrences).toHaveLength(8)
  for (const place of occurrences) {
    expect(place).toMatchObject({
      status: 'STATUS_IGNORED',
      ignore_comment: 'known',
      ignored_by: person.name,
      ignored_at: at(1).now,
    })
  }
  const after = await read(fixture.workspace, fixture.issueIds[0])
  // The seed has no valid priority; the first rollup calculates it.
  const ignoredFields = { affectedHosts: [], priority: 0 }
  expect({ ...after, ...ignoredFields }).toEqual({ ...issue, ...ignoredFields })
})

it('has the same result as an immediate decision, even with other decisions in between', async () => {
  const [slow, quick] = [await seed(5, 4), await seed(5, 4)]
  // Park and Miller's generator, so that every run makes the same decisions.
  let state = 20_262
  const below = (bound: number) => (state = (state * 48_271) % 2_147_483_647) % bound
  const chosen = ['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED'] as const
  let postponed = 0
  for (let number = 0; number < 40; number++) {
    const [verb, issues, host] = [below(3), [below(5), below(5)], below(4)]
    const status = chosen[below(3)] ?? 'STATUS_OPEN'
    const to = { status, ...(status === 'STATUS_IGNORED' && { reason: 'REASON_MITIGATED' as const }) }
    const outcomes = [slow, quick].map(({ workspace, issueIds, hostIds }) => {
      const how = workspace === slow.workspace ? background : null
      const ids = [...new Set(issues)].map((index) => issueIds[index] ?? '')
      const [id = ''] = ids
      return server
        .as(
          workspace,
          async (ctx) => {
            if (verb === 0) await setIssueStatus(ctx, { id, ...to }, describeTargets, how)
            else if (verb === 1) await setHostStatus(ctx, { id, hostId: hostIds[host] ?? '', ...to }, describeTargets)
            else await setStatusOfMany(ctx, { ids, ...to }, how)
            return 'done'
          },
          at(number + 1),
        )
        .catch((error: { code?: string }) => error.code)
    })
    const [left, right] = await Promise.all(outcomes)
    expect(left).toBe(right)
    const [first = 0] = issues
    const seen = [slow, quick].map(({ workspace, issueIds }) => shown(workspace, issueIds.slice(first, first + 1)))
    const [now, then] = await Promise.all(seen)
    expect(now).toEqual(then)
    const pendingRows = await server.database.owner
      .selectFrom('issue_decision')
      .select('issue_id')
      .where('account_id', '=', slow.workspace)
      .execute()
    postponed += pendingRows.length
    if (below(4) === 0) await applyAll(slow.workspace)
  }
  expect(postponed).toBeGreaterThan(10)
  await applyAll(slow.workspace)
  const withoutTime = (rows: readonly object[]) => rows.map((row) => ({ ...row, ignored_at: undefined }))
  expect(withoutTime(await occurrencesOf(slow.workspace))).toEqual(withoutTime(await occurrencesOf(quick.workspace)))
})

it('is not undone by a scan that saw the previous state', async () => {
  const fixture = await seed(1, 4)
  const [id = ''] = fixture.issueIds
  await ignoreAll(fixture)
  await server.as(fixture.workspace, (ctx) => rollUp(ctx, [id], { reason: 'seen', scanId: null }), at(2))
  const issue = await read(fixture.workspace, id)
  expect(issue.status).toBe('STATUS_IGNORED')
  expect(issue.ignored).toMatchObject({ reason: 'REASON_ACCEPTED_RISK', comment: 'known', actor: person.name })
  expect(issue.history.filter((event) => event.reason === 'seen')).toEqual([])
})

it('leaves occurrences found or resolved afterward unchanged', async () => {
  const fixture = await seed(1, 4)
  const [id = ''] = fixture.issueIds
  await ignoreAll(fixture)
  const fresh = newId()
  await server.as(
    fixture.workspace,
    async (ctx) => {
      const { tx, now } = ctx
      await tx
        .updateTable('occurrence')
        .set({ status: 'STATUS_RESOLVED', resolved_at: now, decided_by: 'scan' })
        .where('account_id', '=', fixture.workspace)
        .where('host_id', '=', fixture.hostIds[0] ?? '')
        .execute()
      const seenTimes = { first_seen_at: now, last_seen_at: now, last_checked_at: now, updated_at: now }
      const place = {
        account_id: fixture.workspace,
        id: fresh,
        target_id: fixture.targetId,
        address: '127.63.9.9',
        name: '',
      }
      await tx
        .insertInto('host')
        .values({ ...place, ...seenTimes })
        .execute()
      const { threat_id } = await tx
        .selectFrom('issue')
        .select('threat_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const threat = await tx.selectFrom('threat').selectAll().where('id', '=', threat_id).executeTakeFirstOrThrow()
      const evidence = { location: '80/', method: 'a-check', quality: 99, text: '', highlights: [] }
      const where = { hostId: fresh, targetId: fixture.targetId, location: '80/', port: 80 }
      await raise(ctx, [{ threat, ...where, method: 'a-check', quality: 99, evidence }])
      await rollUp(ctx, [id], { reason: '', scanId: null })
    },
    at(2),
  )
  await applyAll(fixture.workspace)
  const issue = await read(fixture.workspace, id)
  const statuses = Object.groupBy(issue.affectedHosts, (host) => host.status)
  expect(Object.fromEntries(Object.entries(statuses).map(([status, hosts]) => [status, hosts.length]))).toEqual({
    STATUS_OPEN: 1,
    STATUS_IGNORED: 3,
    STATUS_RESOLVED: 1,
  })
  expect(issue.status).toBe('STATUS_OPEN')
})

it('is picked up by the sweep if its job was lost', async () => {
  const fixture = await seed(1, 4)
  expect(await workspacesWithPendingDecisions(server.database)).not.toContain(fixture.workspace)
  await ignoreAll(fixture)
  expect(await workspacesWithPendingDecisions(server.database)).toContain(fixture.workspace)
  await applyAll(fixture.workspace)
  expect(await workspacesWithPendingDecisions(server.database)).not.toContain(fixture.workspace)
})
