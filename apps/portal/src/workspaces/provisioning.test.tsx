/** Provisioning settings: tokens, the mapping of groups to roles, and what an auditor sees. */
import type { Provisioning } from '@glacis/contract/provisioning'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setRole } from '#lib/role.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { ProvisioningSection } from '#workspaces/provisioning.tsx'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const token = {
  id,
  name: 'Entra ID',
  prefix: 'gls_abcd',
  createdBy: 'Nora Ammann',
  createTime: '2026-11-01T08:00:00Z',
  expireTime: '2030-11-01T08:00:00Z',
}
const settings: Provisioning = {
  url: 'https://glacis.example/scim/v2',
  defaultRole: 'viewer',
  groupRoles: [{ group: 'SOC', role: 'analyst' }],
  tokens: [token],
  groups: [{ id, name: 'SOC', memberCount: 3 }],
  pendingMembers: [{ id, name: 'Lea Graf', email: 'lea@example.ch', role: 'analyst' }],
  userCount: { active: 4, inactive: 1 },
}
const user = userEvent.setup()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  page.service.on('GET /v1/provisioning', { body: { provisioning: settings } })
  page.service.on('PATCH /v1/provisioning', { body: { provisioning: settings } })
  page.service.on('POST /v1/provisioning/tokens', { body: { token: { ...token, token: 'gls_secret' } } })
})
afterEach(async () => {
  await page.close()
  act(() => setRole(undefined))
})

const sent = (method: string) => page.service.seen.find((call) => call.method === method)?.body

it('shows the address, tokens, and people who have not signed in yet', async () => {
  page.show(<ProvisioningSection />)
  expect((await screen.findByLabelText('Base URL')).textContent).toBe(settings.url)
  expect(screen.getByText(/created by Nora Ammann .* never used/)).toBeTruthy()
  expect(screen.getByText('4 active and 1 deactivated users provisioned')).toBeTruthy()
  expect(within(screen.getByRole('list', { name: 'Pending members' })).getByText('lea@example.ch')).toBeTruthy()
})

it('saves the roles of groups in order, without empty rows, and each group once', async () => {
  page.show(<ProvisioningSection />)
  await user.selectOptions(await screen.findByLabelText('Default role'), 'auditor')
  await user.click(screen.getByRole('button', { name: 'Add group' }))
  await user.click(screen.getByRole('button', { name: 'Add group' }))
  await user.type(screen.getByLabelText('Group 2'), 'SOC')
  await user.click(screen.getByRole('button', { name: 'Save roles' }))
  await screen.findByText('“SOC” is listed twice. Keep one of them.')
  await user.clear(screen.getByLabelText('Group 2'))
  await user.type(screen.getByLabelText('Group 2'), 'IT leads')
  await user.selectOptions(screen.getByLabelText('Role of group 2'), 'admin')
  await user.click(screen.getByRole('button', { name: 'Move group 2 up' }))
  await user.click(screen.getByRole('button', { name: 'Save roles' }))
  const groupRoles = [
    { group: 'IT leads', role: 'admin' },
    { group: 'SOC', role: 'analyst' },
  ]
  await waitFor(() => expect(sent('PATCH')).toMatchObject({ provisioning: { defaultRole: 'auditor', groupRoles } }))
})

it('shows a new token once', async () => {
  page.show(<ProvisioningSection />)
  await user.click(await screen.findByRole('button', { name: 'Create provisioning token' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create provisioning token' }))
  await user.type(dialog.getByLabelText('Name'), 'Entra ID{Enter}')
  const secret = within(await screen.findByRole('dialog', { name: 'Your provisioning token' }))
  expect(secret.getByText('gls_secret')).toBeTruthy()
  expect(sent('POST')).toMatchObject({ token: { name: 'Entra ID' } })
})

it('is read-only for an auditor', async () => {
  setRole('auditor')
  page.show(<ProvisioningSection />)
  await screen.findByLabelText('Group 1')
  expect(screen.getByLabelText('Default role')).toHaveProperty('disabled', true)
  expect(screen.queryByRole('button', { name: 'Add group' })).toBeNull()
  for (const name of ['Save roles', 'Create provisioning token', 'Revoke Entra ID'])
    expect(screen.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
})
