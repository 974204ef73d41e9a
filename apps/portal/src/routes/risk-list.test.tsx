import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { testIssue } from '#issues/testing/issues.tsx'
import { type Reply, type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'
import { createPortalRouter } from '#routes/router.tsx'

let service: Service
let client: QueryClient
const summary = (reply: Reply) => service.on('GET /v1/stats/summary', reply)
const figures = (targetCount: number, lastScanTime?: string) => ({
  body: { open: 0, regressive: 0, newCount: 0, resolvedCount: 0, hostCount: 0, targetCount, lastScanTime },
})

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/scans', { body: { scans: [], nextPageToken: '' } })
  service.on('GET /v1/issues', { body: { issues: [], nextPageToken: '', totalSize: 0, totalSizeIsExact: true } })
  const [open, resolved, ignored, regressive] = [[20], [3], [0], [0]]
  service.on('GET /v1/stats/issues-by-status', {
    body: { timestamps: ['2026-11-20T00:00:00Z'], open, resolved, ignored, regressive },
  })
})
afterEach(async () => {
  cleanup()
  clearToasts()
  await client.cancelQueries()
  await service.close()
})

function open(address: string): void {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: [address] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
}
const wasRequested = (path: string) => service.seen.some((call) => call.path === path)
const tabs = async () => within(await screen.findByRole('navigation', { name: 'Status' })).getAllByRole('link')

it('shows no empty state before it knows whether a scan has run', async () => {
  const { promise: after, resolve: respond } = Promise.withResolvers<void>()
  summary({ ...figures(0), after })
  open('/risks/verified')
  await waitFor(() => expect(client.getQueryCache().findAll({ queryKey: ['/v1/issues'] })[0]?.state.data).toBeTruthy())
  await waitFor(() => expect(wasRequested('/v1/stats/summary')).toBe(true))
  expect(screen.getByRole('table', { name: 'Risks' })).toBeTruthy()
  expect(screen.queryByText(/No open verified risks/)).toBeNull()
  respond()
  expect(await screen.findByText('Nothing has been scanned yet')).toBeTruthy()
})

it('links to the first scan while it runs', async () => {
  summary(figures(1))
  const times = { createTime: '2026-11-20T00:00:00Z', updateTime: '2026-11-20T00:00:00Z' }
  const issueCount = { critical: 0, high: 0, medium: 0, low: 0 }
  const hostCount = { scannedHosts: 0, affectedHosts: 0 }
  const id = '01a20396-82c8-7fe2-aaed-0b84e2e15843'
  const scan = { id, type: 'TYPE_MANUAL', status: 'STATUS_RUNNING', issueCount, hostCount, ...times }
  service.on('GET /v1/scans', { body: { scans: [scan], nextPageToken: '' } })
  open('/risks/verified')
  const link = await screen.findByRole('link', { name: 'View scan' })
  expect(link.getAttribute('href')).toBe(`/scans/${id}`)
  expect(screen.queryByText('Nothing has been scanned yet')).toBeNull()
})

it('reports that everything is resolved after a scan', async () => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  open('/risks/verified')
  expect(await screen.findByText(/Everything found so far is resolved or ignored/)).toBeTruthy()
})

it('does not report resolved risks if none were ever found', async () => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  const none = { open: [0], resolved: [0], ignored: [0], regressive: [0] }
  service.on('GET /v1/stats/issues-by-status', { body: { timestamps: ['2026-11-20T00:00:00Z'], ...none } })
  open('/risks/verified')
  expect(await screen.findByText(/^Scans haven't found any so far/)).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'View resolved risks' })).toBeNull()
})

it('shows no scan status if the statistics fail to load', async () => {
  summary({ status: 503, body: {} })
  open('/risks/verified')
  expect(await screen.findByText('No open verified risks')).toBeTruthy()
  expect(screen.queryByText(/Everything found so far/)).toBeNull()
})

it('shows the count of each tab', async () => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  open('/risks/potential')
  await waitFor(async () =>
    expect((await tabs()).slice(0, 4).map((tab) => tab.textContent)).toEqual([
      'Open20',
      'Resolved3',
      'Ignored0',
      'All23',
    ]),
  )
})

it('counts matches in the current tab only, while filtered', async () => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  service.on('GET /v1/issues', { body: { issues: [], nextPageToken: '', totalSize: 4, totalSizeIsExact: true } })
  open('/risks/potential?q=redis')
  await waitFor(async () =>
    expect((await tabs()).slice(0, 4).map((tab) => tab.textContent)).toEqual(['Open4', 'Resolved', 'Ignored', 'All']),
  )
})

it.each([
  // Filters, order, and page size are kept; the page is not.
  [
    'q=redis&severity=high&sort=priority&size=50&after=t',
    'q=redis&severity=high&size=50&sort=priority&status=resolved',
  ],
  // The filters of a view are kept.
  ['kev=true&sort=priority', 'status=resolved'],
])('links from ?%s to ?%s in the resolved tab', async (from, to) => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  open(`/risks/verified?${from}`)
  const [, resolved] = await tabs()
  const address = new URL(String(resolved?.getAttribute('href')), 'http://localhost')
  expect(address.pathname).toBe('/risks/verified')
  address.searchParams.sort()
  expect(address.searchParams.toString()).toBe(to)
})

