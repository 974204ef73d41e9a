/** Creating many targets from a list of addresses. */
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Reply, ReceivedCall } from '#lib/testing/service.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { shownToasts } from '#lib/testing/toasts.ts'
import { createPortalRouter } from '#routes/router.tsx'

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const time = { createTime: '2026-11-01T08:00:00Z', updateTime: '2026-11-01T08:00:00Z' }
const targetOf = (address: string, number: number) => ({
  ...time,
  id: idOf(number),
  name: address,
  address,
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: {},
})
const quota = (used: number) => {
  const of = { total: 5, used }
  const plan = { id: 'free', name: 'Free' }
  return { body: { subscription: { plan, period: 'PERIOD_MONTHLY', quota: { targets: of, manualScans: of } } } }
}

/** Parses addresses like the server; `old.example` is an existing target. */
function parse({ body }: ReceivedCall): Reply {
  const { addresses } = body as { addresses: string[] }
  const results = addresses.map((input) => {
    if (input.includes('!')) return { input, error: `'${input}' is not a hostname.` }
    const isPrivate = input.startsWith('10.')
    const target = input === 'old.example' ? { target: { id: idOf(99), name: 'Old' } } : {}
    return {
      input,
      normalized: input.toLowerCase(),
      hostCount: input.includes('/') ? 14 : 1,
      private: isPrivate,
      ...target,
    }
  })
  return { body: { results } }
}
const create = ({ body }: ReceivedCall): Reply => {
  const { address } = body as { address: string }
  return { body: { target: targetOf(address, made().length) } }
}

let stage: TestPage
const user = userEvent.setup()
const made = () => stage.service.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/targets')
const sent = () => made().map(({ body }) => (body as { address: string }).address)
const messages = () => shownToasts().map(({ message }) => message)

beforeEach(async () => {
  stage = await startTestPage()
  const { service } = stage
  for (const list of ['scans', 'agents', 'tags', 'views', 'targets'])
    service.on(`GET /v1/${list}`, { body: { [list]: [] } })
  service.on('GET /v1/billing/subscription', quota(1))
  service.on('POST /v1/targets/parse', parse)
  service.on('POST /v1/targets', create)
  const history = createMemoryHistory({ initialEntries: ['/scope?create=true'] })
  stage.show(<RouterProvider router={createPortalRouter(stage.client, history)} />)
})
afterEach(() => stage.close())

const panelOf = async (name: string) => within(await screen.findByRole('dialog', { name }))

/** Opens the form for a list and pastes one. */
async function paste(text: string) {
  const one = await panelOf('New target')
  await user.click(one.getByRole('button', { name: 'Paste a list' }))
  const panel = await panelOf('New targets')
  expect(document.activeElement).toBe(panel.getByLabelText('Addresses'))
  await user.paste(text)
  return panel
}
const press = (panel: Awaited<ReturnType<typeof panelOf>>, name: string) =>
  user.click(panel.getByRole('button', { name }))

it('previews a list line by line before creating anything', async () => {
  const panel = await paste('10.0.0.0/28\nnope!\nold.example, 10.0.0.0/28')
  expect(await panel.findByText('4 addresses: 1 new, 1 already in scope, 1 duplicate, 1 invalid.')).toBeTruthy()
  const of = (name: string) => panel.getByRole('region', { name }).textContent
  expect(of('1 invalid')).toContain("nope!line 2'nope!' is not a hostname.")
  expect(of('1 already in scope')).toContain('old.exampleline 3The target “Old” already has this address.')
  expect(of('1 duplicate')).toContain('10.0.0.0/28line 3Same address as line 1.')
  expect(of('1 new')).toContain('10.0.0.0/2814 addresses')
  expect(panel.getByText(/1 address is private/)).toBeTruthy()
  expect(panel.getByText('Your plan allows 4 more targets.')).toBeTruthy()
  expect(panel.getByRole('button', { name: 'Add 1 target' })).toBeTruthy()
  expect(made()).toEqual([])
})

it('creates all targets once, and offers to scan them', async () => {
  stage.service.on('POST /v1/scans/batch', { body: { startedCount: 2, skipped: [] } })
  const panel = await paste('10.0.0.1\n10.0.0.2\nold.example')
  await user.click(panel.getByRole('radio', { name: 'Daily' }))
  await press(panel, 'Add targets')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(made().map(({ body }) => body)).toEqual(
    ['10.0.0.1', '10.0.0.2'].map((address) => ({
      name: address,
      address,
      schedule: { period: 'PERIOD_DAILY' },
      tags: [],
    })),
  )
  expect(new Set(made().map(({ key }) => key)).size).toBe(2)
  expect(messages()).toEqual(['2 targets were added. 1 already existed.'])
  await user.click(await screen.findByRole('button', { name: 'Scan now' }))
  await waitFor(() => expect(messages()).toContain('Started 2 scans.'))
})

