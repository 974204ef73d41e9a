import type { Plan } from '@glacis/contract/subscription'
import { QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Suspense } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rangeHint, planSummary, SubscriptionPage } from '#billing/subscription.tsx'
import { business, enterprise, free, planList, starter } from '#billing/testing/plans.ts'
import { remainingScans, remainingTargets } from '#billing/usage.tsx'
import { testConfig, type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { providePortalConfig } from '#lib/portal-config.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'
import { createPortalRouter } from '#routes/router.tsx'

let service: Service
beforeEach(async () => {
  service = await startService()
  service.on('GET /v1/billing/plans', { body: { plans: planList } })
  present(free, 25)
})
afterEach(async () => {
  cleanup()
  clearToasts()
  await service.close()
})

function present({ id, name }: Plan, total: number, used = 18) {
  const quota = { targets: { total, used }, manualScans: { total: 100, used: 91 } }
  service.on('GET /v1/billing/subscription', {
    body: { subscription: { plan: { id, name }, period: 'PERIOD_MONTHLY', quota } },
  })
}

async function open() {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Suspense>
        <SubscriptionPage />
      </Suspense>
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { name: 'Usage' })
  return userEvent.setup()
}
const puts = () => service.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)

it('changes plan, targets, and period, waits, and shows the new figures', async () => {
  service.on('PUT /v1/billing/subscription', () => {
    present(starter, 60)
    return { body: { redirectUrl: '' } }
  })
  const user = await open()
  expect(screen.queryByRole('slider')).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'Starter' }))
  await user.clear(screen.getByLabelText('Number of targets'))
  await user.type(screen.getByLabelText('Number of targets'), '60{Enter}')
  await user.click(screen.getByRole('button', { name: /^Yearly/ }))
  expect(screen.getByText('CHF 760.00', { normalizer: plainSpaces })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Apply change' }))
  expect(screen.getByRole('button', { name: 'Apply change' }).getAttribute('aria-busy')).toBe('true')
  await waitFor(() => expect(shownToasts().at(-1)?.message).toBe("You're now on the Starter plan."))
  expect(puts()).toEqual([{ planId: 'starter', numTargets: 60, period: 'PERIOD_YEARLY' }])
  expect(await screen.findByText('You can add 42 more targets.')).toBeTruthy()
})

it('redirects to the payment page if payment is required', async () => {
  const leave = vi.spyOn(location, 'assign').mockImplementation(() => {})
  service.on('PUT /v1/billing/subscription', { body: { redirectUrl: 'https://pay.example.ch/1' } })
  const user = await open()
  await user.click(screen.getByRole('radio', { name: 'Starter' }))
  await user.click(screen.getByRole('button', { name: 'Apply change' }))
  await waitFor(() => expect(leave).toHaveBeenCalledExactlyOnceWith('https://pay.example.ch/1'))
  leave.mockRestore()
})

it('shows an error about the number beside it, until it changes', async () => {
  const detail = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'numTargets', description: 'No more than 70.' }],
  }
  service.on('PUT /v1/billing/subscription', { status: 400, body: { code: 3, message: 'no', details: [detail] } })
  const user = await open()
  await user.click(screen.getByRole('radio', { name: 'Starter' }))
  await user.click(screen.getByRole('button', { name: 'Apply change' }))
  expect(await screen.findByText('No more than 70.')).toBeTruthy()
  expect(screen.getByLabelText('Number of targets').getAttribute('aria-invalid')).toBe('true')
  await user.click(screen.getByRole('radio', { name: 'Business' }))
  expect(screen.queryByText('No more than 70.')).toBeNull()
})

it('shows other errors beside the button', async () => {
  service.on('PUT /v1/billing/subscription', { status: 429, body: { code: 8, message: 'Too many changes today.' } })
  const user = await open()
  await user.click(screen.getByRole('radio', { name: 'Enterprise' }))
  await user.click(screen.getByRole('button', { name: 'Apply change' }))
  expect((await screen.findByRole('alert')).textContent).toBe('Too Many Requests: Too many changes today.')
})

