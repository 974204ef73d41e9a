import { beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { ecosystem } from '#graph.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
const workspace = await server.createWorkspace()
const at = new Date('2026-11-01T00:00:00Z')
const [target, product] = [newId(), newId()]
const hosts = [newId(), newId(), newId()]

beforeAll(async () => {
  await server.addThreats(
    { key: 'CVE-2024-1', kind: 'cve', knownExploitedAt: at },
    { key: 'open-redis', name: 'Redis exposed without authentication' },
  )
  await createData()
})

/** Creates a CVE in a product on two hosts, and a weakness on the third host that isn't linked to a product. */
async function createData(): Promise<void> {
  await server.as(workspace, async ({ tx }) => {
    const times = { created_at: at, updated_at: at }
    const schedule = { schedule_period: 'PERIOD_DAILY' as const, next_scan_at: null, deleted_at: null }
    await tx
      .insertInto('target')
      .values({
        account_id: workspace,
        id: target,
        name: 'T',
        address: '127.91.0.0/24',
        kind: 'NETWORK',
        ...times,
        ...schedule,
      })
      .execute()
    const seenTimes = { first_seen_at: at, last_seen_at: at }
    for (const [number, id] of hosts.entries()) {
      const host = { account_id: workspace, id, target_id: target, address: `127.91.0.${number + 1}`, name: '' }
      await tx
        .insertInto('host')
        .values({ ...host, ...seenTimes, last_checked_at: at, updated_at: at })
        .execute()
    }
    const naming = { name: 'nginx', version: '1.24', part: 'a', vendor: 'f5', product: 'nginx', wfn: '{}' }
    await tx
      .insertInto('product')
      .values({ account_id: workspace, id: product, key: 'cpe', ...naming, ...times })
      .execute()
  })
  await createIssue('CVE-2024-1', 90, [hosts[0], hosts[1]], product)
  await createIssue('open-redis', 50, [hosts[2]], null)
}

async function createIssue(
  key: string,
  priority: number,
  on: readonly (string | undefined)[],
  affectedProduct: string | null,
) {
  await server.as(workspace, async ({ tx }) => {
    const threat = await tx.selectFrom('threat').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
    const seenTimes = { first_seen_at: at, last_seen_at: at, ignored_at: null, resolved_at: null }
    const id = newId()
    const state = { status: 'STATUS_OPEN' as const, quality: 99 }
    const rating = { verification: 'VERIFICATION_VERIFIED' as const, priority, score: 9, category: threat.category }
    await tx
      .insertInto('issue')
      .values({ account_id: workspace, id, threat_id: threat.id, ...state, ...rating, ...seenTimes, updated_at: at })
      .execute()
    for (const host_id of on) {
      if (!host_id) throw new Error('there are three hosts')
      const occurrence = {
        location: '80/',
        port: 80,
        method: key,
        evidence: '{}',
        evidence_key: 'k',
        decided_by: 'scan' as const,
      }
      await tx
        .insertInto('occurrence')
        .values({
          account_id: workspace,
          id: newId(),
          issue_id: id,
          host_id,
          target_id: target,
          ...state,
          ...occurrence,
          ...seenTimes,
          product_id: affectedProduct,
          not_checked_since: null,
        })
        .execute()
    }
    const statuses = { status: 'STATUS_OPEN' as const, verified_status: 'STATUS_OPEN' as const, potential_status: null }
    await tx
      .insertInto('issue_target')
      .values({ account_id: workspace, target_id: target, issue_id: id, category: threat.category, ...statuses })
      .execute()
  })
}

const graph = (input: Partial<Parameters<typeof ecosystem>[1]> = {}) =>
  server.as(workspace, (ctx) => ecosystem(ctx, { maxNodes: 2000, ...input }))

it('links hosts to software, software to its threats, and hosts to threats without software', async () => {
  const { nodes, links, totalNodeCount, totalNodeCountIsExact } = await graph()
  const name = new Map(nodes.map((node) => [node.id, node.name]))
  expect(links.map((link) => `${name.get(link.sourceNodeId)} → ${name.get(link.targetNodeId)}`).toSorted()).toEqual([
    '127.91.0.1 → nginx 1.24',
    '127.91.0.2 → nginx 1.24',
    '127.91.0.3 → Redis exposed without authentication',
    'nginx 1.24 → CVE-2024-1',
  ])
  expect(nodes.find((node) => node.name === 'CVE-2024-1')).toMatchObject({ kind: 'KIND_THREAT', knownExploited: true })
  expect([totalNodeCount, totalNodeCountIsExact]).toEqual([6, true])
})

it('keeps the highest risks within the limit and returns the total', async () => {
  const { nodes, links, totalNodeCount, totalNodeCountIsExact } = await graph({ maxNodes: 3 })
  expect(nodes.map((node) => node.name).toSorted()).toEqual([
    expect.stringMatching(/^127.91.0.[12]$/),
    'CVE-2024-1',
    'nginx 1.24',
  ])
  expect(links).toHaveLength(2)
  expect(totalNodeCount).toBeGreaterThan(3)
  expect(totalNodeCountIsExact).toBe(false)
})

it.each([
  [{ kev: true }, 4],
  [{ severities: ['CATEGORY_LOW' as const] }, 0],
  [{ targetId: target }, 6],
  [{ targetId: newId() }, 0],
  [{ tagIds: [newId()] }, 0],
  [{ verification: 'VERIFICATION_FILTER_UNVERIFIED' as const }, 0],
  [{ status: ['STATUS_FILTER_RESOLVED' as const] }, 0],
])('filters by %j', async (filter, count) => {
  expect((await graph({ filter })).nodes).toHaveLength(count)
})
