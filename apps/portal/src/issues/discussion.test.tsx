/** What people say about a risk, by keyboard and on a bad line. */
import type { Comment } from '@glacis/contract/triage'
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Discussion } from '#issues/discussion.tsx'
import { day, risk, showPage } from '#issues/testing/issues.tsx'
import { type Service, startService } from '#lib/testing/service.ts'
import { dismissToast, shownToasts } from '#lib/toasts.ts'

const issue = risk(1)
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
  shownToasts().forEach(({ id }) => dismissToast(id))
  await service.close()
})

function Page() {
  return <Discussion issue={issue} field={useRef<HTMLTextAreaElement>(null)} />
}

it('leads back to the field from a comment that was sent, and from one that was deleted', async () => {
  client = showPage(<Page />)
  const field = await screen.findByLabelText('Comment')
  await user.type(field, 'Hello')
  const send = screen.getByRole('button', { name: 'Add comment' })
  send.focus()
  await user.keyboard('{Enter}')
  // Browsers take the focus off what takes no clicks.
  send.blur()
  blurred.resolve()
  await screen.findByText('Hello', { selector: 'span' })
  await waitFor(() => expect(document.activeElement).toBe(field))
  screen.getByRole('button', { name: 'Delete comment' }).focus()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByText('Hello', { selector: 'span' })).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(field))
})

it('says that the comments could not be loaded, and loads them when asked again', async () => {
  service.on(`GET ${path}`, { status: 503 })
  client = showPage(<Page />)
  await screen.findByText('The comments could not be loaded.')
  service.on(`GET ${path}`, { body: { comments: [hello] } })
  await user.click(screen.getAllByRole('button', { name: 'Try again' })[0] ?? document.body)
  expect(await screen.findByText('Hello', { selector: 'span' })).toBeTruthy()
})
