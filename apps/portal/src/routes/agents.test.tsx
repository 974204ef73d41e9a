import type { Agent } from '@glacis/contract/agent'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'
import { createPortalRouter } from '#routes/router.tsx'

const ids = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`)
const [id = '', otherId = '', newId = ''] = ids
const time = { createTime: '2026-11-01T08:00:00Z', updateTime: '2026-11-01T08:00:00Z' }
const lausanne: Agent = {
  ...time,
  id,
  name: 'lausanne-dc',
  status: 'STATUS_DISCONNECTED',
  lastSeenTime: '2026-11-20T08:00:00Z',
  version: '0.1.0',
  problems: ["The agent's clock is 95 seconds ahead. Synchronize it with an NTP server."],
  targetCount: 2,
}
const bern: Agent = {
  ...time,
  id: otherId,
  name: 'bern-dmz-1',
  status: 'STATUS_CONNECTED',
  latency: '0.012s',
  lastSeenTime: new Date().toISOString(),
  targetCount: 3,
}
const target = {
  ...time,
  id: newId,
  name: 'Data center Lausanne',
  address: '198.51.100.0/25',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: {},
  agent: lausanne,
}

let service: Service
let client: QueryClient
beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/scans', { body: { scans: [] } })
  service.on('GET /v1/targets', { body: { targets: [target] } })
  service.on('GET /v1/agents', { body: { agents: [bern, lausanne] } })
  for (const agent of [bern, lausanne]) {
    service.on(`GET /v1/agents/${agent.id}`, { body: { agent } })
    service.on(`GET /v1/agents/${agent.id}/jobs`, { body: { jobs: [] } })
    service.on(`GET /v1/agents/${agent.id}/connections`, { body: { connections: [] } })
  }
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
  return { user: userEvent.setup(), router }
}
const sent = (method: string) =>
  service.seen.filter((request) => request.method === method).map(({ path, query, body }) => ({ path, query, body }))

it('lists disconnected agents first, with the affected targets', async () => {
  await open('/agents', /^Agents/)
  const table = await screen.findByRole('table', { name: 'Agents' })
  await waitFor(() =>
    expect(
      within(table)
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual(['lausanne-dcNeeds attention', 'bern-dmz-1']),
  )
  expect(within(table).getByText('12 ms')).toBeTruthy()
  expect(screen.getByText(/lausanne-dc disconnected/).parentElement?.textContent).toMatch(
    /2 targets are not scanned until it reconnects/,
  )
})

it('creates an agent, shows its token once with the command, and shows when it connects', async () => {
  const made: Agent = { ...time, id: newId, name: 'zrh-office-2', status: 'STATUS_DISCONNECTED' }
  let isThere = false
  service.on('POST /v1/agents', { body: { agent: { ...made, token: 'gla_secret' } } })
  service.on(`GET /v1/agents/${newId}`, () => ({
    body: { agent: isThere ? { ...made, status: 'STATUS_CONNECTED', lastSeenTime: new Date().toISOString() } : made },
  }))
  service.on(`GET /v1/agents/${newId}/install`, ({ query }) => ({
    body: { command: `install for ${query['system']}`, notes: ['Opens no port.'] },
  }))
  const { user, router } = await open('/agents', /^Agents/)
  await user.click(screen.getByRole('button', { name: 'Add agent' }))
  await waitFor(() => expect(router.state.location.search).toEqual({ create: 'true' }))
  await user.click(await screen.findByRole('button', { name: 'Create agent' }))
  expect(screen.getByText('Required')).toBeTruthy()
  await user.type(screen.getByLabelText('Name'), ' zrh-office-2 {Enter}')
  await screen.findByText('zrh-office-2 is ready to install')
  expect(sent('POST')).toEqual([{ path: '/v1/agents', query: {}, body: { agent: { name: 'zrh-office-2' } } }])
  expect(router.state.location.search).toEqual({})
  expect(screen.getByText("Copy the token now: it won't be shown again.")).toBeTruthy()
  expect(screen.getByLabelText('Agent token').textContent).toBe('gla_secret')
  expect(await screen.findByText('install for systemd')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Docker' }))
  expect(await screen.findByText('install for docker')).toBeTruthy()
  expect(screen.getByText('Waiting for the first connection')).toBeTruthy()
  isThere = true
  expect(await screen.findByText('zrh-office-2 is connected.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(screen.queryByText('gla_secret')).toBeNull())
})

it('shows an exceeded quota next to the name field', async () => {
  const message = 'Agent quota of the plan Free quotaExceeded: 10 of 10 used'
  service.on('POST /v1/agents', { status: 429, body: { code: 8, message } })
  const { user } = await open('/agents', /^Agents/)
  await user.click(screen.getByRole('button', { name: 'Add agent' }))
  await user.type(await screen.findByLabelText('Name'), 'one more{Enter}')
  expect(await screen.findByText(message)).toBeTruthy()
  expect(shownToasts().map(({ title, message }) => [title, message])).toContainEqual([
    'API failure',
    `Too Many Requests: ${message}`,
  ])
})

it('shows the cause on its page, and renames the agent', async () => {
  service.on(`PATCH /v1/agents/${id}`, { body: { agent: { ...lausanne, name: 'lausanne-dc-2' } } })
  const { user } = await open(`/agents/${id}`, 'lausanne-dc')
  expect(screen.getByText(/clock is 95 seconds ahead/)).toBeTruthy()
  expect(await screen.findByText(/^No jobs yet\./)).toBeTruthy()
  expect(await screen.findByRole('link', { name: /Data center Lausanne/ })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Rename' }))
  const field = await screen.findByLabelText('Name')
  await user.clear(field)
  await user.type(field, 'lausanne-dc-2{Enter}')
  await waitFor(() => expect(shownToasts().at(-1)?.message).toBe('lausanne-dc was renamed to lausanne-dc-2.'))
  expect(sent('PATCH').map(({ body }) => body)).toEqual([
    { agent: { name: 'lausanne-dc-2' }, updateMask: { paths: ['name'] } },
  ])
})

it('rotates the token and optionally revokes the key', async () => {
  service.on(`POST /v1/agents/${id}/token`, { body: { agent: { ...lausanne, token: 'gla_fresh' } } })
  service.on(`GET /v1/agents/${id}/install`, { body: { command: 'install', notes: [] } })
  const { user } = await open(`/agents/${id}`, 'lausanne-dc')
  await user.click(screen.getByRole('button', { name: 'More actions' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Rotate token' }))
  await user.click(await screen.findByLabelText(/Revoke its key now/))
  await user.click(screen.getByRole('button', { name: 'Revoke and rotate' }))
  await waitFor(() => expect(screen.getByLabelText('Agent token').textContent).toBe('gla_fresh'))
  expect(sent('POST').map(({ body }) => body)).toEqual([{ revokeOld: true }])
})

it('asks for a replacement before deleting', async () => {
  service.on(`DELETE /v1/agents/${id}`, { body: {} })
  const { user, router } = await open(`/agents/${id}`, 'lausanne-dc')
  await user.click(screen.getByRole('button', { name: 'Delete agent' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('Data center Lausanne')).toBeTruthy()
  await waitFor(() =>
    expect(dialog.getAllByRole('option').map((option) => option.textContent)).toEqual([
      'No agent for now',
      'bern-dmz-1',
    ]),
  )
  await user.selectOptions(dialog.getByLabelText('Scan them with'), 'bern-dmz-1')
  await user.click(dialog.getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/agents'))
  expect(sent('DELETE')).toEqual([{ path: `/v1/agents/${id}`, query: { replacementId: otherId }, body: undefined }])
})

it.each([
  ['none', [], "To scan networks that this server can't reach, install an agent."],
  ['one', [bern], "To scan networks that this server can't reach, choose bern-dmz-1 when you edit their targets."],
  [
    'two',
    [bern, lausanne],
    "To scan networks that this server can't reach, choose one of your 2 agents when you edit their targets.",
  ],
] as const)('suggests the next step without assigned targets and with %s', async (_, agents, expected) => {
  service.on('GET /v1/targets', { body: { targets: [{ ...target, agent: undefined }], nextPageToken: '' } })
  service.on('GET /v1/agents', { body: { agents, nextPageToken: '' } })
  await open('/scope', /^Scope/)
  const hint = await screen.findByText(/^To scan networks that this server/)
  expect(hint.textContent.trim()).toBe(expected)
})