it.each([
  ['mine=true', 'No open verified risks assigned to you', /^To assign a risk to yourself, open it and select Assign/],
  ['unassigned=true', 'No unassigned verified risks', /without an assignee/],
  ['kev=true&sort=priority', 'No verified risks exploited in the wild', /known exploited vulnerabilities/],
  ['since=week', 'No new verified risks this week', /last 7 days/],
])('explains an empty view: ?%s', async (query, title, text) => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  open(`/risks/verified?${query}`)
  expect(await screen.findByRole('heading', { name: title })).toBeTruthy()
  expect(screen.getByText(text)).toBeTruthy()
  // The number of matches isn't that of the status tabs, which leave the view.
  expect((await tabs()).slice(0, 4).map((tab) => tab.textContent)).toEqual(['Open', 'Resolved', 'Ignored', 'All'])
})

const feed = (name: string, more: object) => ({ name, version: '', records: 0, state: 'STATE_EMPTY', ...more })

it.each([
  [true, 'Set up feeds'],
  [false, /Ask the administrators of your Glacis installation to set up feeds/],
])(
  'does not report that no risks are exploited without KEV data (administrator: %s)',
  async (isAdministrator, next) => {
    summary(figures(2, '2026-11-20T00:00:00Z'))
    service.on('GET /v1/feeds', { body: { feeds: [feed('CISA KEV', {})] } })
    service.on('GET /v1/workspaces', { body: { workspaces: [], isAdministrator } })
    open('/risks/verified?kev=true')
    expect(await screen.findByRole('heading', { name: 'CISA KEV has never been downloaded' })).toBeTruthy()
    expect(await screen.findByText(next)).toBeTruthy()
    expect(screen.queryByText('No verified risks exploited in the wild')).toBeNull()
  },
)

it('does not report that software has no known vulnerabilities before their records are downloaded', async () => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  const none = { open: [0], resolved: [0], ignored: [0], regressive: [0] }
  service.on('GET /v1/stats/issues-by-status', { body: { timestamps: ['2026-11-20T00:00:00Z'], ...none } })
  service.on('GET /v1/feeds', { body: { feeds: [feed('NVD', { progress: 'Downloading NVD' })] } })
  open('/risks/potential')
  expect(await screen.findByRole('heading', { name: 'NVD is being downloaded' })).toBeTruthy()
  expect(screen.queryByText(/^Scans haven't found any so far/)).toBeNull()
})

it('reports that no risks are exploited once KEV data is downloaded', async () => {
  summary(figures(2, '2026-11-20T00:00:00Z'))
  service.on('GET /v1/feeds', { body: { feeds: [feed('CISA KEV', { records: 1500, state: 'STATE_READY' })] } })
  open('/risks/verified?kev=true')
  await waitFor(() => expect(client.getQueryCache().findAll({ queryKey: ['/v1/feeds'] })[0]?.state.data).toBeTruthy())
  expect(await screen.findByRole('heading', { name: 'No verified risks exploited in the wild' })).toBeTruthy()
})

it.each(['mine=true&q=redis', 'mine=true&status=resolved', 'since=month'])(
  'reports only missing matches for other filters: ?%s',
  async (query) => {
    summary(figures(2, '2026-11-20T00:00:00Z'))
    open(`/risks/verified?${query}`)
    expect(await screen.findByRole('heading', { name: 'No results for these filters' })).toBeTruthy()
  },
)

it('offers a comment after a risk was resolved with one click', async () => {
  const user = userEvent.setup()
  const issue = testIssue(1)
  const path = `/v1/issues/${issue.id}`
  summary(figures(1, '2026-11-20T00:00:00Z'))
  service.on('GET /v1/issues', { body: { issues: [issue], nextPageToken: '', totalSize: 1, totalSizeIsExact: true } })
  service.on(`GET ${path}`, { body: { issue } })
  service.on(`GET ${path}/comments`, { body: { comments: [] } })
  service.on(`PUT ${path}/status`, { body: { issue: { ...issue, status: 'STATUS_RESOLVED' } } })
  open('/risks/verified')
  await user.click(await screen.findByRole('button', { name: 'Actions for Risk 1' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Resolve' }))
  await user.click(await screen.findByRole('button', { name: 'Comment' }))
  const field = await screen.findByRole('textbox', { name: 'Comment' })
  await waitFor(() => expect(document.activeElement).toBe(field))
  expect(service.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
    { status: 'STATUS_RESOLVED' },
  ])
})

it('says at the top of a risk that it is exploited', async () => {
  const issue = testIssue(1)
  const threat = { ...issue.threat, knownExploited: { addTime: '2026-11-02T00:00:00Z' } }
  service.on(`GET /v1/issues/${issue.id}`, { body: { issue: { ...issue, threat } } })
  service.on(`GET /v1/issues/${issue.id}/comments`, { body: { comments: [] } })
  open(`/risks/${issue.id}`)
  expect(await screen.findByText('Exploited in the wild')).toBeTruthy()
})
