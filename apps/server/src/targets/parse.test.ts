import { TargetCreate } from '@glacis/contract/target'
import { expect, it } from 'vitest'
import { createTarget, deleteTargets, parseTargets } from '#targets/index.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

it('previews each address with the target that already has it', async () => {
  const [workspace, otherAccount] = [await server.createWorkspace(), await server.createWorkspace()]
  const createTestTarget = async (owner: string, name: string, address: string) => {
    const input = TargetCreate.parse({ name, address, schedule: { period: 'PERIOD_WEEKLY' } })
    const { target } = await server.as(owner, (ctx) => createTarget(ctx, input))
    return { id: target.id, name }
  }
  const first = await createTestTarget(workspace, 'First', '127.62.1.0/24')
  await createTestTarget(workspace, 'Second', '127.62.1.0/24')
  await createTestTarget(otherAccount, 'Theirs', '127.62.3.1')
  const { id: deleted } = await createTestTarget(workspace, 'Gone', '127.62.2.1')
  await server.as(workspace, (ctx) => deleteTargets(ctx, [deleted]))
  const named = await createTestTarget(workspace, 'Bücher', 'Bücher.example')
  const addresses = [
    'https://bücher.example/x',
    'xn--bcher-kva.example',
    '127.62.1.77/24',
    '127.62.2.1',
    '127.62.3.1',
    'a b',
    '127.62.1.77/24',
  ]
  const { results } = await server.as(workspace, (ctx) => parseTargets(ctx, 'all', { addresses }))
  const network = { normalized: '127.62.1.0/24', kind: 'CIDR', hostCount: 254, private: true, target: first }
  const ascii = 'xn--bcher-kva.example'
  expect(results.splice(0, 2)).toMatchObject([
    { normalized: `https://${ascii}/x`, readable: 'https://bücher.example/x' },
    { normalized: ascii, readable: 'bücher.example', target: named },
  ])
  expect(results).toEqual([
    { input: '127.62.1.77/24', ...network },
    { input: '127.62.2.1', normalized: '127.62.2.1', kind: 'IPV4', hostCount: 1, private: true },
    { input: '127.62.3.1', normalized: '127.62.3.1', kind: 'IPV4', hostCount: 1, private: true },
    { input: 'a b', error: "'a b' contains a space." },
    { input: '127.62.1.77/24', ...network },
  ])
})

it.each([
  [['127.62.4.0/24'], 'LIMIT_FORBIDDEN', undefined],
  ['public', 'LIMIT_AGENTS_ONLY', 'LIMIT_AGENTS_ONLY'],
  ['all', undefined, undefined],
] as const)('reports addresses outside of the permitted networks: %s', async (networks, outside, inside) => {
  const workspace = await server.createWorkspace()
  const addresses = [
    '127.62.5.1',
    'http://127.62.5.1/',
    '127.62.5.0-127.62.6.255',
    'shop.example',
    '127.62.4.1',
    '127.62.4.0/30',
  ]
  const { results } = await server.as(workspace, (ctx) => parseTargets(ctx, networks, { addresses }))
  const limits = results.map(({ scanLimit }) => scanLimit)
  expect(limits).toEqual([outside, outside, outside, undefined, inside, inside])
})
