import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { AppShell } from '#shell/app-shell.tsx'

let service: Service
let client: QueryClient
const plan = (id: string, name: string) => ({
  body: {
    subscription: {
      plan: { id, name },
      period: 'PERIOD_UNSPECIFIED',
      quota: { targets: { total: 3, used: 2 }, manualScans: { total: 5, used: 0 } },
    },
  },
})
const byStatus = (verified: number, potential: number) =>
  service.on('GET /v1/stats/issues-by-status', ({ query }) => {
    const isVerified = query['filter.verification'] === 'VERIFICATION_FILTER_VERIFIED'
    const open = [99, isVerified ? verified : potential]
    const timestamps = ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z']
    return { body: { timestamps, open, resolved: [1, 1], ignored: [0, 0], regressive: [7, 1] } }
  })

beforeEach(async () => {
  localStorage.clear()
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/scans', { body: { scans: [] } })
  service.on('GET /v1/billing/subscription', plan('team', 'Team'))
  byStatus(41, 1200)
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  await service.close()
})

const findSidebar = () => screen.findByRole('complementary', { name: 'Sidebar' })

async function show() {
  const { router, unmount } = build()
  return { router, side: within(await findSidebar()), unmount }
}

function build() {
  client = new QueryClient()
  const root = createRootRoute({ component: AppShell })
  const places = ['/', '/overview', '/scope', '/scans', '/profile', '/logout'].map((path) =>
    createRoute({ getParentRoute: () => root, path, component: () => <h1>{path}</h1> }),
  )
  const router = createRouter({
    routeTree: root.addChildren(places),
    history: createMemoryHistory({ initialEntries: ['/scope'] }),
  })
  const { unmount } = render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  return { router, unmount }
}

describe('the sidebar', () => {
  it('groups its links', async () => {
    const { side } = await show()
    const nav = within(side.getByRole('navigation', { name: 'Main' }))
    expect(nav.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Risks',
      'Attack Surface',
      'Insights',
    ])
    const links = nav
      .getAllByRole('link')
      .map((link) => [link.textContent.replace(/\d.*$/, ''), link.getAttribute('href')])
    expect(links).toEqual([
      ['Overview', '/overview'],
      ['Verified', '/risks/verified'],
      ['Potential', '/risks/potential'],
      ['Visual Map', '/risks/visual'],
      ['Scope', '/scope'],
      ['Agents', '/agents'],
      ['Assets', '/assets'],
      ['Technologies', '/technologies'],
      ['Reporting', '/scans'],
      ['Integrations', '/integrations'],
    ])
  })

  it('shows the current number of open and regressed risks', async () => {
    const { side } = await show()
    expect(await side.findByRole('link', { name: 'Verified 42 open or regressed' })).toBeTruthy()
    expect(await side.findByRole('link', { name: 'Potential 999+ open or regressed' })).toBeTruthy()
    const requests = service.seen.filter(({ path }) => path === '/v1/stats/issues-by-status')
    expect(new Set(requests.map(({ query }) => query['period']))).toEqual(new Set(['PERIOD_QUARTER']))
  })

  it('shows a spinner beside Reporting during a scan', async () => {
    const target = {
      id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
      name: 'Web',
      address: '127.0.0.1',
      tags: [],
      schedule: { period: 'PERIOD_WEEKLY' },
      issueCount: {},
      createTime: '2026-11-21T00:00:00Z',
      updateTime: '2026-11-21T00:00:00Z',
    }
    const scan = { ...target, type: 'TYPE_MANUAL', status: 'STATUS_CREATED', target, hostCount: {} }
    service.on('GET /v1/scans', { body: { scans: [scan] } })
    const { side } = await show()
    expect(await side.findByRole('link', { name: /^Reporting ?scan in progress$/ })).toBeTruthy()
    service.on('GET /v1/scans', { body: { scans: [] } })
    await client.refetchQueries({ queryKey: ['/v1/scans'] })
    expect(await side.findByRole('link', { name: 'Reporting' })).toBeTruthy()
  })

  it('hides a count of zero', async () => {
    byStatus(-1, -1)
    const { side } = await show()
    await waitFor(() => expect(service.seen.filter(({ path }) => path.includes('stats'))).toHaveLength(2))
    expect(side.getByRole('link', { name: 'Verified' })).toBeTruthy()
  })

  it('collapses a group and remembers it', async () => {
    const { side, unmount } = await show()
    await userEvent.click(side.getByRole('button', { name: 'Risks' }))
    expect(side.queryByRole('link', { name: /Verified/ })).toBeNull()
    unmount()
    const again = await show()
    expect(again.side.getByRole('button', { name: 'Risks' }).getAttribute('aria-expanded')).toBe('false')
  })

  it('collapses and remembers it', async () => {
    const { side, unmount } = await show()
    const classes = () => screen.getByRole('complementary', { name: 'Sidebar' }).classList
    expect(classes().contains('w-72')).toBe(true)
    await userEvent.click(side.getByRole('button', { name: 'Collapse sidebar' }))
    expect([classes().contains('w-16'), localStorage.getItem('glacis.sidebarCollapsed')]).toEqual([true, 'true'])
    unmount()
    await show()
    expect(classes().contains('w-16')).toBe(true)
  })
})

