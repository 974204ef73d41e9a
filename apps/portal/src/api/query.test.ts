import { getTarget } from '@glacis/contract/target'
import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query'
import { waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiFailure } from '#api/failure.ts'
import { syncTabs } from '#api/tab-sync.ts'
import { createQueryClient } from '#api/query.ts'

const key = [getTarget.path, { id: '1' }]
const statusOf = vi.fn<() => number>()
const read = vi.fn(async () => {
  const status = statusOf()
  if (status === 200) return { name: 'Web' }
  throw new ApiFailure({ status, statusText: 'X', body: { kind: 'none' } })
})
let client = createQueryClient()
let leave: () => void

beforeEach(async () => {
  statusOf.mockReturnValue(200)
  client = createQueryClient()
  leave = new QueryObserver(client, { queryKey: key, queryFn: read, retry: false }).subscribe(() => {})
  await waitFor(() => expect(client.getQueryData(key)).toEqual({ name: 'Web' }))
})
afterEach(() => {
  leave()
  client.clear()
})

const change = (of: typeof client, mutationFn: () => Promise<unknown>) =>
  new MutationObserver(of, { mutationFn }).mutate().catch(() => undefined)

it('drops data on 404 and keeps it on other errors', async () => {
  statusOf.mockReturnValue(503)
  await client.invalidateQueries()
  expect(client.getQueryData(key)).toEqual({ name: 'Web' })
  statusOf.mockReturnValue(404)
  await client.invalidateQueries()
  expect(client.getQueryState(key)).toMatchObject({ status: 'error', data: undefined })
})

it('refreshes data on screen after every mutation, except excluded paths', async () => {
  const before = read.mock.calls.length
  await change(client, () => Promise.resolve({}))
  expect(read.mock.calls.length).toBe(before + 1)
  await change(client, () => Promise.reject(new Error('unreachable')))
  expect(read.mock.calls.length).toBe(before + 2)
  const remove = { mutationFn: () => Promise.resolve({}), meta: { except: getTarget.path } }
  await new MutationObserver(client, remove).mutate()
  expect(read.mock.calls.length).toBe(before + 2)
})

it('refetches when a mutation fails with 404', async () => {
  statusOf.mockReturnValue(404)
  await change(client, () => Promise.reject(new ApiFailure({ status: 404, statusText: 'X', body: { kind: 'none' } })))
  await waitFor(() => expect(client.getQueryData(key)).toBeUndefined())
})

it('sends requests while the browser reports offline, and refetches when it is back online', async () => {
  onlineManager.setOnline(false)
  try {
    const before = read.mock.calls.length
    await client.invalidateQueries()
    expect(read.mock.calls.length).toBe(before + 1)
    const made = vi.fn(() => Promise.reject(new Error('unreachable')))
    await change(client, made)
    expect(made).toHaveBeenCalledOnce()
  } finally {
    onlineManager.setOnline(true)
  }
})

it('refetches after a change in another tab', async () => {
  vi.stubGlobal('BroadcastChannel', Channel)
  const other = createQueryClient()
  const stops = [syncTabs(client), syncTabs(other)]
  const before = read.mock.calls.length
  await change(other, () => Promise.resolve({}))
  await waitFor(() => expect(read.mock.calls.length).toBe(before + 1))
  for (const stop of stops) stop()
  vi.unstubAllGlobals()
})

/** Fake BroadcastChannel: Node's is incompatible with the events of this environment. */
class Channel extends EventTarget {
  static readonly open = new Set<Channel>()
  constructor() {
    super()
    Channel.open.add(this)
  }
  postMessage(): void {
    for (const channel of Channel.open) if (channel !== this) channel.dispatchEvent(new Event('message'))
  }
  close(): void {
    Channel.open.delete(this)
  }
}
