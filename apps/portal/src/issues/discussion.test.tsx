/** Comments on a risk: keyboard focus, and failing requests. */
import type { Comment } from '@glacis/contract/triage'
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Discussion } from '#issues/discussion.tsx'
import { day, testIssue, showPage } from '#issues/testing/issues.tsx'
import { setRole } from '#lib/role.ts'
import { type Service, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'

const issue = testIssue(1)
const path = `/v1/issues/${issue.id}/comments`
const hello: Comment = { id: issue.id, text: 'Hello', actor: 'Nora Ammann', createTime: day }
const max = { id: 'max', name: 'Max Keller', email: 'max@example.ch', role: 'viewer', joinTime: day, isYou: false }
const nora = { id: 'nora', name: 'Nora Ammann', email: 'nora@example.ch', role: 'owner', joinTime: day, isYou: true }
const user = userEvent.setup()
let service: Service
let client: QueryClient
let comments: Comment[]
let blurred: PromiseWithResolvers<void>

beforeEach(async () => {
  comments = []
  blurred = Promise.withResolvers()
  service = await startService()
  service.on(`GET ${path}`, () => ({ body: { comments } }))
  service.on('GET /v1/members', { body: { members: [max, nora] } })
  service.on(`POST ${path}`, () => {
    comments = [hello]
    return { body: { comment: hello }, after: blurred.promise }
  })
  service.on(`DELETE ${path}/${hello.id}`, () => {
    comments = []
    return { body: {} }
  })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  clearToasts()
  setRole(undefined)
  await service.close()
})

function Page({ history = issue.history }: { readonly history?: typeof issue.history }) {
  return <Discussion issue={{ ...issue, history }} field={useRef<HTMLTextAreaElement>(null)} />
}

it('distinguishes a due date of an ignored risk from new ignore terms', async () => {
  const ignored = { status: 'STATUS_IGNORED' as const, actor: 'Nora Ammann' }
  const history = [
    { ...ignored, timestamp: '2026-11-02T08:00:00Z', reason: 'Mitigated' },
    { ...ignored, timestamp: '2026-11-03T08:00:00Z', reason: 'Due date set to 14 Dec 2026' },
    { ...ignored, timestamp: '2026-11-04T08:00:00Z', reason: 'Accepted risk until 31 Dec 2026' },
  ]
  client = showPage(<Page history={history} />)
  const [terms, due] = await screen.findAllByRole('listitem')
  expect(terms?.textContent).toContain('Ignored by Nora Ammann')
  expect(due?.textContent).toContain('Due date set to 14 Dec 2026 by Nora Ammann')
})

it('names the change if the status stayed the same', async () => {
  const assigned = { status: 'STATUS_OPEN' as const, actor: 'Nora Ammann', reason: 'Assigned to Max Keller' }
  const history = [
    { status: 'STATUS_OPEN' as const, timestamp: '2026-11-01T08:00:00Z', actor: 'scan' },
    { ...assigned, timestamp: '2026-11-02T08:00:00Z' },
  ]
  client = showPage(<Page history={history} />)
  const [newest, oldest] = await screen.findAllByRole('listitem')
  expect(newest?.textContent).toContain('Assigned to Max Keller by Nora Ammann')
  expect(oldest?.textContent).toContain('Opened by a scan')
})

it('distinguishes reopening from opening', async () => {
  const history = [
    { status: 'STATUS_OPEN' as const, timestamp: '2026-11-01T08:00:00Z', actor: 'scan' },
    { status: 'STATUS_RESOLVED' as const, timestamp: '2026-11-02T08:00:00Z', actor: 'Nora Ammann' },
    { status: 'STATUS_OPEN' as const, timestamp: '2026-11-03T08:00:00Z', actor: 'Nora Ammann' },
  ]
  client = showPage(<Page history={history} />)
  const [newest, , oldest] = await screen.findAllByRole('listitem')
  expect(newest?.textContent).toContain('Reopened by Nora Ammann')
  expect(oldest?.textContent).toContain('Opened by a scan')
})

it('returns the focus to the field after a comment was sent or deleted', async () => {
  client = showPage(<Page />)
  const field = await screen.findByLabelText('Comment')
  await user.type(field, 'Hello')
  const send = screen.getByRole('button', { name: 'Add comment' })
  send.focus()
  await user.keyboard('{Enter}')
  // Browsers blur a button that becomes disabled.
  send.blur()
  blurred.resolve()
  await screen.findByText('Hello', { selector: 'span' })
  await waitFor(() => expect(document.activeElement).toBe(field))
  screen.getByRole('button', { name: 'Delete comment' }).focus()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByText('Hello', { selector: 'span' })).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(field))
})

it('reports that comments could not be loaded, and retries', async () => {
  service.on(`GET ${path}`, { status: 503 })
  client = showPage(<Page />)
  await screen.findByText("Comments couldn't be loaded.")
  service.on(`GET ${path}`, { body: { comments: [hello] } })
  await user.click(screen.getAllByRole('button', { name: 'Try again' })[0] ?? document.body)
  expect(await screen.findByText('Hello', { selector: 'span' })).toBeTruthy()
})

it('mentions a member chosen with the keyboard', async () => {
  client = showPage(<Page />)
  const field = await screen.findByLabelText('Comment')
  await user.type(field, 'Please check, @ma')
  const option = await screen.findByRole('option', { name: /Max Keller/ })
  expect(field.getAttribute('aria-activedescendant')).toBe(option.id)
  await user.keyboard('{Enter}now')
  expect(field).toHaveProperty('value', 'Please check, @Max Keller now')
  expect(screen.queryByRole('listbox')).toBeNull()
  blurred.resolve()
  await user.click(screen.getByRole('button', { name: 'Add comment' }))
  await waitFor(() =>
    expect(service.seen.find(({ method }) => method === 'POST')?.body).toEqual({
      text: 'Please check, @Max Keller now',
      mentionIds: ['max'],
    }),
  )
})

it('closes the list of members with Escape, and moves in it with the arrow keys', async () => {
  client = showPage(<Page />)
  const field = await screen.findByLabelText('Comment')
  await user.type(field, '@')
  await screen.findByRole('listbox')
  await user.keyboard('{ArrowDown}')
  expect(screen.getByRole('option', { name: /Nora/ }).getAttribute('aria-selected')).toBe('true')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('listbox')).toBeNull()
  await user.keyboard('n')
  expect(screen.queryByRole('listbox')).toBeNull()
})

it('marks the mentioned members in a comment', async () => {
  comments = [{ ...hello, text: 'Ask @Max Keller, not @Nora Ammann', mentionIds: ['max'] }]
  client = showPage(<Page />)
  expect((await screen.findByText('@Max Keller')).tagName).toBe('B')
  expect(screen.queryByText('@Nora Ammann')).toBeNull()
})

it('lets analysts delete only their own comments', async () => {
  setRole('analyst')
  comments = [hello, { ...hello, id: '00000000-0000-4000-8000-000000000077', actor: 'Max Keller', actorId: 'max' }]
  client = showPage(<Page />)
  await screen.findByText('by Max Keller')
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Delete comment' })).toHaveLength(1))
})

it("shows viewers why they can't comment", async () => {
  setRole('viewer')
  comments = [hello]
  client = showPage(<Page />)
  await screen.findByText('Hello')
  expect(screen.getByText(/Your role, viewer, doesn't allow this/)).toBeTruthy()
  expect(screen.queryByLabelText('Comment')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Delete comment' })).toBeNull()
})
