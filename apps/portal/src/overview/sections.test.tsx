import type { Feed } from '@glacis/contract/insights'
import type { Product, Wfn } from '@glacis/contract/product'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testConfig, type Service, startService } from '#lib/testing/service.ts'
import { providePortalConfig } from '#lib/portal-config.ts'
import { clearToasts } from '#lib/testing/toasts.ts'
import { FeedTable, FeedImports } from '#overview/feeds.tsx'
import { OpenRisks } from '#overview/open-risks.tsx'
import { RecentActivity } from '#overview/recent-activity.tsx'
import { SetupProgress } from '#overview/setup-progress.tsx'
import { SummaryLists } from '#overview/summary-lists.tsx'

const time = '2026-11-20T08:00:00Z'
const id = '00000000-0000-4000-8000-000000000001'
const target = (name: string, critical: number, high: number) => ({
  id,
  name,
  address: '192.0.2.0/24',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: { critical, high, medium: 4, low: 0 },
  createTime: time,
  updateTime: time,
})
const wfnOf = (name: string, version: string): Wfn => ({
  part: 'a',
  vendor: name,
  product: name,
  version,
  update: '*',
  edition: '*',
  language: '*',
  softwareEdition: '*',
  targetSoftware: '*',
  targetHardware: '*',
  other: '*',
  text: `cpe:2.3:a:${name}:${name}:${version}`,
})
const product = {
  id,
  name: 'OpenSSL',
  version: '1.1.1',
  wfn: wfnOf('openssl', '1.1.1'),
  minNotificationSeverity: 7,
  endOfLife: { state: 'STATE_PAST' as const, date: '2023-09-11' },
  createTime: time,
  updateTime: time,
}
const plan = (targets: number, used: number) => ({
  body: {
    subscription: {
      plan: { id: 'team', name: 'Team' },
      period: 'PERIOD_MONTHLY',
      quota: { targets: { total: targets, used }, manualScans: { total: 2_000_000, used: 3 } },
    },
  },
})
let service: Service
let client: QueryClient

beforeEach(async () => {
  service = await startService()
  service.on('GET /v1/targets', { body: { targets: [] } })
  service.on('GET /v1/products', { body: { products: [] } })
  service.on('GET /v1/billing/subscription', plan(2_000_000, 3))
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  clearToasts()
  await service.close()
})

