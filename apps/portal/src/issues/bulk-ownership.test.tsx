/** Assigning selected risks, and setting their due date. */
import type { Issue } from '@glacis/contract/issue'
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IssueList } from '#issues/issue-list.tsx'
import { showPage, testIssue, testMember as member } from '#issues/testing/issues.tsx'
import { setRole } from '#lib/role.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'

const lea = { id: 'lea', name: 'Lea' }
const risks = [testIssue(1), testIssue(2, { assignee: lea, dueTime: '2026-12-24T22:59:59.000Z' }), testIssue(3)]
const [first = '', second = ''] = risks.map(({ id }) => id)
const batch = '/v1/issues/batch/update'
const user = userEvent.setup()
let service: Service
let client: QueryClient
let shown: Issue[]

beforeEach(async () => {
  localStorage.clear()
  shown = risks
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/issues', () => ({
    body: { issues: shown, nextPageToken: '', totalSize: 80, totalSizeIsExact: true },
  }))
  service.on('GET /v1/targets', { body: { targets: [] } })
  service.on('GET /v1/tags', { body: { tags: [] } })
  service.on('GET /v1/views', { body: { views: [] } })
  const members = [member('Lea'), member('Max', { role: 'viewer' }), member('Nora', { isYou: true })]
  service.on('GET /v1/members', { body: { members } })
  client = showPage(<IssueList search={{}} verification="VERIFICATION_VERIFIED" onSearch={() => {}} empty={null} />)
  await screen.findByRole('link', { name: /Risk 1/ })
})
afterEach(async () => {
  cleanup()
  clearToasts()
  setRole(undefined)
  await client.cancelQueries()
  await service.close()
})

const answer = (more: object) => service.on(`POST ${batch}`, { body: { skipped: [], skippedCount: 0, ...more } })
const sent = () => service.seen.filter(({ path }) => path === batch).map(({ body }) => body)
const messages = () => shownToasts().map(({ message }) => message)
const pick = async (...names: string[]) => {
  for (const name of names) await user.click(screen.getByRole('checkbox', { name: `Select ${name}` }))
}
const bar = () => within(screen.getByRole('group', { name: 'Selected risks' }))
const paths = (...names: string[]) => ({ paths: names })
async function openMenu(): Promise<string[]> {
  await user.click(bar().getByRole('button', { name: 'Assign' }))
  await screen.findByRole('menuitemradio', { name: /Lea/ })
  return [...screen.getAllByRole('menuitem'), ...screen.getAllByRole('menuitemradio')].map((item) => item.textContent)
}

it('assigns two risks to a member, keeps them selected, and can be undone', async () => {
  answer({
    updatedCount: 2,
    before: [
      { issue: { assigneeId: null }, ids: [first] },
      { issue: { assigneeId: 'lea' }, ids: [second] },
    ],
  })
  await pick('Risk 1', 'Risk 2')
  expect(await openMenu()).toEqual(['Assign to me', 'Unassign', 'Lealea@example.ch'])
  await user.click(screen.getByRole('menuitemradio', { name: /Lea/ }))
  await waitFor(() => expect(messages()).toEqual(['Assigned 2 risks to Lea.']))
  expect(screen.getByText('2 selected')).toBeTruthy()
  answer({ updatedCount: 1, skipped: [], skippedCount: 1 })
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(messages()).toContain('Undo skipped 2 of 2 risks because of changes in the meantime.'))
  const updateMask = paths('assigneeId')
  expect(sent()).toEqual([
    { ids: [first, second], issue: { assigneeId: 'lea' }, updateMask },
    { ids: [first], issue: { assigneeId: null }, updateMask, expectedIssue: { assigneeId: 'lea' } },
    { ids: [second], issue: { assigneeId: 'lea' }, updateMask, expectedIssue: { assigneeId: 'lea' } },
  ])
})

