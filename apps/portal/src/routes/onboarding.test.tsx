import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ReceivedCall, type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'
import { steps as stepsQuery } from '#onboarding/queries.ts'
import { createPortalRouter } from '#routes/router.tsx'

const keys = ['TARGET', 'AGENT', 'SCAN', 'NOTIFICATIONS'] as const
const stepsOf = (...done: readonly string[]) => ({
  body: { steps: keys.map((key) => ({ key, state: done.includes(key) ? 'STATE_DONE' : 'STATE_OPEN' })) },
})
const parsed = (isPrivate: boolean) => ({
  body: { results: [{ input: '', normalized: 'www.example.ch', private: isPrivate }] },
})
const [agentId, targetId, scanId] = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`)
const time = { createTime: '2026-11-01T08:00:00Z', updateTime: '2026-11-01T08:00:00Z' }
const target = {
  ...time,
  id: targetId,
  name: 'Office',
  address: '10.0.0.0/24',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: {},
}
const chosen = { agent: { id: agentId }, updateMask: { paths: ['agent'] } }
let service: Service
let client: QueryClient
const user = userEvent.setup()

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/scans', { body: { scans: [] } })
  service.on('GET /v1/targets', { body: { targets: [] } })
  service.on('GET /v1/feeds', { body: { feeds: [] } })
  service.on('GET /v1/agents', { body: { agents: [] } })
  service.on('GET /v1/channels', { body: { channels: [] } })
  service.on('GET /v1/onboarding', stepsOf())
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  clearToasts()
  await service.close()
})

async function open(): Promise<void> {
  client = createQueryClient()
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: ['/onboarding'] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { level: 1, name: 'Set up Glacis' })
}
const made = () => service.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/targets')

it('asks for permission to scan a public address, and sends the answer', async () => {
  service.on('POST /v1/targets/parse', parsed(false))
  await open()
  await user.type(await screen.findByLabelText('Name'), 'Public web')
  await user.type(screen.getByLabelText('Address'), 'www.example.ch{Enter}')
  const tick = await screen.findByRole('checkbox', { name: "I'm authorized to scan this address" })
  expect(await screen.findByText("To scan an address on the internet, confirm that you're authorized")).toBeTruthy()
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

it('does not ask for a private address', async () => {
  service.on('POST /v1/targets/parse', parsed(true))
  await open()
  await user.type(await screen.findByLabelText('Name'), 'Office')
  await user.type(screen.getByLabelText('Address'), '10.0.0.0/24{Enter}')
  await waitFor(() => expect(made()).toHaveLength(1))
  expect(screen.queryByRole('checkbox')).toBeNull()
  expect(made()[0]?.body).not.toHaveProperty('isPermitted')
})

/** Parses a list like the server; an exclamation mark makes an address invalid. */
const parsedList = ({ body }: ReceivedCall) => ({
  body: {
    results: (body as { addresses: string[] }).addresses.map((input) =>
      input.includes('!')
        ? { input, error: `'${input}' is not a hostname.` }
        : { input, normalized: input, hostCount: 1, private: input.startsWith('10.') },
    ),
  },
})

it('adds a pasted list, and continues as after a single target', async () => {
  const targets: object[] = []
  service.on('POST /v1/targets/parse', parsedList)
  service.on('GET /v1/targets', () => ({ body: { targets } }))
  service.on('GET /v1/onboarding', () => stepsOf(...(targets.length > 0 ? ['TARGET'] : [])))
  service.on('POST /v1/targets', ({ body }) => {
    const { name, address } = body as { name: string; address: string }
    targets.push({ ...target, id: `00000000-0000-4000-8000-00000000009${targets.length}`, name, address })
    return { body: { target: targets.at(-1) } }
  })
  await open()
  await user.click(await screen.findByLabelText('Address'))
  await user.paste('10.0.0.1, www.example.ch')
  await user.click(screen.getByRole('button', { name: 'Paste a list' }))
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Addresses')
  expect(field.value).toBe('10.0.0.1, www.example.ch')
  expect(document.activeElement).toBe(field)
  await user.type(field, '{Enter}oops!')
  expect(await screen.findByText('3 addresses: 2 new, 1 invalid.')).toBeTruthy()
  await user.click(screen.getByRole('radio', { name: 'Daily' }))
  await user.click(screen.getByRole('checkbox', { name: "I'm authorized to scan these addresses" }))
  await user.click(screen.getByRole('button', { name: 'Add 2 targets' }))
  expect(await screen.findByText('2 targets were added. The remaining addresses are listed below.')).toBeTruthy()
  expect(made().map(({ body }) => body)).toEqual([
    { name: '10.0.0.1', address: '10.0.0.1', schedule: { period: 'PERIOD_DAILY' }, tags: [] },
    {
      name: 'www.example.ch',
      address: 'www.example.ch',
      schedule: { period: 'PERIOD_DAILY' },
      tags: [],
      isPermitted: true,
    },
  ])
  // The step is done, and the invalid lines are kept for fixing.
  await client.refetchQueries({ queryKey: stepsQuery().queryKey })
  expect(client.getQueryData(stepsQuery().queryKey)?.steps[0]?.state).toBe('STATE_DONE')
  expect(await screen.findByRole('button', { name: 'Continue' })).toBeTruthy()
  expect(screen.getByLabelText<HTMLTextAreaElement>('Addresses').value).toBe('oops!')
  await user.clear(field)
  await user.type(field, '10.0.0.3')
  await user.click(await screen.findByRole('button', { name: 'Add 1 target' }))
  const head = await screen.findByRole('heading', { name: 'Where should Glacis scan from?' })
  await waitFor(() => expect(document.activeElement).toBe(head.parentElement))
  expect(screen.getByText('10.0.0.1 and 2 more')).toBeTruthy()
})

it('switches from a list to one target, and keeps the pasted list', async () => {
  service.on('POST /v1/targets/parse', parsedList)
  await open()
  await user.click(await screen.findByRole('button', { name: 'Paste a list' }))
  await user.paste('10.0.0.1\n10.0.0.2')
  await user.click(screen.getByRole('button', { name: 'Add a single target' }))
  const name = await screen.findByLabelText('Name')
  await waitFor(() => expect(document.activeElement).toBe(name))
  await user.click(screen.getByRole('button', { name: 'Paste a list' }))
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Addresses')).value).toBe('10.0.0.1\n10.0.0.2')
  expect(made()).toEqual([])
})

it('does not submit a list as one address', async () => {
  service.on('POST /v1/targets/parse', parsedList)
  await open()
  await user.type(await screen.findByLabelText('Name'), 'Office')
  await user.type(screen.getByLabelText('Address'), '10.0.0.1! 10.0.0.2{Enter}')
  expect(await screen.findByText(/^This looks like a list\. A target has one/)).toBeTruthy()
  expect(made()).toEqual([])
})

it('selects scanning from the server by default', async () => {
  service.on('GET /v1/onboarding', stepsOf('TARGET'))
  service.on('GET /v1/targets', { body: { targets: [target] } })
  await open()
  const fromServer = await screen.findByRole('radio', { name: /^From this server/ })
  expect((fromServer as HTMLInputElement).checked).toBe(true)
  expect(screen.queryByRole('button', { name: 'Skip' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  expect(await screen.findByRole('heading', { name: 'Run the first scan' })).toBeTruthy()
  const done = within(screen.getByRole('list', { name: 'Setup steps' })).getAllByText(/, done$/)
  expect(done).toHaveLength(2)
  expect(screen.getByText('From this server')).toBeTruthy()
})

it('creates, installs, and connects an agent, and assigns the target', async () => {
  let isThere = false
  let isCreated = false
  const made = { ...time, id: agentId, name: 'zrh-office-1', status: 'STATUS_DISCONNECTED', targetCount: 0 }
  const now = () => (isThere ? { ...made, status: 'STATUS_CONNECTED', latency: '0.038s' } : made)
  service.on('GET /v1/onboarding', stepsOf('TARGET'))
  service.on('GET /v1/targets', { body: { targets: [target] } })
  service.on('GET /v1/agents', () => ({ body: { agents: isCreated ? [now()] : [] } }))
  service.on(`GET /v1/agents/${agentId}`, () => ({ body: { agent: now() } }))
  service.on(`GET /v1/agents/${agentId}/install`, { body: { command: 'install it', notes: [] } })
  service.on('POST /v1/agents', () => {
    isCreated = true
    return { body: { agent: { ...made, token: 'gla_secret' } } }
  })
  service.on(`PATCH /v1/targets/${target.id}`, { body: { target: { ...target, agent: made } } })
  await open()
  await user.click(await screen.findByRole('radio', { name: /^From another network/ }))
  expect(screen.getByRole('button', { name: 'Skip' })).toBeTruthy()
  await user.type(await screen.findByLabelText('Agent name'), 'zrh-office-1')
  await user.click(screen.getByRole('button', { name: 'Create agent' }))
  expect((await screen.findByLabelText('Agent token')).textContent).toBe('gla_secret')
  expect(await screen.findByText('install it')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull()
  isThere = true
  expect(await screen.findByText('zrh-office-1 is connected.')).toBeTruthy()
  expect(screen.getByText(/Latency 38 ms\./)).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Continue' })).toBeTruthy()
  const scope = screen.getByRole('group', { name: 'Scan through zrh-office-1' })
  await user.click(within(scope).getByRole('checkbox', { name: /^Office/ }))
  await waitFor(() => expect(service.seen.find(({ method }) => method === 'PATCH')?.body).toMatchObject(chosen))
})

it('asks users with an existing agent to choose', async () => {
  const agent = { ...time, id: agentId, name: 'zrh-office-1', status: 'STATUS_CONNECTED', targetCount: 0 }
  service.on('GET /v1/onboarding', stepsOf('TARGET'))
  service.on('GET /v1/agents', { body: { agents: [agent] } })
  service.on(`GET /v1/agents/${agentId}`, { body: { agent } })
  await open()
  const [fromServer, fromAgent] = await screen.findAllByRole('radio')
  await waitFor(() => expect((fromAgent as HTMLInputElement).checked).toBe(true))
  await user.click(fromServer as HTMLElement)
  expect((fromServer as HTMLInputElement).checked).toBe(true)
  expect(screen.queryByText('zrh-office-1 is connected.')).toBeNull()
})

it('does not offer to scan a scanned target again', async () => {
  const scan = { ...time, id: scanId, type: 'TYPE_MANUAL', status: 'STATUS_COMPLETED', target, issueCount: {} }
  service.on('GET /v1/onboarding', stepsOf('TARGET', 'AGENT'))
  service.on('GET /v1/targets', { body: { targets: [target] } })
  service.on('GET /v1/scans', { body: { scans: [{ ...scan, hostCount: { scannedHosts: 1 } }] } })
  await open()
  expect(await screen.findByText('1 host scanned.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Start scan of Office' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Continue' })).toBeTruthy()
})

it('ends with a summary and next steps', async () => {
  service.on('GET /v1/onboarding', stepsOf(...keys))
  await open()
  expect(await screen.findByText('Glacis is set up.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'View risks' }).getAttribute('href')).toBe('/risks/verified')
  expect(screen.getByRole('link', { name: 'Open reporting' }).getAttribute('href')).toBe('/scans')
  expect(screen.getByRole('link', { name: 'Close' }).getAttribute('href')).toBe('/overview')
  expect(screen.queryByLabelText('Address')).toBeNull()
})