function show(section: ReactNode): void {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const root = createRootRoute()
  const paths = [
    '/',
    '/scope',
    '/scope/$id',
    '/technologies',
    '/technologies/$id',
    '/risks/verified',
    '/subscription',
    '/onboarding',
  ]
  const routes = paths.map((path) =>
    createRoute({ getParentRoute: () => root, path, component: () => (path === '/' ? <main>{section}</main> : null) }),
  )
  const router = createRouter({ routeTree: root.addChildren(routes), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
}
const settled = async () => {
  await waitFor(() => expect(client.getQueryCache().getAll().length).toBeGreaterThan(0))
  await waitFor(() => expect(client.isFetching()).toBe(0))
}

function ended(name: string, version: string): Product {
  const wfn = { ...product.wfn, vendor: name.toLowerCase(), product: name.toLowerCase(), version }
  return { ...product, id: crypto.randomUUID(), name, version, wfn }
}

describe('SummaryLists', () => {
  it('lists the targets most at risk, without those that have no risks', async () => {
    service.on('GET /v1/targets', { body: { targets: [target('DMZ Bern', 2, 1), target('Office', 0, 0)] } })
    show(<SummaryLists />)
    const list = within(await screen.findByRole('region', { name: 'Most at risk' }))
    expect(list.getAllByRole('listitem').map((row) => row.textContent)).toEqual(['DMZ Bern2 critical1 high'])
    expect(list.getByRole('link', { name: 'DMZ Bern' }).getAttribute('href')).toBe(`/scope/${id}`)
    expect(list.getByTitle('DMZ Bern')).toBeTruthy()
    const request = service.seen.find(({ path }) => path === '/v1/targets')
    expect(request?.query).toMatchObject({ orderBy: 'ORDER_BY_SEVERITY', pageSize: '5' })
  })

  it('lists software at end of life, with the date', async () => {
    service.on('GET /v1/products', { body: { products: [product] } })
    show(<SummaryLists />)
    const list = within(await screen.findByRole('region', { name: 'End of life' }))
    expect(list.getByRole('listitem').textContent).toMatch(/^OpenSSL 1\.1\.1.*2023Ended$/)
    expect(list.getByTitle('OpenSSL 1.1.1')).toBeTruthy()
  })

  it('shows the versions of a technology that is at its end as one entry', async () => {
    service.on('GET /v1/products', {
      body: {
        products: [ended('nginx', '1.18.0'), ended('Redis', '6.0.9'), ended('nginx', '1.18.2')],
        nextPageToken: '',
      },
    })
    show(<SummaryLists />)
    const list = within(await screen.findByRole('region', { name: 'End of life' }))
    expect(list.getAllByRole('link').map((link) => link.textContent)).toEqual([
      'Technologies',
      'nginx 1.18.x',
      'Redis 6.0.9',
    ])
    const address = list.getByRole('link', { name: 'nginx 1.18.x' }).getAttribute('href') ?? ''
    expect(new URL(address, 'http://portal').pathname).toBe('/technologies')
  })

  it('shows plan usage for limited plans', async () => {
    service.on('GET /v1/billing/subscription', plan(15, 12))
    show(<SummaryLists />)
    const list = within(await screen.findByRole('region', { name: 'Plan' }))
    expect(list.getAllByRole('listitem').map((row) => row.textContent)).toEqual(['Targets12 of 15'])
    cleanup()
    providePortalConfig({ ...testConfig(service.url), billing: false })
    show(<SummaryLists />)
    await settled()
    expect(screen.queryByRole('region', { name: 'Plan' })).toBeNull()
  })

  it('renders nothing without data', async () => {
    show(<SummaryLists />)
    await settled()
    expect(screen.queryAllByRole('region')).toEqual([])
  })

  it('reports which list failed, and retries it', async () => {
    service.on('GET /v1/targets', { status: 503, body: { code: 14, message: 'later' } })
    show(<SummaryLists />)
    const failed = within(await screen.findByRole('region', { name: 'Most at risk' }))
    service.on('GET /v1/targets', { body: { targets: [target('DMZ Bern', 1, 0)] } })
    await userEvent.click(failed.getByRole('button'))
    expect(await screen.findByRole('link', { name: 'DMZ Bern' })).toBeTruthy()
  })
})

describe('feeds', () => {
  const feeds: readonly Feed[] = [
    { name: 'CVE records', version: '2026-11-20', records: 312_456, state: 'STATE_READY', updateTime: time },
    { name: 'Checks', version: '0123456789abcdef', records: 9000, state: 'STATE_READY', skipped: 12, updateTime: time },
    { name: 'Exploited', version: '', records: 0, state: 'STATE_EMPTY', progress: 'Reading 3 of 40 files' },
    {
      name: 'EPSS',
      version: '',
      records: 5,
      state: 'STATE_FAILED',
      problem: 'The source does not answer.',
      updateTime: time,
    },
  ]

  it('are listed with version, size, and state', async () => {
    service.on('GET /v1/feeds', { body: { feeds } })
    show(<FeedTable />)
    const table = within(await screen.findByRole('table', { name: 'Feeds' }))
    const rows = table.getAllByRole('row').slice(1)
    const states = rows.map((row) => within(row).getAllByRole('cell').at(-1)?.textContent)
    expect(states).toEqual([
      'Ready',
      'Ready12 skipped',
      'Reading 3 of 40 files',
      'Update failedThe source does not answer.Fix the problem, then import the feed again.',
    ])
    expect(within(rows[0] ?? document.body).getByText('2026-11-20')).toBeTruthy()
    // Digests are hidden.
    expect(table.queryByText('0123456789abcdef')).toBeNull()
    expect(within(rows[2] ?? document.body).getByText('Never')).toBeTruthy()
  })

  it('show import progress elsewhere only while something is imported', async () => {
    service.on('GET /v1/feeds', { body: { feeds } })
    show(<FeedImports />)
    expect((await screen.findByRole('status', { name: 'Feeds' })).textContent).toMatch(/^Reading 3 of 40 files/)
    cleanup()
    service.on('GET /v1/feeds', { body: { feeds: feeds.slice(0, 2) } })
    show(<FeedImports />)
    await settled()
    expect(screen.queryByRole('status')).toBeNull()
  })
})

describe('OpenRisks', () => {
  const zeros = { critical: [0, 0], high: [0, 0], medium: [0, 0], low: [0, 0] }
  const timestamps = [time, '2026-11-27T08:00:00Z']
  const showRisks = (statuses: object) => {
    service.on('GET /v1/stats/issues-by-severity', { body: { timestamps, ...zeros, critical: [0, 3] } })
    const none = { open: [0, 3], resolved: [0, 0], ignored: [0, 0], regressive: [0, 0] }
    service.on('GET /v1/stats/issues-by-status', { body: { timestamps, ...none, ...statuses } })
    show(<OpenRisks view={{ kind: 'verified', period: 'quarter' }} summary={undefined} />)
  }

  it('shows the change since the start of the period', async () => {
    showRisks({ resolved: [1, 1] })
    expect((await screen.findByRole('region', { name: 'Open risks' })).textContent).toBeTruthy()
    expect(await screen.findByText(/^3 more than on /)).toBeTruthy()
  })

  it('compares nothing if there were no findings at the start of the period', async () => {
    showRisks({})
    expect(await screen.findByText('Critical')).toBeTruthy()
    expect(screen.getByRole('region', { name: 'Open risks' }).textContent).not.toMatch(/more|Change/)
  })
})

it('distinguishes retests from scans in the recent activity', async () => {
  const scan = {
    id,
    type: 'TYPE_MANUAL',
    status: 'STATUS_COMPLETED',
    target: target('CRM', 1, 0),
    issueCount: { critical: 1, high: 0, medium: 0, low: 0 },
    hostCount: { scannedHosts: 1, affectedHosts: 1 },
    changes: { new: 0, resolved: 0, regressive: 0 },
    retestOf: { id, name: 'SQL injection' },
    createTime: time,
    updateTime: time,
  }
  service.on('GET /v1/scans', { body: { scans: [scan] } })
  service.on('GET /v1/agents', { body: { agents: [] } })
  show(<RecentActivity />)
  const row = (await screen.findByText('Retest finished')).closest('li')
  expect(row?.textContent).toContain('SQL injection, CRM')
  expect(row?.textContent).not.toContain('No changes')
})

describe('SetupProgress', () => {
  const runningScan = {
    id,
    type: 'TYPE_MANUAL',
    status: 'STATUS_RUNNING',
    issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
    hostCount: { scannedHosts: 0, affectedHosts: 0 },
    createTime: time,
    updateTime: time,
  }
  const steps = (...states: readonly string[]) => ({
    body: {
      steps: ['TARGET', 'AGENT', 'SCAN', 'NOTIFICATIONS'].map((key, index) => ({
        key,
        state: `STATE_${states[index]}`,
      })),
    },
  })

  it('shows the progress and the next step', async () => {
    service.on('GET /v1/onboarding', steps('DONE', 'SKIPPED', 'OPEN', 'OPEN'))
    service.on('GET /v1/scans', { body: { scans: [] } })
    show(<SetupProgress />)
    const card = within(await screen.findByRole('region', { name: 'Setup' }))
    expect(card.getByText(/2 of 4 steps/).parentElement?.textContent).toBe(
      'Setup: 2 of 4 steps done. Next: run the first scan.',
    )
    expect(card.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe('/onboarding')
  })

  it('shows that the first scan is running instead of asking for it', async () => {
    service.on('GET /v1/onboarding', steps('DONE', 'SKIPPED', 'OPEN', 'OPEN'))
    service.on('GET /v1/scans', { body: { scans: [runningScan] } })
    show(<SetupProgress />)
    expect(await screen.findByText('The first scan is running.')).toBeTruthy()
  })

  it('renders nothing once all steps are done', async () => {
    service.on('GET /v1/onboarding', steps('DONE', 'SKIPPED', 'DONE', 'DONE'))
    show(<SetupProgress />)
    await settled()
    expect(screen.queryByRole('region')).toBeNull()
  })
})
