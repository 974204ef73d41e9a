/** Notification channels on the integrations page. */
import type { Channel } from '@glacis/contract/channel'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IntegrationsPage } from '#channels/integrations.tsx'
import { testConfig } from '#lib/testing/service.ts'
import { providePortalConfig } from '#lib/portal-config.ts'
import { shownToasts } from '#lib/testing/toasts.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'

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
let stage: TestPage

beforeEach(async () => {
  channels = []
  stage = await startTestPage()
  const { service } = stage
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
  stage.show(<IntegrationsPage />)
})
afterEach(() => stage.close())

async function press(name: string): Promise<void> {
  const button = await screen.findByRole('button', { name })
  button.focus()
  await user.keyboard('{Enter}')
}
const expectFocusOn = (name: string) =>
  waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name })))

it('keeps focus on the email toggle and restores it when the channel is removed', async () => {
  await press('Turn on Email')
  await expectFocusOn('Turn off Email')
  await press('Edit Email')
  await press('Remove')
  await press('Remove channel')
  await expectFocusOn('Turn on Email')
})

it.each([
  [false, 'Sent to the workspace owner.', /^Test sent to Email/],
  [true, /^For the workspace owner\. This installation has no mail server yet/, /^The test was written\./],
])('says whether emails are sent or written to files: %s', async (mailsAreFiles, description, result) => {
  providePortalConfig({ ...testConfig(stage.service.url), mailsAreFiles })
  channels = [email]
  stage.service.on(`POST ${path}/${email.id}/test`, { body: { error: '', answer: '' } })
  await stage.client.resetQueries()
  expect(await screen.findByText(description)).toBeTruthy()
  await press('Send test to Email')
  await waitFor(() => expect(shownToasts().map(({ message }) => message)).toEqual([expect.stringMatching(result)]))
})

it('asks for confirmation before removing a channel or replacing a webhook secret', async () => {
  const webhook: Channel = { ...email, id: crypto.randomUUID(), kind: 'KIND_WEBHOOK', webhookUrl: 'https://a.example/' }
  channels = [email, webhook]
  stage.service.on(`GET ${path}/${webhook.id}/deliveries`, { body: { deliveries: [] } })
  stage.service.on(`POST ${path}/${webhook.id}/secret`, { body: { channel: { ...webhook, secret: 'whsec_bmV3' } } })
  await stage.client.resetQueries()
  await press('Edit Email')
  await press('Remove')
  await press('Cancel')
  await expectFocusOn('Remove')
  expect(channels).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await press('Edit Webhook')
  await press('Replace signing secret')
  await press('Replace secret')
  expect(await screen.findByText('whsec_bmV3')).toBeTruthy()
})

it('shows why a channel could not be removed or saved, and clears the error on the next attempt', async () => {
  channels = [email]
  await stage.client.resetQueries()
  stage.service.on(`DELETE ${path}/${email.id}`, { status: 503 })
  stage.service.on(`PATCH ${path}/${email.id}`, { status: 404 })
  await press('Edit Email')
  await press('Remove')
  await press('Remove channel')
  const message = "The server couldn't complete the request. Try again in a moment."
  const dialog = await screen.findByRole('dialog')
  expect(await within(dialog).findByText(message)).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  await expectFocusOn('Remove')
  await press('Remove')
  expect(within(await screen.findByRole('dialog')).queryByText(message)).toBeNull()
  await press('Cancel')
  await expectFocusOn('Remove')
  await press('Save')
  expect(await screen.findByText(/^This item no longer exists/)).toBeTruthy()
})

it('sends emails to teams and owners if asked to', async () => {
  channels = [email]
  stage.service.on(`PATCH ${path}/${email.id}`, { body: { channel: email } })
  await waitFor(async () => expect(await screen.findByRole('button', { name: 'Edit Email' })).toBeTruthy())
  await press('Edit Email')
  await user.selectOptions(await screen.findByLabelText('Send to'), 'Teams and owners of the affected targets')
  await press('Save')
  await waitFor(() =>
    expect(stage.service.seen.find(({ method }) => method === 'PATCH')?.body).toMatchObject({
      channel: { rule: { recipients: 'RECIPIENTS_TEAMS' } },
    }),
  )
})

it('focuses the name when creating an API token', async () => {
  await press('Create token')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')))
})

it('reports that the tokens could not be loaded and retries', async () => {
  stage.service.on('GET /v1/api-tokens', { status: 503 })
  await stage.client.resetQueries()
  expect(await screen.findByText("Tokens couldn't be loaded.")).toBeTruthy()
  stage.service.on('GET /v1/api-tokens', { body: { apiTokens: [] } })
  await press('Try again')
  await waitFor(() => expect(screen.queryByText("Tokens couldn't be loaded.")).toBeNull())
})

it('includes the visible text in accessible names, so that voice control works', async () => {
  await press('Turn on Email')
  const test = await screen.findByRole('button', { name: /^Send test to/ })
  expect(test.getAttribute('aria-label')).toContain(test.textContent)
})

it('shows the signing secret of a new webhook once, and closes its form', async () => {
  const webhook: Channel = { ...email, kind: 'KIND_WEBHOOK', webhookUrl: 'https://hooks.example.com/glacis' }
  stage.service.on(`POST ${path}`, () => {
    channels = [webhook]
    return { body: { channel: { ...webhook, secret: 'whsec_Zm9yIHRlc3Rz' } } }
  })
  await press('Connect Webhook')
  await user.type(await screen.findByLabelText('Webhook URL'), webhook.webhookUrl)
  await press('Save')
  const dialog = await screen.findByRole('dialog')
  within(dialog).getByText('whsec_Zm9yIHRlc3Rz')
  expect(screen.queryByLabelText('Webhook URL')).toBeNull()
})

it('asks for the URL of a channel that is off instead of closing its form', async () => {
  channels = []
  await stage.client.resetQueries()
  await press('Connect Webhook')
  await press('Save')
  expect(await screen.findByText('Required')).toBeTruthy()
  expect(screen.getByLabelText('Webhook URL')).toBeTruthy()
})
