import { getTarget, updateTarget } from '@glacis/contract/target'
import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query'
import { waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiFailure } from '#api/failure.ts'
import { followOtherTabs } from '#api/other-tabs.ts'
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
  new MutationObserver(of, { mutationKey: [updateTarget.path], mutationFn }).mutate().catch(() => undefined)

it('forgets what is no longer there, and keeps what merely could not be read', async () => {
  statusOf.mockReturnValue(503)
  await client.invalidateQueries()
  expect(client.getQueryData(key)).toEqual({ name: 'Web' })
  statusOf.mockReturnValue(404)
  await client.invalidateQueries()
  expect(client.getQueryState(key)).toMatchObject({ status: 'error', data: undefined })
})

it('looks again when a change was about something that is gone', async () => {
  statusOf.mockReturnValue(404)
  await change(client, () => Promise.reject(new ApiFailure({ status: 404, statusText: 'X', body: { kind: 'none' } })))
  await waitFor(() => expect(client.getQueryData(key)).toBeUndefined())
})

it('asks a server that may be on this machine while the browser calls itself offline, and again when it no longer does', async () => {
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

it('shows in one tab what another has changed', async () => {
  vi.stubGlobal('BroadcastChannel', Channel)
  const other = createQueryClient()
  const stops = [followOtherTabs(client), followOtherTabs(other)]
  const before = read.mock.calls.length
  await change(other, () => Promise.resolve({}))
  await waitFor(() => expect(read.mock.calls.length).toBe(before + 1))
  for (const stop of stops) stop()
  vi.unstubAllGlobals()
})

/** The channel between tabs; the one of Node does not speak with the events of this environment. */
class Channel extends EventTarget {
  static readonly open = new Set<Channel>()
  constructor() {
    super()
    Channel.open.add(this)
  }
  postMessage(): void {
    for (const one of Channel.open) if (one !== this) one.dispatchEvent(new Event('message'))
  }
  close(): void {
    Channel.open.delete(this)
  }
}
