/** Invitations that can't be used, and joining. */
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { shownToasts } from '#lib/testing/toasts.ts'
import { InvitationPage } from '#workspaces/invitation-page.tsx'

const preview = 'POST /v1/invitations/preview'
const rejection = (status: number, reason: string, message: string) => ({
  status,
  body: { code: 9, message, details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }] },
})
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
})
afterEach(() => page.close())

it.each([
  [400, 'INVITATION_EXPIRED', 'This invitation has expired. Ask the person who invited you to send it again'],
  [400, 'INVITATION_REVOKED', 'This invitation was revoked, or replaced by a newer email'],
  [403, 'INVITATION_FOR_ANOTHER_ADDRESS', 'This invitation is for m…@example.ch. Sign in with that address'],
])('%i %s: shows the message once, and leads back after another sign-in', async (status, reason, message) => {
  page.service.on(preview, rejection(status, reason, message))
  page.show(<InvitationPage token="t" />)
  expect((await screen.findByRole('alert')).textContent).toBe(`${message}.`)
  expect(shownToasts()).toEqual([])
  const other = screen.getByRole('link', { name: 'Sign in as someone else' })
  expect(other.getAttribute('href')).toBe(`/logout?return_to=${encodeURIComponent(location.href)}`)
})

it("leads to the verification of an address that isn't verified yet", async () => {
  page.service.on(preview, rejection(403, 'EMAIL_NOT_VERIFIED', 'Verify your email address first'))
  page.show(<InvitationPage token="t" />)
  expect((await screen.findByRole('link', { name: 'Verify your email' })).getAttribute('href')).toContain(
    '/verification',
  )
})

it('shows why joining failed', async () => {
  const invitation = {
    id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
    workspaceName: 'Aarewerk',
    role: 'analyst',
    invitedBy: 'Nora Ammann',
    expireTime: '2030-11-01T08:00:00Z',
  }
  page.service.on(preview, { body: { invitation } })
  page.service.on('POST /v1/invitations/accept', rejection(400, 'INVITATION_USED', 'This invitation was already used'))
  page.show(<InvitationPage token="t" />)
  await userEvent.click(await screen.findByRole('button', { name: 'Join Aarewerk' }))
  expect((await screen.findByRole('alert')).textContent).toBe('This invitation was already used.')
})