it('asks for confirmation of public addresses only', async () => {
  const panel = await paste('10.0.0.1 example.ch')
  await panel.findByText('2 addresses: 2 new.')
  await press(panel, 'Add 2 targets')
  expect(await panel.findByText("To scan addresses on the internet, confirm that you're authorized")).toBeTruthy()
  expect(made()).toEqual([])
  await user.click(panel.getByRole('checkbox', { name: "I'm authorized to scan these addresses" }))
  await press(panel, 'Add 2 targets')
  await waitFor(() => expect(made()).toHaveLength(2))
  expect(made().map(({ body }) => (body as { isPermitted?: boolean }).isPermitted)).toEqual([undefined, true])
})

it('creates as many as the plan allows, and keeps the rest and invalid lines in the list', async () => {
  stage.service.on('GET /v1/billing/subscription', quota(3))
  const panel = await paste('10.0.0.1\n10.0.0.2\nnope!\n10.0.0.3')
  expect(
    await panel.findByText(/^Your plan allows 2 more targets\. The first 2 are added; 1 stays in the list\./),
  ).toBeTruthy()
  await press(panel, 'Add 2 targets')
  expect(await panel.findByText('2 targets were added. The remaining addresses are listed below.')).toBeTruthy()
  expect(sent()).toEqual(['10.0.0.1', '10.0.0.2'])
  expect(panel.getByLabelText<HTMLTextAreaElement>('Addresses').value).toBe('nope!\n10.0.0.3')
})

it('continues after a rejected target, and shows the reason', async () => {
  stage.service.on('POST /v1/targets', (request) =>
    JSON.stringify(request.body).includes('10.0.0.1')
      ? { status: 400, body: { code: 3, message: 'not this one' } }
      : create(request),
  )
  const panel = await paste('10.0.0.1\n10.0.0.2')
  await panel.findByText('2 addresses: 2 new.')
  await press(panel, 'Add 2 targets')
  expect(
    await panel.findByText('1 target was added. 1 was rejected. The remaining addresses are listed below.'),
  ).toBeTruthy()
  expect((await panel.findByRole('region', { name: '1 rejected' })).textContent).toContain('10.0.0.1line 1not this one')
  expect(panel.getByLabelText<HTMLTextAreaElement>('Addresses').value).toBe('10.0.0.1')
})

it('stops without a response, loses nothing, and creates no duplicates', async () => {
  stage.service.on('POST /v1/targets', () =>
    made().length === 2
      ? { status: 503, body: { code: 14, message: 'down' } }
      : { body: { target: targetOf('10.0.0.1', made().length) } },
  )
  const panel = await paste('10.0.0.1\n10.0.0.2\n10.0.0.3')
  await panel.findByText('3 addresses: 3 new.')
  await press(panel, 'Add 3 targets')
  expect(
    await panel.findByText(
      "1 target was added. The rest weren't sent (Service Unavailable: down). The remaining addresses are listed below.",
    ),
  ).toBeTruthy()
  expect(sent()).toEqual(['10.0.0.1', '10.0.0.2'])
  stage.service.on('POST /v1/targets', create)
  await panel.findByText('2 addresses: 2 new.')
  await press(panel, 'Add 2 targets')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(sent().slice(2)).toEqual(['10.0.0.2', '10.0.0.3'])
  const keys = made().map(({ key }) => key)
  expect(keys[2]).toBe(keys[1])
  expect(new Set(keys).size).toBe(3)
})

it('can be stopped, and keeps what was not sent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  stage.service.on('POST /v1/targets', (request) => ({
    ...create(request),
    ...(made().length === 2 && { after: promise }),
  }))
  const panel = await paste('10.0.0.1\n10.0.0.2\n10.0.0.3')
  await panel.findByText('3 addresses: 3 new.')
  await press(panel, 'Add 3 targets')
  expect(await panel.findByText('1 of 3')).toBeTruthy()
  await press(panel, 'Stop')
  resolve()
  expect(await panel.findByText(/^2 targets were added\. The rest weren't sent \(you stopped it\)\./)).toBeTruthy()
  expect(panel.getByLabelText<HTMLTextAreaElement>('Addresses').value).toBe('10.0.0.3')
})

it('accepts a list in the single-address field, and confirms before discarding it', async () => {
  const one = await panelOf('New target')
  await user.click(one.getByLabelText('Address'))
  await user.paste('10.0.0.1, 10.0.0.2')
  await press(one, 'Paste a list')
  const panel = await panelOf('New targets')
  expect(panel.getByLabelText<HTMLTextAreaElement>('Addresses').value).toBe('10.0.0.1, 10.0.0.2')
  await press(panel, 'Add a single target')
  const again = await panelOf('New target')
  expect(again.getByLabelText<HTMLInputElement>('Address').value).toBe('')
  await press(again, 'Cancel')
  expect(await screen.findByRole('dialog', { name: 'Discard changes?' })).toBeTruthy()
})

it.each([
  ['', 'Required'],
  ['old.example', 'No address in this list can be added'],
  [
    Array.from({ length: 1001 }, (_, number) => `h${number}.example`).join(' '),
    /at most 1.000 addresses; this one has 1.001/,
  ],
])(
  'creates nothing from %#',
  async (text, message) => {
    const panel = await paste(text)
    await press(panel, 'Add targets')
    expect(await panel.findByText(message)).toBeTruthy()
    expect(made()).toEqual([])
  },
  20_000,
)
