/** Pending views on slow connections. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { list as issueList } from '#issues/queries.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'
import { list as targetList } from '#targets/queries.ts'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
let service: Service
let client: QueryClient
let answering: PromiseWithResolvers<void>

beforeEach(async () => {
  answering = Promise.withResolvers()
  service = await startService()
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/notification-channels', { body: { channels: [] } })
  for (const path of [`issues/${id}`, `targets/${id}`, 'onboarding'])
    service.on(`GET /v1/${path}`, { status: 503, after: answering.promise })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  answering.resolve()
  await service.close()
})

async function open(path: string, title: string, { from = '/integrations', fromTitle = 'Integrations' } = {}) {
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: [from] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { level: 1, name: fromTitle })
  await waitFor(() => expect(router.state.resolvedLocation?.href).toBe(from))
  router.update({ ...router.options, defaultPendingMs: 0 })
  void router.navigate({ href: path })
  await screen.findByRole('heading', { level: 1, name: title })
}

function breadcrumb() {
  const link = within(screen.getByRole('navigation', { name: 'Breadcrumb' })).getByRole('link')
  return [link.textContent, link.getAttribute('href')]
}

it('shows the setup title before the open steps are known', async () => {
  await open('/onboarding', 'Set up Glacis')
  expect(document.title).toBe('Set up Glacis · Glacis')
})

it('shows the name from a cached list, and the breadcrumb', async () => {
  client.setQueryData<unknown>(targetList({ pageSize: 25 }).queryKey, { targets: [{ id, name: 'Office' }] })
  await open(`/scope/${id}`, 'Office')
  expect(document.title).toBe('Office · Glacis')
  expect(breadcrumb()).toEqual(['Scope', '/scope'])
})

it('links to the list that contains the risk', async () => {
  const issue = { id, name: 'Redis exposed without authentication', verification: 'VERIFICATION_UNVERIFIED' }
  client.setQueryData<unknown>(issueList({ pageSize: 25 }).queryKey, { issues: [issue] })
  await open(`/risks/${id}`, 'Redis exposed without authentication')
  expect(breadcrumb()).toEqual(['Potential risks', '/risks/potential'])
})

it('shows the breadcrumb without a known name', async () => {
  await open(`/scope/${id}`, 'Loading')
  expect(breadcrumb()).toEqual(['Scope', '/scope'])
})

it.each([
  ['/risks/verified?severity=high', 'Verified risks', '/risks/verified?severity=high'],
  ['/risks/potential?severity=high', 'Potential risks', '/risks/verified'],
])('opened from %s, keeps the filters of its own list only', async (from, fromTitle, back) => {
  const issue = { id, name: 'Redis exposed without authentication', verification: 'VERIFICATION_VERIFIED' }
  client.setQueryData<unknown>(issueList({ pageSize: 25 }).queryKey, { issues: [issue] })
  await open(`/risks/${id}`, 'Redis exposed without authentication', { from, fromTitle })
  expect(breadcrumb()).toEqual(['Verified risks', back])
})

it('leads back to the list without the form that was open', async () => {
  await open(`/scope/${id}`, 'Loading', { from: '/scope?create=true', fromTitle: 'Scope' })
  expect(breadcrumb()).toEqual(['Scope', '/scope'])
})
