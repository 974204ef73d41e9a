/** What somebody on a slow line sees of a page before its answer is there. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, within } from '@testing-library/react'
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

async function open(path: string, title: string) {
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: ['/integrations'] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { level: 1, name: 'Integrations' })
  router.update({ ...router.options, defaultPendingMs: 0 })
  void router.navigate({ href: path })
  await screen.findByRole('heading', { level: 1, name: title })
}

function wayBack() {
  const link = within(screen.getByRole('navigation', { name: 'Breadcrumb' })).getByRole('link')
  return [link.textContent, link.getAttribute('href')]
}

it('says that it sets up before it is known which steps are open', async () => {
  await open('/onboarding', 'Set up Glacis')
  expect(document.title).toBe('Set up Glacis · Glacis')
})

it('has the name of a thing that a list has told, and the way back', async () => {
  client.setQueryData<unknown>(targetList({ pageSize: 25 }).queryKey, { targets: [{ id, name: 'Office' }] })
  await open(`/scope/${id}`, 'Office')
  expect(document.title).toBe('Office · Glacis')
  expect(wayBack()).toEqual(['Scope', '/scope'])
})

it('leads back to the list that a risk is on', async () => {
  const issue = { id, name: 'Redis without authentication', verification: 'VERIFICATION_UNVERIFIED' }
  client.setQueryData<unknown>(issueList({ pageSize: 25 }).queryKey, { issues: [issue] })
  await open(`/risks/${id}`, 'Redis without authentication')
  expect(wayBack()).toEqual(['Potential risks', '/risks/potential'])
})

it('says where it leads back to where nobody has told a name', async () => {
  await open(`/scope/${id}`, 'Loading')
  expect(wayBack()).toEqual(['Scope', '/scope'])
})
