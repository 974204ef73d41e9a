/** Comments on a risk: keyboard focus, and failing requests. */
import type { Comment } from '@glacis/contract/triage'
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Discussion } from '#issues/discussion.tsx'
import { day, testIssue, showPage } from '#issues/testing/issues.tsx'
import { type Service, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'

const issue = testIssue(1)
const path = `/v1/issues/${issue.id}/comments`
const hello: Comment = { id: issue.id, text: 'Hello', actor: 'Nora Ammann', createTime: day }
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
  await service.close()
})

function Page() {
  return <Discussion issue={issue} field={useRef<HTMLTextAreaElement>(null)} />
}

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
  await screen.findByText('Comments couldn’t be loaded.')
  service.on(`GET ${path}`, { body: { comments: [hello] } })
  await user.click(screen.getAllByRole('button', { name: 'Try again' })[0] ?? document.body)
  expect(await screen.findByText('Hello', { selector: 'span' })).toBeTruthy()
})
