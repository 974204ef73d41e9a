import { expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { listHosts, mergeHosts, recordInventory, splitHost } from '#inventory/index.ts'
import { describeTargets } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

it('counts the hosts per target and in total as hosts are found, merged, and split', async () => {
  const workspace = await server.createWorkspace()
  const [first, second] = [newId(), newId()]
  await server.as(workspace, async ({ tx, now }) => {
    const times = { created_at: now, updated_at: now }
    for (const id of [first, second]) {
      const targetFields = { name: 'One', address: `127.63.${id === first ? 1 : 2}.0/24`, kind: 'NETWORK' as const }
      await tx
        .insertInto('target')
        .values({ account_id: workspace, id, ...targetFields, schedule_period: 'PERIOD_WEEKLY', ...times })
        .execute()
    }
  })
  const find = (target: string, ...addresses: string[]) =>
    server.as(workspace, (ctx) =>
      recordInventory(
        ctx,
        target,
        addresses.flatMap((address) => [
          { kind: 'host', address, names: [], reached: true, reason: 'port 80 open', answersEverything: false },
          { kind: 'service', address, port: 80, transport: 'tcp', protocol: 'http', tls: false, banner: '' },
        ]),
      ),
    )
  const byPerson = { actor: person }
  const hostCounts = () =>
    server.as(workspace, async (ctx) => {
      const targets = await describeTargets(ctx, [first, second])
      const all = await listHosts(ctx, {}, describeTargets)
      const one = await listHosts(ctx, { filter: { targetId: first } }, describeTargets)
      expect(all.totalSize).toBe(all.hosts.length)
      expect(one.totalSize).toBe(one.hosts.length)
      return [first, second].map((id) => targets.get(id)?.hostCount)
    })
  expect(await hostCounts()).toEqual([0, 0])
  const { hostByAddress } = await find(first, '127.63.1.1', '127.63.1.2', '127.63.1.3')
  const other = (await find(second, '127.63.2.1')).hostByAddress.get('127.63.2.1') ?? ''
  // Finding a host again doesn't change the count.
  await find(first, '127.63.1.1', '127.63.1.4')
  expect(await hostCounts()).toEqual([4, 1])
  const id = hostByAddress.get('127.63.1.1') ?? ''
  const sourceHostIds = [hostByAddress.get('127.63.1.2') ?? '', other]
  await server.as(workspace, (ctx) => mergeHosts(ctx, { id, sourceHostIds }, describeTargets), byPerson)
  expect(await hostCounts()).toEqual([3, 0])
  // A merged host is found together with the host it was merged into.
  const into = hostByAddress.get('127.63.1.3') ?? ''
  await server.as(workspace, (ctx) => mergeHosts(ctx, { id: into, sourceHostIds: [id] }, describeTargets), byPerson)
  expect(await hostCounts()).toEqual([2, 0])
  await server.as(workspace, (ctx) => splitHost(ctx, { id: into }, describeTargets), byPerson)
  expect(await hostCounts()).toEqual([4, 1])
  await server.as(workspace, ({ tx, now }) =>
    tx.updateTable('target').set({ deleted_at: now }).where('id', '=', second).execute(),
  )
  expect((await server.as(workspace, (ctx) => listHosts(ctx, {}, describeTargets))).totalSize).toBe(4)
})
