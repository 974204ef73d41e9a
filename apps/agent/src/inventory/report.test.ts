import type { InputOf } from '@glacis/contract/endpoint'
import { inventoryLimits, type InventoryItem, reportAgentInventory } from '@glacis/contract/machine'
import { beforeEach, expect, it } from 'vitest'
import { type Client, UnreachableError } from '../client.ts'
import { createInventoryReporter } from './report.ts'

type Part = InputOf<typeof reportAgentInventory>

let sent: Part[]
/** The digest that the server has. */
let stored: string | undefined
let isUnreachable: boolean
beforeEach(() => {
  ;[sent, stored, isUnreachable] = [[], undefined, false]
})
const client: Pick<Client, 'call'> = {
  async call(_endpoint, input) {
    if (isUnreachable) throw new UnreachableError('gone', 'unreachable')
    const part = reportAgentInventory.input.parse(input)
    sent.push(part)
    const isFullNeeded = part.base !== undefined && part.base !== stored
    if (!isFullNeeded) stored = part.digest
    return { isFullNeeded } as never // the result of this endpoint
  },
}
const item = (name: string): InventoryItem => ({
  kind: 'package',
  manager: 'dpkg',
  name,
  version: '1',
  architecture: 'amd64',
  source: name,
  sourceVersion: '1',
})
const machine = { systemId: 'debian', systemVersion: '12', systemName: 'Debian', kernel: '6', addresses: ['127.0.0.1'] }
const { signal } = new AbortController()
const names = (part: Part | undefined) => [part?.removed.map(nameOf), part?.added.map(nameOf)]
const nameOf = (one: InventoryItem) => (one.kind === 'package' ? one.name : '')

it('sends everything to a server that has nothing', async () => {
  await createInventoryReporter(client, async () => ({ machine, items: [item('a'), item('b')] })).reportIfDue(signal)
  expect(sent.map(names)).toEqual([
    [[], []],
    [[], ['a', 'b']],
  ])
  expect(sent[1]).not.toHaveProperty('base')
  expect(stored).toBe(sent[0]?.digest)
})

it('sends nothing again after a restart, regardless of the order of the items', async () => {
  await createInventoryReporter(client, async () => ({ machine, items: [item('a'), item('b')] })).reportIfDue(signal)
  sent = []
  await createInventoryReporter(client, async () => ({ machine, items: [item('b'), item('a')] })).reportIfDue(signal)
  expect(sent.map(names)).toEqual([[[], []]])
})

it('sends changes in parts that follow one another, and reports again only when it is due', async () => {
  const many = (prefix: string) =>
    Array.from({ length: inventoryLimits.partItemsMax + 1 }, (_, index) => item(`${prefix}${index}`))
  let [items, stamp] = [many('a'), 'one']
  const reporter = createInventoryReporter(
    client,
    async () => ({ machine, items }),
    async () => stamp,
  )
  await reporter.reportIfDue(signal)
  await reporter.reportIfDue(signal)
  expect(sent.map(({ added, isLast }) => [added.length, isLast])).toEqual([
    [0, true],
    [inventoryLimits.partItemsMax, false],
    [1, true],
  ])
  expect(sent[2]?.base).toBe(sent[1]?.digest)
  sent = []
  ;[items, stamp] = [[item('new'), ...many('a').slice(2)], 'two']
  isUnreachable = true
  await expect(reporter.reportIfDue(signal)).rejects.toThrow('gone')
  isUnreachable = false
  await reporter.reportIfDue(signal)
  expect(sent.map(names)).toEqual([[['a0', 'a1'], ['new']]])
})
