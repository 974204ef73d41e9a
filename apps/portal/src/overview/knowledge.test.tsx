import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Knowledge } from '#overview/knowledge.tsx'
import { installationAt, type Service, startService } from '#lib/testing/service.ts'
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
  providePortalConfig(installationAt(service.url))
})
afterEach(async () => {
  cleanup()
  await service.close()
})

async function open(feeds: readonly object[]) {
  service.on('GET /v1/feeds', { body: { feeds } })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Knowledge />
    </QueryClientProvider>,
  )
  await screen.findByRole('table', { name: 'Feeds' })
  return userEvent.setup()
}

it('checks a feed at once, and says what is wrong with it in a sentence', async () => {
  service.on('POST /v1/feeds/CISA%20KEV/check', { body: { feed: kev } })
  const user = await open([kev, feed('Threat records')])
  expect(screen.getByText('www.cisa.gov asks us to come back later (HTTP 503).')).toBeTruthy()
  const buttons = screen.getAllByRole('button')
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(['Check CISA KEV now'])
  await user.click(screen.getByRole('button', { name: 'Check CISA KEV now' }))
  await waitFor(() => expect(screen.getByText('Asking the source')).toBeTruthy())
  expect(screen.getByRole('button', { name: 'Check CISA KEV now' }).hasAttribute('disabled')).toBe(true)
})

it('offers nothing to check where no feed is fetched', async () => {
  await open([feed('CISA KEV')])
  expect(screen.queryByRole('button')).toBeNull()
})
