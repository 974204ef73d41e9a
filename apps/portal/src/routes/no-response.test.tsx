/** Messages after a scan in which no host responded. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'

const time = '2026-11-20T08:00:00Z'
const scan = {
  id: '01a20396-82c8-7fe2-aaed-0b84e2e15843',
  type: 'TYPE_MANUAL',
  status: 'STATUS_COMPLETED',
  issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
  hostCount: { scannedHosts: 0, affectedHosts: 0 },
  createTime: time,
  updateTime: time,
  completeTime: time,
}
let service: Service
let client: QueryClient

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/scans', { body: { scans: [scan], nextPageToken: '' } })
  service.on('GET /v1/hosts', { body: { hosts: [], nextPageToken: '' } })
  service.on('GET /v1/products', { body: { products: [], nextPageToken: '' } })
  mockSummary(time)
  const [timestamps, none] = [[time], [0]]
  service.on('GET /v1/stats/issues-by-severity', {
    body: { timestamps, critical: none, high: none, medium: none, low: none },
  })
  service.on('GET /v1/stats/issues-by-status', {
    body: { timestamps, open: none, resolved: none, ignored: none, regressive: none },
  })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  await service.close()
})

function mockSummary(lastScanTime?: string, targetCount = 1): void {
  const figures = { open: 0, regressive: 0, newCount: 0, resolvedCount: 0, hostCount: 0, targetCount, lastScanTime }
  service.on('GET /v1/stats/summary', { body: figures })
}

function open(address: string): void {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: [address] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
}

it('reports on the overview that no host responded, and links to the scan', async () => {
  open('/overview')
  const link = await screen.findByRole('link', { name: 'View scan' })
  expect(link.getAttribute('href')).toBe(`/scans/${scan.id}`)
  expect(link.parentElement?.textContent).toMatch(/^No hosts responded to the last scan, /)
  expect(screen.queryByText(/in 0 hosts/)).toBeNull()
})

it('reports it in the asset list without suggesting a first scan', async () => {
  open('/assets')
  expect(await screen.findByText('No hosts responded to the last scan')).toBeTruthy()
  const link = screen.getByRole('link', { name: 'View last scan' })
  expect(link.getAttribute('href')).toBe(`/scans/${scan.id}`)
  expect(screen.queryByText('No assets yet')).toBeNull()
})

it('reports that no software is identified yet', async () => {
  open('/technologies')
  expect(await screen.findByText('No software identified yet')).toBeTruthy()
  expect(screen.queryByText('No technologies yet')).toBeNull()
})

it.each([
  ['/assets', 'No assets yet'],
  ['/technologies', 'No technologies yet'],
])('links on %s to the first scan before it has ended', async (path, expected) => {
  mockSummary()
  open(path)
  expect(await screen.findByText(expected)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Go to Scope' })).toBeTruthy()
})

it.each(['/assets', '/technologies', '/risks/visual'])('offers on %s to add the first target', async (path) => {
  mockSummary(undefined, 0)
  service.on('GET /v1/ecosystem', { body: { nodes: [], links: [] } })
  open(path)
  const link = await screen.findByRole('link', { name: 'Add target' })
  expect(link.getAttribute('href')).toBe('/scope?create=true')
})
