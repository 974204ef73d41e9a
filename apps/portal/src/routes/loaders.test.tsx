/** Requests of loaders and their pages together. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createQueryClient } from '#api/query.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
let service: Service
let client: QueryClient

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  client = createQueryClient()
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  await service.close()
})

function open(address: string) {
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: [address] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
}
/** How often each query of a call was sent. */
function requestCounts(path: string): number[] {
  const queries = service.seen.filter((call) => call.path === path).map(({ query }) => JSON.stringify(query))
  return [...Map.groupBy(queries, (query) => query).values()].map(({ length }) => length)
}

it.each([
  ['/scope', '/v1/targets', "Targets couldn't be loaded"],
  ['/risks/verified', '/v1/issues', "Risks couldn't be loaded"],
  ['/integrations', '/v1/notification-channels', "Channels couldn't be loaded"],
])('%s sends a first request that fails once, and again only when asked to', async (address, path, title) => {
  service.on(`GET ${path}`, { status: 503 })
  open(address)
  await screen.findByText(title)
  expect(new Set(requestCounts(path))).toEqual(new Set([1]))
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(requestCounts(path)).toContain(2))
})

it('sends a failing request of a detail page once', async () => {
  service.on(`GET /v1/targets/${id}`, { status: 503 })
  open(`/scope/${id}`)
  await screen.findByRole('heading', { name: 'Something went wrong!' })
  expect(requestCounts(`/v1/targets/${id}`)).toEqual([1])
})

it('leaves the query of a filtered list to the page', async () => {
  service.on('GET /v1/issues', { body: { issues: [], nextPageToken: '' } })
  open('/risks/verified?q=redis')
  await screen.findByRole('table', { name: 'Risks' })
  await waitFor(() => expect(service.seen.some(({ path }) => path === '/v1/issues')).toBe(true))
  const queries = service.seen.filter(({ path }) => path === '/v1/issues').map(({ query }) => query['filter.query'])
  expect(new Set(queries)).toEqual(new Set(['redis']))
})

it('loads a page that failed without a connection once the server is back', async () => {
  let isOffline = true
  const online = globalThis.fetch
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
    if (isOffline && !String(input).includes('/sessions/whoami'))
      return Promise.reject(new TypeError('Failed to fetch'))
    return String(input) === '/config.json' ? Promise.resolve(new Response('{}')) : online(input, init)
  })
  service.on(`GET /v1/targets/${id}`, { status: 404 })
  open(`/scope/${id}`)
  await screen.findByText(/This page loads automatically when the connection is back/)
  isOffline = false
  await screen.findByText('Target not found')
  vi.unstubAllGlobals()
})