it('does not allow a plan that is too small for the current usage', async () => {
  present(starter, 60, 31)
  const user = await open()
  await user.click(screen.getByRole('radio', { name: 'Free' }))
  expect(screen.getByText(/allows at most 25 targets, and you have 31/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Apply change' })).toHaveProperty('disabled', true)
})

describe('the account menu', () => {
  async function openMenu(config: { readonly billing: boolean }) {
    providePortalConfig({ ...testConfig(service.url), ...config })
    service.on('GET /sessions/whoami', { body: sessionOf() })
    const client = createQueryClient()
    const router = createPortalRouter(client, createMemoryHistory({ initialEntries: ['/overview'] }))
    render(
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    )
    const user = userEvent.setup()
    const [button] = await screen.findAllByRole('button', { name: /^Account/ })
    if (button) await user.click(button)
    await screen.findByRole('menuitem', { name: 'Settings' })
    return { user, close: () => client.cancelQueries() }
  }
  const names = () => screen.getAllByRole('menuitem').map((item) => item.textContent)

  it('links to the subscription first, and closes', async () => {
    const { user, close } = await openMenu({ billing: true })
    expect(names()).toEqual(['Subscription', 'Settings', 'Workspace settings', 'Get help', 'Logout'])
    await user.click(screen.getByRole('menuitem', { name: 'Subscription' }))
    expect(await screen.findByRole('heading', { name: 'Usage' })).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
    expect((await screen.findByRole('link', { name: 'Compare plans' })).getAttribute('href')).toBe('/subscription')
    await close()
  })

  it('shows neither subscription nor banner without billing', async () => {
    const { close } = await openMenu({ billing: false })
    expect(names()).toEqual(['Settings', 'Workspace settings', 'Get help', 'Logout'])
    expect(screen.queryByRole('region', { name: 'Upgrade' })).toBeNull()
    await close()
  })
})

it('shows a card and sends no request without billing', () => {
  providePortalConfig({ ...testConfig(service.url), billing: false })
  render(<SubscriptionPage />)
  expect(screen.getByRole('heading', { name: 'Self-hosted, no plans' })).toBeTruthy()
  expect(screen.queryByRole('radio')).toBeNull()
  expect(service.seen).toEqual([])
})

it.each([
  [remainingTargets({ used: 18, total: 25 }), 'You can add 7 more targets.'],
  [remainingTargets({ used: 24, total: 25 }), 'You can add 1 more target.'],
  [
    remainingTargets({ used: 25, total: 25 }),
    "You've reached your plan's limit. Delete a target or choose a larger plan.",
  ],
  [
    remainingTargets({ used: 26, total: 25 }),
    "You're 1 target over your plan's limit. Delete some or choose a larger plan.",
  ],
  [remainingScans({ used: 91, total: 100 }, undefined), "9 left. Scheduled scans don't count."],
  [
    remainingScans({ used: 100, total: 100 }, '2026-12-01T12:00:00Z'),
    "None left until 1 Dec 2026. Scheduled scans don't count.",
  ],
  [
    planSummary({ plan: starter, targets: 60, period: 'PERIOD_YEARLY' }, '2026-12-01T12:00:00Z'),
    "You're on the Starter plan: 60 targets, 300 manual scans per month. It ends on 1 Dec 2026.",
  ],
  [
    planSummary({ plan: enterprise, targets: 1_000_000, period: 'PERIOD_MONTHLY' }, undefined),
    "You're on the Enterprise plan: unlimited targets, unlimited manual scans.",
  ],
  [rangeHint(starter, 18), 'Starter includes 50 targets and allows up to 100. You use 18.'],
  [rangeHint(starter, 70), "Starter includes 50 targets and allows up to 100. You use 70, so you can't choose fewer."],
  [rangeHint(business, 18), 'Business includes 600 targets and has no maximum. You use 18.'],
])('shows “%s”', (message, expected) => {
  expect(message).toBe(expected)
})

/** Francs are formatted with a no-break space. */
function plainSpaces(text: string): string {
  return text.replaceAll('\u00A0', ' ')
}
