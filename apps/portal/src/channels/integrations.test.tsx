/** Whoever sets channels up by keyboard keeps their place. */
import type { Channel } from '@glacis/contract/channel'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IntegrationsPage } from '#channels/integrations.tsx'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { dismissToast, shownToasts } from '#lib/toasts.ts'

const email: Channel = {
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
  kind: 'KIND_EMAIL',
  isEnabled: true,
  webhookUrl: '',
  rule: { events: ['EVENT_ISSUE_OPENED'], minSeverity: 0, tagIds: [] },
  failureCount: 0,
  createTime: '2026-11-01T08:00:00Z',
  updateTime: '2026-11-01T08:00:00Z',
}
const path = '/v1/notification-channels'
const user = userEvent.setup()
let channels: Channel[]
let service: Service
let client: QueryClient

beforeEach(async () => {
  channels = []
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on(`GET ${path}`, () => ({ body: { channels } }))
  service.on(`GET ${path}/${email.id}/deliveries`, { body: { deliveries: [] } })
  service.on('GET /v1/api-tokens', { body: { apiTokens: [] } })
  service.on('GET /v1/tags', { body: { tags: [] } })
  service.on(`POST ${path}/preview`, { body: { eventCount: 0, days: 30 } })
  service.on(`POST ${path}`, () => {
    channels = [email]
    return { body: { channel: email } }
  })
  service.on(`DELETE ${path}/${email.id}`, () => {
    channels = []
    return { body: {} }
  })
  render(
    <QueryClientProvider client={client}>
      <IntegrationsPage />
    </QueryClientProvider>,
  )
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  shownToasts().forEach(({ id }) => dismissToast(id))
  await service.close()
})

async function press(name: string): Promise<void> {
  const button = await screen.findByRole('button', { name })
  button.focus()
  await user.keyboard('{Enter}')
}
const stands = (name: string) =>
  waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name })))

it('leaves the focus on what turned e-mail on, and gives it back when the channel is removed', async () => {
  await press('Turn on Email')
  await stands('Turn off Email')
  await press('Edit Email')
  await press('Remove')
  await stands('Turn on Email')
})

it('begins a new API token with its name', async () => {
  await press('Create token')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')))
})

it('says that the tokens could not be loaded, and loads them when asked again', async () => {
  service.on('GET /v1/api-tokens', { status: 503 })
  await client.resetQueries()
  expect(await screen.findByText('The tokens could not be loaded.')).toBeTruthy()
  service.on('GET /v1/api-tokens', { body: { apiTokens: [] } })
  await press('Try again')
  await waitFor(() => expect(screen.queryByText('The tokens could not be loaded.')).toBeNull())
})
