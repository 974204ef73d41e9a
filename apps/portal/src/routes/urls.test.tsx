import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import type { FunctionComponent } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
let service: Service
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
const portalAt = (address: string) => createPortalRouter(client, createMemoryHistory({ initialEntries: [address] }))

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  client.clear()
  await service.close()
})

describe('URLs', () => {
  it.each([
    ...['/', '/login', '/registration', '/recovery', '/verification', '/logout', '/error'].map((path) => [
      path,
      `/_public${path}`,
    ]),
    ...['/overview', '/onboarding', '/integrations', '/subscription', '/profile'].map((path) => [
      path,
      `/_auth${path}`,
    ]),
    ['/technologies', '/_auth/technologies'],
    [`/technologies/${id}`, '/_auth/technologies/$id'],
    ['/installation', '/_auth/installation'],
    ['/scope', '/_auth/scope'],
    [`/scope/${id}`, '/_auth/scope/$id/'],
    [`/scope/${id}/scans`, '/_auth/scope/$id/scans'],
    [`/scope/${id}/issues`, '/_auth/scope/$id/issues'],
    [`/scope/${id}/assets`, '/_auth/scope/$id/assets'],
    ['/agents', '/_auth/agents'],
    [`/agents/${id}`, '/_auth/agents/$id'],
    ['/assets', '/_auth/assets'],
    [`/assets/${id}`, '/_auth/assets/$id/'],
    [`/assets/${id}/technologies`, '/_auth/assets/$id/technologies'],
    [`/assets/${id}/issues`, '/_auth/assets/$id/issues'],
    ['/scans', '/_auth/scans'],
    [`/scans/${id}`, '/_auth/scans/$id'],
    ['/risks/verified', '/_auth/risks/verified'],
    ['/risks/potential', '/_auth/risks/potential'],
    ['/risks/visual', '/_auth/risks/visual'],
    [`/risks/${id}`, '/_auth/risks/$id'],
  ])('%s matches %s', (address, route) => {
    const [, , found] = portalAt('/').getMatchedRoutes(address)
    expect(found?.id).toBe(route)
  })

  it('match one route each', () => {
    const routes = Object.values(portalAt('/').routesById).filter(
      ({ options }) => 'path' in options && options.path !== undefined,
    )
    const paths = routes.map(({ fullPath }) => fullPath)
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([])
  })
})

it('shows Not Found for routes without a not-found view', () => {
  const Fallback = portalAt('/').options.defaultNotFoundComponent as FunctionComponent
  render(<Fallback />)
  expect(screen.getByText('Not Found')).toBeTruthy()
})

function open(address: string): void {
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={portalAt(address)} />
    </QueryClientProvider>,
  )
}

it.each([
  ['/scope', 'Scope', undefined],
  ['/scope?create=false', 'Scope', undefined],
  ['/scope?create=true', 'Scope', 'New target'],
  ['/agents?create=false', 'Agents', undefined],
  ['/agents?create=true', 'Agents', 'New agent'],
])('%s shows %s and opens the form %s', async (address, title, form) => {
  for (const noun of ['targets', 'agents', 'tags', 'views', 'scans'])
    service.on(`GET /v1/${noun}`, { body: { [noun]: [] } })
  open(address)
  await screen.findByRole('heading', { level: 1, name: title, hidden: true })
  if (form) expect(await screen.findByRole('dialog', { name: form })).toBeTruthy()
  else expect(screen.queryByRole('dialog')).toBeNull()
})

it('has no pages below existing ones', async () => {
  open(`/scope/${id}/nowhere`)
  expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeTruthy()
})
