import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { dismissToast, shownToasts } from '#lib/toasts.ts'
import { createPortalRouter } from '#routes/router.tsx'

const keys = ['TARGET', 'AGENT', 'SCAN', 'NOTIFICATIONS'] as const
const stepsOf = (...done: readonly string[]) => ({
  body: { steps: keys.map((key) => ({ key, state: done.includes(key) ? 'STATE_DONE' : 'STATE_OPEN' })) },
})
const parsed = (isPrivate: boolean) => ({
  body: { results: [{ input: '', normalized: 'www.example.ch', private: isPrivate }] },
})
let service: Service
let client: QueryClient
const user = userEvent.setup()

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/scans', { body: { scans: [] } })
  service.on('GET /v1/targets', { body: { targets: [] } })
  service.on('GET /v1/feeds', { body: { feeds: [] } })
  service.on('GET /v1/onboarding', stepsOf())
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  shownToasts().forEach((toast) => dismissToast(toast.id))
  await service.close()
})

async function open(): Promise<void> {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: ['/onboarding'] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { level: 1, name: 'Set up Glacis' })
}
const made = () => service.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/targets')

it('asks whether an address on the internet may be scanned, and sends the answer', async () => {
  service.on('POST /v1/targets/parse', parsed(false))
  await open()
  await user.type(await screen.findByLabelText('Name'), 'Public web')
  await user.type(screen.getByLabelText('Address'), 'www.example.ch{Enter}')
  const tick = await screen.findByRole('checkbox', { name: 'I am allowed to scan this address' })
  expect(await screen.findByText('Tick this to scan an address on the internet')).toBeTruthy()
  expect(made()).toEqual([])
  await user.click(tick)
  await user.click(screen.getByRole('button', { name: 'Add target' }))
  await waitFor(() => expect(made()).toHaveLength(1))
  expect(made()[0]?.body).toEqual({
    name: 'Public web',
    address: 'www.example.ch',
    schedule: { period: 'PERIOD_WEEKLY' },
    tags: [],
    isPermitted: true,
  })
})

it('asks nothing of the kind for a private address', async () => {
  service.on('POST /v1/targets/parse', parsed(true))
  await open()
  await user.type(await screen.findByLabelText('Name'), 'Office')
  await user.type(screen.getByLabelText('Address'), '10.0.0.0/24{Enter}')
  await waitFor(() => expect(made()).toHaveLength(1))
  expect(screen.queryByRole('checkbox')).toBeNull()
  expect(made()[0]?.body).not.toHaveProperty('isPermitted')
})

it('ends with a summary that leads on when everything is done', async () => {
  service.on('GET /v1/onboarding', stepsOf(...keys))
  await open()
  expect(await screen.findByText('Glacis is set up.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'See risks' }).getAttribute('href')).toBe('/risks/verified')
  expect(screen.getByRole('link', { name: 'Open reporting' }).getAttribute('href')).toBe('/scans')
  expect(screen.getByRole('link', { name: 'Close' }).getAttribute('href')).toBe('/overview')
  expect(screen.queryByLabelText('Address')).toBeNull()
})
