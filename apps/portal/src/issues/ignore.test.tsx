/** The ignore dialog when its request fails. */
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AffectedHostTable } from '#issues/affected-hosts.tsx'
import { Discussion } from '#issues/discussion.tsx'
import { IssueActions } from '#issues/issue-actions.tsx'
import { testIssue, showPage } from '#issues/testing/issues.tsx'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'

const first = testIssue(1)
const terms = { reason: 'REASON_MITIGATED', comment: 'behind the proxy of the plant' }
const user = userEvent.setup()
let service: Service
let client: QueryClient

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on(`GET /v1/issues/${first.id}`, { body: { issue: first } })
  service.on(`GET /v1/issues/${first.id}/comments`, { body: { comments: [] } })
})
afterEach(async () => {
  cleanup()
  clearToasts()
  await client.cancelQueries()
  await service.close()
})

const sent = () => service.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)

async function enterTerms(): Promise<void> {
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('radio', { name: /Mitigated/ }))
  await user.type(dialog.getByLabelText(/Comment/), terms.comment)
  await user.selectOptions(dialog.getByLabelText('Duration'), '30 days')
  await user.click(dialog.getByRole('button', { name: 'Ignore' }))
}

async function sendAgain(message: string): Promise<void> {
  // The submitted dialog may still be fading out when the next one opens.
  await screen.findByText(message)
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Ignore' }))
}

it.each([
  [503, "The server couldn't complete the request. Try again in a moment."],
  [404, 'This item no longer exists. It may have been deleted; reload the page.'],
])('reopens with everything entered after a %i', async (status, expected) => {
  client = showPage(<IssueActions issue={first} onComment={() => {}} />)
  service.on(`PUT /v1/issues/${first.id}/status`, { status })
  await user.click(await screen.findByRole('button', { name: 'Ignore' }))
  await enterTerms()
  await sendAgain(expected)
  await waitFor(() => expect(sent()).toMatchObject([terms, terms]))
})

it('asks for a reason, and preselects none', async () => {
  client = showPage(<IssueActions issue={first} onComment={() => {}} />)
  service.on(`PUT /v1/issues/${first.id}/status`, { body: { issue: first } })
  await user.click(await screen.findByRole('button', { name: 'Ignore' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: 'Ignore' }))
  expect(await dialog.findByText('Choose a reason')).toBeTruthy()
  expect(document.activeElement).toBe(dialog.getByRole('radio', { name: /Accepted risk/ }))
  expect(sent()).toEqual([])
  await user.click(dialog.getByRole('radio', { name: /Accepted risk/ }))
  expect(dialog.queryByText('Choose a reason')).toBeNull()
  await user.click(dialog.getByRole('button', { name: 'Ignore' }))
  await waitFor(() => expect(sent()).toMatchObject([{ reason: 'REASON_ACCEPTED_RISK' }]))
})

it('says whether risks stay ignored until a date', async () => {
  const low = { ...first.threat.severity, category: 'CATEGORY_LOW' as const }
  client = showPage(
    <IssueActions issue={{ ...first, threat: { ...first.threat, severity: low } }} onComment={() => {}} />,
  )
  await user.click(await screen.findByRole('button', { name: 'Ignore' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(/stay ignored until the end date, even if/)).toBeTruthy()
  await user.selectOptions(dialog.getByLabelText('Duration'), 'No end date')
  expect(dialog.getByText(/stay ignored even if/)).toBeTruthy()
})

it('opens empty after a successful request', async () => {
  client = showPage(<IssueActions issue={first} onComment={() => {}} />)
  service.on(`PUT /v1/issues/${first.id}/status`, { body: { issue: first } })
  await user.click(await screen.findByRole('button', { name: 'Ignore' }))
  await enterTerms()
  await screen.findByText(/^Ignored/)
  await user.click(await screen.findByRole('button', { name: 'Ignore' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByLabelText<HTMLTextAreaElement>(/Comment/).value).toBe('')
  expect(dialog.getByRole<HTMLInputElement>('radio', { name: /Mitigated/ }).checked).toBe(false)
})

it('reopens for a single host', async () => {
  client = showPage(<AffectedHostTable issue={first} />)
  service.on(`PUT /v1/issues/${first.id}/affected-hosts/${first.affectedHosts[0]?.host.id}/status`, { status: 503 })
  await user.click((await screen.findAllByRole('button', { name: /^Actions for/ }))[0] ?? document.body)
  await user.click(await screen.findByRole('menuitem', { name: 'Ignore on this host' }))
  await enterTerms()
  await sendAgain("The server couldn't complete the request. Try again in a moment.")
  await waitFor(() => expect(sent()).toMatchObject([terms, terms]))
})

it('keeps a comment that could not be sent, and shows what to do', async () => {
  client = showPage(<Discussion issue={first} field={{ current: null }} />)
  service.on(`POST /v1/issues/${first.id}/comments`, { status: 404 })
  await user.type(await screen.findByLabelText('Comment'), 'half a day of work')
  await user.click(screen.getByRole('button', { name: 'Add comment' }))
  expect((await screen.findByRole('alert')).textContent).toMatch(/^This item no longer exists/)
  expect(screen.getByLabelText<HTMLTextAreaElement>('Comment').value).toBe('half a day of work')
})