it('assigns with the keyboard, and lists skipped risks', async () => {
  const message = 'No issue has this ID'
  answer({ updatedCount: 1, skipped: [{ id: second, name: '', code: 5, message }], skippedCount: 1, before: [] })
  await pick('Risk 1', 'Risk 3')
  bar().getByRole('button', { name: 'Assign' }).focus()
  await user.keyboard('{Enter}')
  await screen.findByRole('menuitem', { name: 'Assign to me' })
  expect(screen.queryByRole('menuitem', { name: 'Unassign' })).toBeNull()
  await user.keyboard('{Enter}')
  expect(within(await screen.findByRole('dialog', { name: '1 risk was skipped' })).getByText(message)).toBeTruthy()
  expect(messages()).toEqual(['Assigned 1 risk to you.'])
  expect(sent()).toEqual([
    { ids: [first, risks[2]?.id], issue: { assigneeId: 'nora' }, updateMask: paths('assigneeId') },
  ])
})

it('unassigns all risks that match the filters', async () => {
  answer({ updatedCount: 0, before: [] })
  await pick('Risk 1')
  await user.click(bar().getByRole('button', { name: 'Select all 80 matching' }))
  await openMenu()
  await user.click(screen.getByRole('menuitem', { name: 'Unassign' }))
  await waitFor(() => expect(messages()).toEqual(['No changes: the selected risks already have this value.']))
  const filter = { verification: 'VERIFICATION_FILTER_VERIFIED', status: ['STATUS_FILTER_OPEN'] }
  expect(sent()).toEqual([{ filter, issue: { assigneeId: null }, updateMask: paths('assigneeId') }])
})

it('sets the due date of two risks', async () => {
  answer({ updatedCount: 2, before: [] })
  await pick('Risk 1', 'Risk 3')
  await user.click(bar().getByRole('button', { name: 'Due date' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Set due date of 2 risks' }))
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole('textbox', { name: 'Due date' })))
  expect(dialog.queryByRole('button', { name: 'Clear' })).toBeNull()
  await user.click(dialog.getByRole('button', { name: 'Set due date' }))
  expect(sent()).toEqual([])
  await user.type(dialog.getByRole('textbox', { name: 'Due date' }), '14.12.2026')
  await user.click(dialog.getByRole('button', { name: 'Set due date' }))
  await waitFor(() => expect(sent()).toHaveLength(1))
  const dueTime = new Date('2026-12-14T23:59:59').toISOString()
  const updateMask = paths('dueTime')
  expect(sent()).toEqual([{ ids: [first, risks[2]?.id], issue: { dueTime }, updateMask }])
  await waitFor(() => expect(messages()).toEqual(['Due date of 2 risks set to 14 Dec 2026.']))
})

it('shows the due date of the selected risks, and removes it', async () => {
  answer({ updatedCount: 1, before: [{ issue: { dueTime: risks[1]?.dueTime }, ids: [second] }] })
  await pick('Risk 2')
  await user.click(bar().getByRole('button', { name: 'Due date' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Set due date of “Risk 2”' }))
  expect(dialog.getByRole<HTMLInputElement>('textbox', { name: 'Due date' }).value).toMatch(/^2[45]\.12\.2026$/)
  await user.click(dialog.getByRole('button', { name: 'Clear' }))
  await waitFor(() => expect(messages()).toEqual(['Due date of 1 risk removed.']))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(sent()).toHaveLength(2))
  const updateMask = paths('dueTime')
  expect(sent()).toEqual([
    { ids: [second], issue: { dueTime: null }, updateMask },
    { ids: [second], issue: { dueTime: risks[1]?.dueTime }, updateMask, expectedIssue: { dueTime: null } },
  ])
})

it('keeps the dialog open with the date and the reason if the request fails', async () => {
  service.on(`POST ${batch}`, { status: 409, body: { code: 10, message: 'someone was quicker' } })
  await pick('Risk 1')
  await user.click(bar().getByRole('button', { name: 'Due date' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Set due date of “Risk 1”' }))
  await user.type(dialog.getByRole('textbox', { name: 'Due date' }), '14.12.2026')
  await user.click(dialog.getByRole('button', { name: 'Set due date' }))
  expect(await dialog.findByText(/someone was quicker/i)).toBeTruthy()
  expect(dialog.getByRole<HTMLInputElement>('textbox', { name: 'Due date' }).value).toBe('14.12.2026')
})

it('is disabled for a viewer, with the reason', async () => {
  setRole('viewer')
  await pick('Risk 1')
  for (const name of ['Assign', 'Due date'])
    expect(bar().getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
})
