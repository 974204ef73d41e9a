import type { Observation } from '@glacis/contract/runner'
import { parseFormattedString, toWfn } from '@glacis/intelligence'
import { beforeAll, expect, it } from 'vitest'
import { listHosts, mergeHosts, recordInventory } from '#inventory/index.ts'
import { describeTargets, refreshCounts, seedIssues } from '#testing/issues.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
const workspace = await server.createWorkspace()
const ids = { survivor: '', productId: '' }
const [before, between, after] = ['2026-11-01', '2026-11-10', '2026-11-20'].map((day) => new Date(`${day}T10:00:00Z`))

/**
 * 127.63.0.1 is merged into 127.63.0.0, and only the member has a name, PostgreSQL and an issue, and was seen last.
 * 127.63.0.2 is a separate host.
 */
beforeAll(async () => {
  const { targetId, hostIds, issueIds } = await seedIssues(server, workspace, {
    issues: 1,
    hosts: 3,
    at: before ?? new Date(),
  })
  const [survivor = '', member = ''] = hostIds
  const see = (now: Date | undefined, observations: Observation[]) =>
    server.as(workspace, (ctx) => recordInventory(ctx, targetId, observations), now && { now })
  await see(before, [...host('127.63.0.0', [], 80), ...host('127.63.0.2', [], 80)])
  await see(after, [...host('127.63.0.1', ['db.example.ch'], 5432), postgres('127.63.0.1')])
  ids.survivor = survivor
  await server.as(
    workspace,
    async (ctx) => {
      await ctx.tx.updateTable('occurrence').set({ status: 'STATUS_RESOLVED' }).where('host_id', '!=', member).execute()
      await refreshCounts(ctx, issueIds)
      ids.productId = (await ctx.tx.selectFrom('product').select('id').executeTakeFirstOrThrow()).id
      await mergeHosts(ctx, { id: survivor, sourceHostIds: [member] }, describeTargets)
    },
    { actor: person },
  )
})

function host(address: string, names: string[], port: number): Observation[] {
  return [
    { kind: 'host', address, names, reached: true, reason: `port ${port} open`, answersEverything: false },
    { kind: 'service', address, port, transport: 'tcp', protocol: 'tcp', tls: false, banner: '' },
  ]
}

function postgres(address: string): Observation {
  const name = parseFormattedString('cpe:2.3:a:postgresql:postgresql:17.2:*:*:*:*:*:*:*')
  if (!name) throw new Error('not a name')
  const what = { name: 'PostgreSQL', wfn: toWfn(name), evidence: 'banner', quality: 80 }
  return { kind: 'technology', address, port: 5432, transport: 'tcp', ...what }
}

it.each([
  ['an address', () => ({ query: '127.63.0.1' })],
  ['a name', () => ({ query: 'DB.example' })],
  ['a product', () => ({ query: 'postgres' })],
  ['a port', () => ({ query: 'port:5432' })],
  ['terms of different merged hosts', () => ({ query: '127.63.0.0 db.example port:80 port:5432' })],
  ['the technology', () => ({ productId: ids.productId })],
  ['the severity of an issue', () => ({ severities: ['CATEGORY_CRITICAL' as const] })],
])('finds a host by %s of a host merged into it', async (_, filter) => {
  const { hosts, totalSize } = await server.as(workspace, (ctx) =>
    listHosts(ctx, { filter: filter() }, describeTargets),
  )
  expect(hosts.map((item) => item.id)).toEqual([ids.survivor])
  expect(totalSize).toBe(1)
})

it('shows the latest last-seen time of merged hosts', async () => {
  const filter = { notSeenSince: between?.toISOString() }
  const { hosts } = await server.as(workspace, (ctx) => listHosts(ctx, { filter }, describeTargets))
  expect(hosts.map((item) => item.address)).toEqual(['127.63.0.2'])
})
