/** Pending invitations. */
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setRole } from '#lib/role.ts'
import { providePortalConfig } from '#lib/portal-config.ts'
import { testConfig } from '#lib/testing/service.ts'
import { shownToasts } from '#lib/testing/toasts.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { Invitations } from '#workspaces/invitations.tsx'

const invitationAt = (index: number) => ({
  id: `6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f${String(index).padStart(4, '0')}`,
  email: `person${index}@example.ch`,
  role: 'viewer',
  invitedBy: 'Nora Ammann',
  createTime: '2026-11-01T08:00:00Z',
  sendTime: '2026-11-01T08:00:00Z',
  expireTime: '2030-11-01T08:00:00Z',
  isExpired: false,
})
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
})
afterEach(async () => {
  setRole(undefined)
  await page.close()
})

async function showInvitations(count: number) {
  page.service.on('GET /v1/invitations', {
    body: { invitations: Array.from({ length: count }, (_, at) => invitationAt(at)) },
  })
  page.show(<Invitations own="owner" />)
  const list = within(await screen.findByRole('list', { name: 'Pending invitations' }))
  return () => list.getAllByRole('listitem').length
}
const more = () => screen.queryByRole('button', { name: /^Show more/ })

it('shows many invitations in steps of 20', async () => {
  const countRows = await showInvitations(45)
  expect([countRows(), more()?.textContent]).toEqual([20, 'Show more (25 remaining)'])
  await userEvent.click(screen.getByRole('button', { name: 'Show more (25 remaining)' }))
  await userEvent.click(screen.getByRole('button', { name: 'Show more (5 remaining)' }))
  expect([countRows(), more()]).toEqual([45, null])
})

it.each([
  [false, /^An invitation was sent to nora@a\.example\.$/],
  [true, /^The invitation for nora@a\.example wasn't sent\. .* Send its link yourself\.$/],
])('says whether the invitation was sent or written to a file: %s', async (mailsAreFiles, result) => {
  setRole('owner')
  await showInvitations(1)
  providePortalConfig({ ...testConfig(page.service.url), mailsAreFiles })
  page.service.on('POST /v1/invitations', { body: { invitation: invitationAt(2) } })
  await userEvent.click(screen.getByRole('button', { name: 'Invite someone' }))
  await userEvent.type(await screen.findByRole('textbox', { name: 'Email' }), 'nora@a.example')
  await userEvent.click(screen.getByRole('button', { name: 'Send invitation' }))
  await waitFor(() => expect(shownToasts().map(({ message }) => message)).toEqual([expect.stringMatching(result)]))
})

it('shows few invitations completely', async () => {
  const countRows = await showInvitations(20)
  expect([countRows(), more()]).toEqual([20, null])
})
