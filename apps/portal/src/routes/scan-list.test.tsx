import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createQueryClient } from '#api/query.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'

const time = { createTime: '2026-11-01T08:00:00Z', updateTime: '2026-11-01T08:00:00Z' }
const target = {
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
  name: 'Office',
  address: '192.0.2.0/24',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
  ...time,
}
let service: Service
let client: QueryClient

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/scans', { body: { scans: [], nextPageToken: '' } })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  await service.close()
})

async function openEmptyList(targets: readonly object[]) {
  service.on('GET /v1/targets', { body: { targets, nextPageToken: '' } })
  client = createQueryClient()
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: ['/scans'] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const title = await screen.findByRole('heading', { name: 'No scans yet' })
  return within(title.parentElement ?? title)
}

it('offers to add a target if there is none to scan', async () => {
  const state = await openEmptyList([])
  expect(state.getByRole('link', { name: 'Add target' }).getAttribute('href')).toBe('/scope?create=true')
  expect(state.queryByRole('button', { name: 'Start scan' })).toBeNull()
})

it('offers to start a scan of a target', async () => {
  const state = await openEmptyList([target])
  expect(state.getByRole('button', { name: 'Start scan' })).toBeTruthy()
  expect(state.getByText(/wait for the schedule/)).toBeTruthy()
})