describe('the account', () => {
  it('shows the signed-in user and the menu', async () => {
    const { side, router } = await show()
    await userEvent.click(side.getByRole('button', { name: /Nora Ammann/ }))
    const menu = within(screen.getByRole('menu'))
    expect(menu.getByText('nora@example.ch')).toBeTruthy()
    expect(menu.getByRole('menuitem', { name: 'Get help' }).getAttribute('href')).toBe('https://help.example.ch/')
    expect(menu.getByRole('menuitem', { name: 'Settings' }).getAttribute('href')).toBe('/profile')
    await userEvent.click(menu.getByRole('menuitem', { name: 'Logout' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/logout'))
  })

  it('switches the theme', async () => {
    const { side } = await show()
    await userEvent.click(side.getByRole('button', { name: /Nora Ammann/ }))
    const checked = () =>
      screen
        .getAllByRole('menuitemradio')
        .map((item) => [item.getAttribute('aria-label'), item.getAttribute('aria-checked')])
    expect(checked()).toEqual([
      ['System', 'true'],
      ['Light', 'false'],
      ['Dark', 'false'],
    ])
    await userEvent.click(screen.getByRole('menuitemradio', { name: 'Dark' }))
    expect([localStorage.getItem('glacis.theme'), checked()[2]]).toEqual(['dark', ['Dark', 'true']])
  })
})

describe('the banner', () => {
  const banner = () => screen.queryByRole('region', { name: 'Upgrade' })

  it('is shown on the free plan until dismissed', async () => {
    service.on('GET /v1/billing/subscription', plan('free', 'Free'))
    const { unmount } = await show()
    await waitFor(() =>
      expect(banner()?.textContent).toContain("You're on the Free plan. It covers 3 targets and 5 manual scans"),
    )
    await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
    expect(banner()).toBeNull()
    unmount()
    await show()
    await waitFor(() => expect(client.isFetching()).toBe(0))
    expect([banner(), localStorage.getItem('glacis.upgradeBannerDismissed')]).toEqual([null, 'true'])
  })

  it('waits until the plan is known', async () => {
    let release = () => {}
    const after = new Promise<void>((done) => (release = done))
    service.on('GET /v1/billing/subscription', { ...plan('free', 'Free'), after })
    await show()
    await waitFor(() => expect(service.seen.some(({ path }) => path === '/v1/billing/subscription')).toBe(true))
    expect(banner()).toBeNull()
    release()
    await waitFor(() => expect(banner()).toBeTruthy())
  })

  it('shows the limits of the last visit until the plan is known', async () => {
    service.on('GET /v1/billing/subscription', plan('free', 'Free'))
    const { unmount } = await show()
    await waitFor(() => expect(banner()).toBeTruthy())
    unmount()
    const { promise: after, resolve: release } = Promise.withResolvers<void>()
    service.on('GET /v1/billing/subscription', { ...plan('team', 'Team'), after })
    await show()
    expect(banner()?.textContent).toContain("You're on the Free plan. It covers 3 targets and 5 manual scans")
    release()
    await waitFor(() => expect(banner()).toBeNull())
    expect(localStorage.getItem('glacis.planBanner.')).toBe('null')
  })

  it('is hidden on other plans', async () => {
    await show()
    await waitFor(() => expect(service.seen.some(({ path }) => path === '/v1/billing/subscription')).toBe(true))
    await waitFor(() => expect(client.isFetching()).toBe(0))
    expect(banner()).toBeNull()
  })
})

it('opens and closes the menu of small screens, and makes the page inert', async () => {
  const happy = (window as unknown as { happyDOM: { setViewport(size: object): void } }).happyDOM
  happy.setViewport({ width: 390, height: 844 })
  build()
  await screen.findByRole('heading', { name: '/scope' })
  expect(screen.queryByRole('complementary', { name: 'Sidebar' })).toBeNull()
  const isInert = () => screen.getByRole('main', { hidden: true }).closest('[inert]') !== null
  expect(isInert()).toBe(false)
  await userEvent.click(screen.getByRole('button', { name: 'Open menu' }))
  expect(screen.getByRole('button', { name: 'Close menu' }).getAttribute('aria-expanded')).toBe('true')
  expect([isInert(), document.documentElement.classList.contains('overflow-hidden')]).toEqual([true, true])
  document.querySelector<HTMLElement>('#small-menu a')?.focus()
  await userEvent.keyboard('{Escape}')
  const button = screen.getByRole('button', { name: 'Open menu' })
  expect(button.getAttribute('aria-expanded')).toBe('false')
  expect([isInert(), document.activeElement]).toEqual([false, button])
  expect(document.documentElement.classList.contains('overflow-hidden')).toBe(false)
  await userEvent.click(button)
  happy.setViewport({ width: 1440, height: 900 })
  act(() => void window.dispatchEvent(new Event('resize')))
  await waitFor(() => expect(isInert()).toBe(false))
  await findSidebar()
})

it('retries the page when the server is reachable again', async () => {
  const streams: EventTarget[] = []
  class Stream extends EventTarget {
    constructor() {
      super()
      streams.push(this)
    }
    close(): void {}
  }
  vi.stubGlobal('EventSource', Stream)
  let isThere = false
  const ask = fetch
  const respond = () =>
    isThere ? Promise.resolve(new Response('{}')) : Promise.reject(new TypeError('Failed to fetch'))
  vi.stubGlobal('fetch', (...args: Parameters<typeof fetch>) => (args[0] === '/config.json' ? respond() : ask(...args)))
  const { router } = await show()
  const again = vi.spyOn(router, 'invalidate')
  act(() => void streams[0]?.dispatchEvent(new Event('error')))
  expect(await screen.findByText("Glacis isn't responding.")).toBeTruthy()
  expect(again).not.toHaveBeenCalled()
  isThere = true
  act(() => void streams[0]?.dispatchEvent(new Event('error')))
  await waitFor(() => expect(again).toHaveBeenCalledOnce())
  expect(screen.queryByText("Glacis isn't responding.")).toBeNull()
  vi.unstubAllGlobals()
})

it('opens the search from the sidebar', async () => {
  const { side } = await show()
  await userEvent.click(side.getByRole('button', { name: 'Search (Ctrl K)' }))
  await screen.findByRole('combobox', { name: 'Search everything' })
})
