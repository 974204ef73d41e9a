/** The workspace's sign-in provider: its form, removal, and the page of someone who has to sign in with it. */
import type { SignInProvider } from '@glacis/contract/sign-in-provider'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ApiFailure } from '#api/failure.ts'
import { setRole } from '#lib/role.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { AccessLostPage } from '#workspaces/access-lost.tsx'
import { SignInSection } from '#workspaces/sign-in.tsx'

const path = '/v1/sign-in-provider'
const provider: SignInProvider = {
  label: 'Acme SSO',
  issuer: 'https://login.example.ch',
  clientId: 'glacis',
  hasClientSecret: true,
  groupsClaim: 'groups',
  groupRoles: [],
  defaultRole: 'viewer',
  isRequired: true,
  signInUrl: 'https://glacis.example/self-service/login/browser?provider=workspace-1&refresh=true',
  updateTime: '2026-11-01T08:00:00Z',
}
const rest = { redirectUri: 'https://glacis.example/callback/workspace-1', domains: ['example.ch'] }
const user = userEvent.setup()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  page.service.on(`GET ${path}`, { body: { ...rest, provider } })
  page.service.on(`PUT ${path}`, { body: { ...rest, provider } })
  page.service.on(`DELETE ${path}`, { body: {} })
})
afterEach(async () => {
  await page.close()
  act(() => setRole(undefined))
})

const sent = (method: string) => page.service.seen.find((call) => call.method === method)

it('sets up a provider, and asks for what is missing first', async () => {
  page.service.on(`GET ${path}`, { body: { ...rest, domains: [] } })
  page.show(<SignInSection />)
  await screen.findByText(/Verify an email domain first/)
  await user.click(screen.getByRole('button', { name: 'Set up provider' }))
  const panel = within(await screen.findByRole('dialog', { name: 'Set up sign-in provider' }))
  await user.click(panel.getByRole('button', { name: 'Save provider' }))
  expect(await panel.findAllByText('Required')).toHaveLength(3)
  await user.type(panel.getByLabelText('Name'), 'Acme SSO')
  await user.type(panel.getByLabelText('Issuer'), 'https://login.example.ch')
  await user.type(panel.getByLabelText('Client ID'), 'glacis')
  await user.type(panel.getByLabelText('Client secret'), 'very secret')
  await user.selectOptions(panel.getByLabelText('Users in none of these groups'), 'viewer')
  await user.click(panel.getByRole('checkbox', { name: /Require this provider/ }))
  await user.click(panel.getByRole('button', { name: 'Save provider' }))
  await waitFor(() => expect(sent('PUT')).toBeDefined())
  const { label, issuer, clientId, defaultRole } = provider
  expect(sent('PUT')?.body).toEqual({
    provider: {
      label,
      issuer,
      clientId,
      defaultRole,
      clientSecret: 'very secret',
      groupsClaim: 'groups',
      groupRoles: [],
      isRequired: true,
    },
    replaces: null,
  })
})

it("keeps the stored secret, and shows the server's error at the issuer", async () => {
  const description = "The metadata of the issuer can't be used: timeout"
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'provider.issuer', description }],
    },
  ]
  page.service.on(`PUT ${path}`, { status: 400, body: { code: 3, message: description, details } })
  page.show(<SignInSection />)
  await user.click(await screen.findByRole('button', { name: 'Edit Acme SSO' }))
  const panel = within(await screen.findByRole('dialog', { name: 'Edit Acme SSO' }))
  await user.click(panel.getByRole('button', { name: 'Save provider' }))
  await panel.findByText(description)
  expect(sent('PUT')?.body).not.toHaveProperty('provider.clientSecret')
})

it('removes the provider after confirmation', async () => {
  page.show(<SignInSection />)
  expect(await screen.findByText('Required')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Remove Acme SSO' }))
  await user.click(await screen.findByRole('button', { name: 'Remove provider' }))
  await waitFor(() => expect(sent('DELETE')).toBeDefined())
})

it('sends a user to the provider that the workspace requires, and back', async () => {
  page.service.on('GET /v1/workspaces', {
    body: { workspaces: [], invitations: [], joinable: [], isAdministrator: false },
  })
  const metadata = { label: 'Acme SSO', signInUrl: provider.signInUrl }
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SIGN_IN_PROVIDER_REQUIRED', metadata },
  ]
  const error = { code: 7, message: 'This workspace requires you to sign in with Acme SSO', details }
  page.show(
    <AccessLostPage
      failure={new ApiFailure({ status: 403, statusText: 'Forbidden', body: { kind: 'json', error } })}
    />,
  )
  expect(await screen.findByText('This workspace requires you to sign in with Acme SSO.')).toBeTruthy()
  const link = screen.getByRole('link', { name: 'Sign in with Acme SSO' })
  expect(new URL(link.getAttribute('href') ?? '').searchParams.get('return_to')).toBe(location.href)
})
