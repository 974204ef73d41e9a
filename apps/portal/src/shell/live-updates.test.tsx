import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { providePortalConfig } from '#lib/portal-config.ts'
import { ServerUnreachableNote } from '#shell/server-unreachable-note.tsx'
import { useLiveUpdates } from '#shell/live-updates.ts'

/** A fake event stream that the test can interrupt. */
class Stream extends EventTarget {
  static readonly opened: Stream[] = []
  isClosed = false
  constructor() {
    super()
    Stream.opened.push(this)
  }
  close(): void {
    this.isClosed = true
  }
}

const ask = vi.fn<() => Promise<Response>>()
const read = vi.fn(async () => ++reads)
let reads = 0

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  Stream.opened.length = 0
  reads = 0
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('fetch', ask)
  providePortalConfig({ apiUrl: '' } as never) // the only property that is read here
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
  ask.mockReset()
})

function Page() {
  const { data } = useQuery({ queryKey: ['/v1/agents'], queryFn: read, staleTime: Number.POSITIVE_INFINITY })
  return (
    <>
      <ServerUnreachableNote isUnreachable={useLiveUpdates()} />
      <p>{`read ${data ?? 0} times`}</p>
    </>
  )
}

async function show(): Promise<void> {
  const client = new QueryClient()
  render(
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>,
  )
  await screen.findByText('read 1 times')
}

const breakStream = () => act(() => void Stream.opened.at(-1)?.dispatchEvent(new Event('error')))
const patience = { timeout: 10_000 }
const statusText = () => screen.getByRole('status').textContent

it('reports an unreachable server, and refetches when it is back', async () => {
  await show()
  ask.mockRejectedValueOnce(new TypeError('Failed to fetch')).mockResolvedValueOnce(new Response('', { status: 502 }))
  ask.mockResolvedValue(new Response('{}'))
  breakStream()
  await vi.waitFor(() => expect(statusText()).toContain("Glacis isn't responding."), patience)
  await act(() => vi.advanceTimersByTimeAsync(3000))
  expect(statusText()).toContain("Glacis isn't responding.")
  expect(reads).toBe(1)
  await act(() => vi.advanceTimersByTimeAsync(3000))
  await vi.waitFor(() => expect(statusText()).toBe(''), patience)
  await screen.findByText('read 2 times')
  // The browser does not reconnect a stream that a proxy ended.
  expect(Stream.opened.map(({ isClosed }) => isClosed)).toEqual([true, false])
})

it('reports nothing if the stream ends but the server responds', async () => {
  await show()
  ask.mockResolvedValue(new Response('{}'))
  breakStream()
  await vi.waitFor(() => expect(ask).toHaveBeenCalledOnce(), patience)
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect([statusText(), reads, ask.mock.calls.length, Stream.opened.length]).toEqual(['', 1, 1, 1])
})

it('refreshes the page after an event, and only scans on scan progress', async () => {
  await show()
  const send = async (kind: string) => {
    act(() => void Stream.opened.at(-1)?.dispatchEvent(new Event(kind)))
    await act(() => vi.advanceTimersByTimeAsync(1000))
  }
  await send('EVENT_SCAN_CHANGED')
  expect(reads).toBe(1)
  await send('EVENT_SCAN_CHANGED')
  await send('EVENT_SCAN_COMPLETED')
  expect(reads).toBe(2)
})
