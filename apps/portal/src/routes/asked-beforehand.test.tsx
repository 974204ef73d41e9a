/** What `early.js` asks for the page of one thing, against what that page asks itself. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { day, hostOf, risk } from '#issues/testing/issues.tsx'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'
import { pages } from '../../pages.ts'

const id = '00000000-0000-4000-8000-000000000001'
const times = { createTime: day, updateTime: day }
const { host, target } = hostOf(1)
const issueCount = { critical: 0, high: 0, medium: 0, low: 0 }
const parts = ['part', 'vendor', 'product', 'version', 'update', 'edition', 'language', 'softwareEdition']
const wfn = [...parts, 'targetSoftware', 'targetHardware', 'other', 'text'].map((name) => [name, '*'])
const product = { name: 'nginx', version: '1.25', wfn: Object.fromEntries(wfn), minNotificationSeverity: 0 }
const scan = { type: 'TYPE_MANUAL', status: 'STATUS_COMPLETED', hostCount: {}, completeTime: day }
const things = {
  issues: { issue: risk(1) },
  targets: { target: { ...target, id } },
  agents: { agent: { ...times, id, name: 'bern-dmz-1', status: 'STATUS_CONNECTED', targetCount: 0 } },
  hosts: { host: { ...host, id } },
  products: { product: { ...times, id, ...product } },
  scans: { scan: { ...times, id, issueCount, ...scan } },
}

let service: Service
let client: QueryClient
beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  for (const [path, body] of Object.entries(things)) service.on(`GET /v1/${path}/${id}`, { body })
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  vi.restoreAllMocks()
  await service.close()
})

it.each([
  '/risks/:id',
  '/scope/:id',
  '/scope/:id/scans',
  '/scope/:id/issues',
  '/scope/:id/assets',
  '/agents/:id',
  '/assets/:id',
  '/assets/:id/issues',
  '/technologies/:id',
  '/scans/:id',
])('%s asks for its thing and what its tab lists beside each other', async (path) => {
  const address = path.replace(':id', id)
  const [, , , first = []] = pages.find(([pattern]) => new RegExp(`^(${pattern})$`).test(address)) ?? []
  expect(first.length).toBeGreaterThan(1)
  const fetched = vi.spyOn(globalThis, 'fetch')
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: [address] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const asked = () => fetched.mock.calls.map(([question]) => String(question).slice(service.url.length))
  await waitFor(() => expect(asked()).toEqual(expect.arrayContaining(first.map((one) => one.replaceAll(':id', id)))), {
    timeout: 10_000,
  })
})
