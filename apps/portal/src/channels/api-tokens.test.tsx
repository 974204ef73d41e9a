/** API tokens: their limits, their creator, and who can revoke them. */
import type { ApiToken } from '@glacis/contract/access'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiTokens } from '#channels/api-tokens.tsx'
import { setRole } from '#lib/role.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'

const token: ApiToken = {
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
  name: 'pipeline',
  scopes: ['SCOPE_READ'],
  role: 'viewer',
  createdBy: 'Max Keller',
  allowedNetworks: ['192.0.2.0/24'],
  prefix: 'glc_abcdefgh',
  createTime: '2026-11-01T08:00:00Z',
  expireTime: '2030-11-01T08:00:00Z',
}
const user = userEvent.setup()
const onSecret = vi.fn()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  page.service.on('GET /v1/api-tokens', { body: { apiTokens: [token] } })
  page.service.on('POST /v1/api-tokens', { body: { apiToken: { ...token, token: 'glc_secret' } } })
})
afterEach(async () => {
  await page.close()
  act(() => setRole(undefined))
})

it('shows the creator, role, networks, and last use', async () => {
  page.show(<ApiTokens onSecret={onSecret} />)
  const row = within(await screen.findByRole('list', { name: 'API tokens' }))
  expect(row.getByText(/Created by Max Keller · Viewer · only from 192\.0\.2\.0\/24/)).toBeTruthy()
  expect(row.getByText(/never used/)).toBeTruthy()
})

it('creates a token with a role and allowed networks, and checks them first', async () => {
  setRole('analyst')
  page.show(<ApiTokens onSecret={onSecret} />)
  await user.click(await screen.findByRole('button', { name: 'Create token' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create API token' }))
  const options = within(dialog.getByLabelText('Role')).getAllByRole('option')
  expect(options.map(({ textContent }) => textContent)).toEqual(['Analyst', 'Viewer'])
  await user.type(dialog.getByLabelText('Name'), 'pipeline')
  expect(dialog.getByLabelText('Role')).toHaveProperty('value', 'viewer')
  await user.selectOptions(dialog.getByLabelText('Permissions'), 'SCOPE_WRITE')
  expect(dialog.getByLabelText('Role')).toHaveProperty('value', 'analyst')
  await user.selectOptions(dialog.getByLabelText('Role'), 'viewer')
  await user.type(dialog.getByLabelText('Allowed networks'), '192.0.2.0/24, 10.0.0')
  await user.click(dialog.getByRole('button', { name: 'Create token' }))
  await dialog.findByText("“10.0.0” isn't an address or a network, such as 192.0.2.0/24.")
  await user.type(dialog.getByLabelText('Allowed networks'), '.7')
  await user.click(dialog.getByRole('button', { name: 'Create token' }))
  await waitFor(() => expect(onSecret).toHaveBeenCalledWith({ what: 'API token', value: 'glc_secret' }))
  expect(page.service.seen.find(({ method }) => method === 'POST')?.body).toMatchObject({
    apiToken: { name: 'pipeline', role: 'viewer', allowedNetworks: ['192.0.2.0/24', '10.0.0.7'] },
  })
})

it('suggests to an owner only the role that the scope needs', async () => {
  setRole('owner')
  page.show(<ApiTokens onSecret={onSecret} />)
  await user.click(await screen.findByRole('button', { name: 'Create token' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create API token' }))
  await user.selectOptions(dialog.getByLabelText('Permissions'), 'SCOPE_SCAN')
  expect(dialog.getByLabelText('Role')).toHaveProperty('value', 'analyst')
})

it.each([
  ['owner', true],
  ['analyst', false],
] as const)('offers to revoke the token of someone else: %s, %s', async (role, isOffered) => {
  setRole(role)
  page.show(<ApiTokens onSecret={onSecret} />)
  await screen.findByText(/Created by Max Keller/)
  await waitFor(() => expect(page.service.seen.some(({ path }) => path === '/sessions/whoami')).toBe(true))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Revoke pipeline' }) !== null).toBe(isOffered))
})
