/** Deleting and leaving a workspace. */
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setRole } from '#lib/role.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { DangerZone } from '#workspaces/danger-zone.tsx'

const workspace = {
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
  name: 'Aarewerk',
  timeZone: 'UTC',
  retention: { historyDays: null, evidenceDays: null, auditDays: null },
  signInNetworks: [] as string[],
  createTime: '2026-11-01T08:00:00Z',
  role: 'owner',
} as const
const user = userEvent.setup()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  setRole('owner')
})
afterEach(async () => {
  await page.close()
  act(() => setRole(undefined))
})

it('offers the export before the deletion, which needs the exact name', async () => {
  page.service.on('POST /v1/workspace/deletion', { body: { workspace } })
  page.show(<DangerZone workspace={workspace} />)
  await user.click(screen.getByRole('button', { name: 'Delete workspace' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Aarewerk' }))
  expect(dialog.getByRole('link', { name: 'Export data' }).getAttribute('href')).toContain('/v1/workspace/export')
  const confirm = dialog.getByRole('button', { name: 'Delete workspace' })
  await user.type(dialog.getByRole('textbox'), 'aarewerk')
  expect(confirm).toHaveProperty('disabled', true)
  await user.clear(dialog.getByRole('textbox'))
  await user.type(dialog.getByRole('textbox'), 'Aarewerk')
  await user.click(confirm)
  await waitFor(() => expect(page.service.seen.at(-1)?.body ?? {}).toEqual({ name: 'Aarewerk' }))
})

it("explains why the last owner can't leave", async () => {
  const message = 'You are the last owner. Transfer ownership to another member first'
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'LAST_OWNER' }]
  page.service.on('POST /v1/workspace/leave', { status: 409, body: { code: 10, message, details } })
  page.show(<DangerZone workspace={workspace} />)
  await user.click(screen.getByRole('button', { name: 'Leave workspace' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Leave Aarewerk' }))
  await user.click(dialog.getByRole('button', { name: 'Leave workspace' }))
  expect(await dialog.findByText(`${message}.`)).toBeTruthy()
})
