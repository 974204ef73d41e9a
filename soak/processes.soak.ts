import { startScan } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { violations } from '../faults/invariants.ts'
import { hasEnded, scanWhen } from '../lab/visitor.ts'
import { createNetwork, startCluster, startTraffic } from '../scale/processes.ts'

const rounds = 20
const scanMsMax = 120_000

it(`${rounds} rolling restarts under load lose no request and no batch`, async () => {
  await using cluster = await startCluster()
  const { installation, visitor } = cluster
  const targetId = await createNetwork(visitor, '127.62.42.0/24')
  const traffic = startTraffic(visitor, installation.url)
  for (let round = 0; round < rounds; round++) {
    const { scan } = await visitor.call(startScan, { targetId })
    for (const name of ['worker 1', 'api 1', 'worker 2', 'api 2', 'worker 3'] as const) await cluster.replace(name)
    await cluster.replace('identity 1', 'identity 2')
    await cluster.replace('identity 2', 'identity 1')
    expect(await scanWhen(visitor, scan.id, hasEnded, scanMsMax)).toMatchObject({ status: 'STATUS_COMPLETED' })
  }
  await traffic.stop()
  expect(traffic.failures).toEqual([])
  const acknowledged = {
    tags: [...traffic.tagIds],
    comments: [],
    scans: [],
    invitations: [],
    statuses: new Map<string, string>(),
  }
  expect(await violations(installation.databaseUrl, acknowledged, { isEnd: true })).toEqual([])
})
