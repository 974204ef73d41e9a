import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FeedTable } from '#overview/feeds.tsx'
import { testConfig, type Service, startService } from '#lib/testing/service.ts'
import { providePortalConfig } from '#lib/portal-config.ts'

let service: Service
const feed = (name: string, more: object = {}) => ({
  name,
  version: '2026.03.04',
  records: 7,
  state: 'STATE_READY',
  ...more,
})
const kev = feed('CISA KEV', { checkable: true, problem: 'www.cisa.gov asks us to come back later (HTTP 503).' })

beforeEach(async () => {
  service = await startService()
  providePortalConfig(testConfig(service.url))
})
afterEach(async () => {
  cleanup()
  await service.close()
})

async function open(feeds: readonly object[]) {
  service.on('GET /v1/feeds', { body: { feeds } })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <FeedTable />
    </QueryClientProvider>,
  )
  await screen.findByRole('table', { name: 'Feeds' })
  return userEvent.setup()
}

it('checks a feed on request, and shows its last problem', async () => {
  service.on('POST /v1/feeds/CISA%20KEV/check', { body: { feed: kev } })
  const user = await open([kev, feed('Threat records')])
  expect(screen.getByText('www.cisa.gov asks us to come back later (HTTP 503).')).toBeTruthy()
  const buttons = screen.getAllByRole('button')
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(['Check now: CISA KEV'])
  await user.click(screen.getByRole('button', { name: 'Check now: CISA KEV' }))
  await waitFor(() => expect(screen.getByText('Checking for updates')).toBeTruthy())
  expect(screen.getByRole('button', { name: 'Check now: CISA KEV' }).hasAttribute('disabled')).toBe(true)
})

it('says what a feed is for, and when its source was last queried', async () => {
  const times = { updateTime: '2026-03-04T08:00:00Z', checkTime: '2026-03-05T08:00:00Z' }
  await open([{ ...kev, ...times }, feed('Acme pack', { updateTime: times.updateTime })])
  const [first, second] = screen.getAllByRole('row').slice(1)
  expect(first?.textContent).toContain('CISA KEVVulnerabilities exploited in the wild')
  expect(first?.textContent).toMatch(/ agochecked .* ago/)
  expect(screen.getAllByText(/^Failed updates are retried automatically\./)).toHaveLength(1)
  expect(second?.textContent).toMatch(/^Acme pack2026/)
  expect(second?.textContent).not.toContain('checked')
})

it('offers no check if no feed is fetched over the network', async () => {
  await open([feed('CISA KEV')])
  expect(screen.queryByRole('button')).toBeNull()
})
