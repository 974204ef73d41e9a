import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setRole } from '#lib/role.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { General } from '#workspaces/general.tsx'

const workspace = {
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
  name: 'Aarewerk',
  timeZone: 'UTC',
  retention: { historyDays: null, evidenceDays: null, auditDays: null },
  signInNetworks: [] as string[],
  createTime: '2026-11-01T08:00:00Z',
  role: 'owner',
} as const
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  setRole('owner')
})
afterEach(async () => {
  await page.close()
  act(() => setRole(undefined))
})

it.each([
  ['Name', 'workspace.name'],
  ['Days to keep the audit log', 'workspace.retention.auditDays'],
])('sends everything that was typed and shows the error of the server at the field %s', async (label, field) => {
  const user = userEvent.setup()
  page.service.on('PATCH /v1/workspace', {
    status: 400,
    body: {
      code: 3,
      message: 'invalid',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field, description: 'Must contain at most 128 characters' }],
        },
      ],
    },
  })
  page.show(<General workspace={workspace} />)
  await user.clear(screen.getByLabelText('Name'))
  await user.click(screen.getByLabelText('Name'))
  await user.paste('a'.repeat(400))
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  await screen.findByText('Must contain at most 128 characters')
  const input = screen.getByLabelText(label)
  expect(input.getAttribute('aria-invalid')).toBe('true')
  const describedBy = document.getElementById(input.getAttribute('aria-describedby') ?? '')
  expect(describedBy?.textContent).toBe('Must contain at most 128 characters')
  expect(page.service.seen.at(-1)?.body).toMatchObject({
    workspace: { name: 'a'.repeat(400) },
    replaces: { name: 'Aarewerk' },
  })
})
