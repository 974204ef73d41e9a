/** The assignee, due date, and tags of a risk. */
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IssueTags } from '#issues/issue-tags.tsx'
import { Ownership } from '#issues/ownership.tsx'
import { showPage, testIssue, testMember as member } from '#issues/testing/issues.tsx'
import { setRole } from '#lib/role.ts'
import { type Service, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'

const issue = testIssue(1)
const user = userEvent.setup()
let service: Service
let client: QueryClient

beforeEach(async () => {
  service = await startService()
  const members = [member('Lea'), member('Max', { role: 'viewer' }), member('Nora', { isYou: true })]
  service.on('GET /v1/members', { body: { members } })
  service.on('GET /v1/tags', { body: { tags: [] } })
  service.on(`PATCH /v1/issues/${issue.id}`, { body: { issue } })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  clearToasts()
  setRole(undefined)
  await service.close()
})

const sentAssignee = () => service.seen.find(({ method }) => method === 'PATCH')?.body

it('assigns to a member who can work on risks', async () => {
  client = showPage(<Ownership issue={issue} />)
  await user.click(await screen.findByRole('button', { name: 'Assign' }))
  const choice = await screen.findByRole('menuitemradio', { name: /Lea/ })
  expect(choice.textContent).toContain('lea@example.ch')
  expect(screen.queryByRole('menuitemradio', { name: /Max/ })).toBeNull()
  expect(screen.queryByRole('menuitem', { name: 'Unassign' })).toBeNull()
  await user.click(choice)
  await waitFor(() =>
    expect(sentAssignee()).toMatchObject({ issue: { assigneeId: 'lea' }, updateMask: { paths: ['assigneeId'] } }),
  )
})

it('offers to take over or unassign a risk of someone else', async () => {
  client = showPage(<Ownership issue={{ ...issue, assignee: { id: 'lea', name: 'Lea' } }} />)
  await user.click(await screen.findByRole('button', { name: 'Change assignee' }))
  await screen.findByRole('menuitem', { name: 'Assign to me' })
  await user.click(screen.getByRole('menuitem', { name: 'Unassign' }))
  await waitFor(() => expect(sentAssignee()).toMatchObject({ issue: { assigneeId: null } }))
})

it('only shows the assignee, due date, and tags to a viewer', async () => {
  setRole('viewer')
  const shown = {
    ...issue,
    assignee: { id: 'lea', name: 'Lea' },
    dueTime: '2026-12-24T12:00:00Z',
    tags: [{ id: 'dmz', name: 'DMZ', color: 0 }],
  }
  client = showPage(
    <>
      <Ownership issue={shown} />
      <IssueTags issue={shown} />
    </>,
  )
  await screen.findByText('Lea')
  expect(screen.getByText('DMZ')).toBeTruthy()
  expect(screen.getByText('24 Dec 2026')).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
  expect(screen.queryByRole('textbox')).toBeNull()
})
