/** Forms for new users. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'
import { createPortalRouter } from '#routes/router.tsx'
import { listError } from '#targets/form.ts'

const id = '00000000-0000-4000-8000-000000000001'
const time = { createTime: '2026-11-01T08:00:00Z', updateTime: '2026-11-01T08:00:00Z' }
const target = {
  ...time,
  id,
  name: 'DMZ',
  address: '10.0.0.0/28',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: {},
}
const read = { normalized: target.address, hostCount: 14, private: true }
const scan = { ...time, id, type: 'TYPE_MANUAL', status: 'STATUS_CREATED', issueCount: {}, hostCount: {}, target }
let service: Service
let client: QueryClient

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  for (const list of ['scans', 'agents', 'tags', 'views']) service.on(`GET /v1/${list}`, { body: { [list]: [] } })
  service.on('GET /v1/targets', { body: { targets: [target] } })
  service.on('GET /v1/notification-channels', { body: { channels: [] } })
  service.on('GET /v1/api-tokens', { body: { apiTokens: [] } })
  service.on('POST /v1/targets/parse', { body: { results: [{ input: target.address, ...read }] } })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  clearToasts()
  await service.close()
})

async function open(path: string, heading: string | RegExp) {
  client = createQueryClient()
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: [path] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { level: 1, name: heading })
  return userEvent.setup()
}
const posted = (path: string) => service.seen.filter((request) => request.method === 'POST' && request.path === path)

it('reports an existing address, and starts the first scan from the toast', async () => {
  service.on('POST /v1/targets', { body: { target } })
  service.on('POST /v1/scans', { body: { scan } })
  const taken = { input: target.address, ...read, target: { id, name: target.name } }
  service.on('POST /v1/targets/parse', { body: { results: [taken] } })
  const user = await open('/scope?create=true', /^Scope/)
  const panel = within(await screen.findByRole('dialog', { name: 'New target' }))
  await user.type(panel.getByLabelText('Name'), 'DMZ')
  await user.type(panel.getByLabelText('Address'), target.address)
  expect(await panel.findByText(/The target “DMZ” already has this address\./)).toBeTruthy()
  await user.click(panel.getByRole('button', { name: 'Add target' }))
  await user.click(await screen.findByRole('button', { name: 'Scan now' }))
  await waitFor(() => expect(posted('/v1/scans').map(({ body }) => body)).toEqual([{ targetId: id }]))
  await waitFor(() =>
    expect(shownToasts().map(({ message }) => message)).toContainEqual(expect.stringMatching(/^Scan /)),
  )
})

it.each([
  ['LIMIT_AGENTS_ONLY', /^Recognized as .* only scans public addresses .*: choose an agent\.$/],
  ['LIMIT_FORBIDDEN', /^Recognized as .* it won't be scanned\. Ask your administrator/],
])('says who may scan an address: %s', async (scanLimit, hint) => {
  const outside = { input: target.address, ...read, scanLimit }
  service.on('POST /v1/targets/parse', { body: { results: [outside] } })
  const user = await open('/scope?create=true', /^Scope/)
  const panel = within(await screen.findByRole('dialog', { name: 'New target' }))
  await user.type(panel.getByLabelText('Address'), target.address)
  expect(await panel.findByText(hint)).toBeTruthy()
})

it('accepts a host with a port', async () => {
  service.on('POST /v1/targets', { body: { target } })
  const user = await open('/scope?create=true', /^Scope/)
  const panel = within(await screen.findByRole('dialog', { name: 'New target' }))
  await user.type(panel.getByLabelText('Name'), 'DMZ')
  await user.type(panel.getByLabelText('Address'), '10.0.0.1:8443')
  expect(await panel.findByText(/^Recognized as .* Scans are limited to port 8443\.$/)).toBeTruthy()
  await user.click(panel.getByRole('button', { name: 'Add target' }))
  await waitFor(() => expect(posted('/v1/targets')).toHaveLength(1))
  expect(posted('/v1/targets/parse').at(-1)?.body).toEqual({ addresses: ['10.0.0.1'] })
  expect(posted('/v1/targets')[0]?.body).toMatchObject({ address: '10.0.0.1', ports: '8443' })
})

it('detects a pasted list and does not submit it', async () => {
  const user = await open('/scope?create=true', /^Scope/)
  const panel = within(await screen.findByRole('dialog', { name: 'New target' }))
  await user.type(panel.getByLabelText('Name'), 'All')
  await user.click(panel.getByLabelText('Address'))
  // Browsers replace line breaks with spaces.
  await user.paste(Array.from({ length: 5000 }, (_, number) => `10.0.${number}.1`).join(' '))
  expect(await panel.findByText(listError)).toBeTruthy()
  await user.click(panel.getByRole('button', { name: 'Add target' }))
  expect(await panel.findByText(listError)).toBeTruthy()
  expect([posted('/v1/targets'), posted('/v1/targets/parse')]).toEqual([[], []])
})

it('validates the name of an API token locally', async () => {
  const user = await open('/integrations', 'Integrations')
  await user.click(await screen.findByRole('button', { name: 'Create token' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create API token' }))
  await user.type(dialog.getByLabelText('Name'), ' ')
  await user.click(dialog.getByRole('button', { name: 'Create token' }))
  expect(await dialog.findByText('Required')).toBeTruthy()
  expect([posted('/v1/api-tokens'), shownToasts()]).toEqual([[], []])
  await user.type(dialog.getByLabelText('Name'), 'ci')
  expect(dialog.queryByText('Required')).toBeNull()
})
