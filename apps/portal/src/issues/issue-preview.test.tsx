/** The preview panel of a risk list. */
import type { Issue } from '@glacis/contract/issue'
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IssueList } from '#issues/issue-list.tsx'
import { day, testIssue, showPage } from '#issues/testing/issues.tsx'
import { startShortcuts } from '#lib/keyboard.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'

const risks = [1, 2, 3].map((number) => testIssue(number))
const [first = testIssue(1)] = risks
let service: Service
let client: QueryClient
let stop: () => void
const user = userEvent.setup()

beforeEach(async () => {
  localStorage.clear()
  service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  service.on('GET /v1/issues', { body: { issues: risks, nextPageToken: '', totalSize: 3, totalSizeIsExact: true } })
  for (const list of ['targets', 'tags', 'views']) service.on(`GET /v1/${list}`, { body: { [list]: [] } })
  stop = startShortcuts(() => {})
  client = showPage(<IssueList search={{}} verification="VERIFICATION_VERIFIED" onSearch={() => {}} empty={null} />)
  await screen.findByRole('link', { name: /Risk 1/ })
})
afterEach(async () => {
  stop()
  cleanup()
  clearToasts()
  await client.cancelQueries()
  await service.close()
})

const changes = () => service.seen.filter(({ method }) => method !== 'GET')
async function open(): Promise<void> {
  screen.getByRole('link', { name: /Risk 1/ }).focus()
  await user.keyboard(' ')
}

describe('the preview', () => {
  it('opens with Space, moves with j and k, changes the status, and closes with Escape', async () => {
    service.on(`PUT /v1/issues/${risks[1]?.id}/status`, { body: { issue: { ...risks[1], status: 'STATUS_RESOLVED' } } })
    await open()
    expect(await screen.findByRole('dialog', { name: 'Risk 1' })).toBeTruthy()
    await user.keyboard('jj')
    expect(screen.getByRole('dialog', { name: 'Risk 3' })).toBeTruthy()
    await user.keyboard('k')
    const dialog = within(screen.getByRole('dialog', { name: 'Risk 2' }))
    expect(dialog.getByText('Summary of Risk 2')).toBeTruthy()
    expect(dialog.getByText('2 of 3')).toBeTruthy()
    await user.keyboard('r')
    await waitFor(() => expect(changes()).toHaveLength(1))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('shows the next risk after a status change, the last one at the end, and closes when the list is empty', async () => {
    const list = (...numbers: readonly number[]) => {
      const issues = numbers.map((number) => testIssue(number))
      service.on('GET /v1/issues', { body: { issues, nextPageToken: '', totalSize: numbers.length } })
    }
    for (const issue of risks)
      service.on(`PUT /v1/issues/${issue.id}/status`, { body: { issue: { ...issue, status: 'STATUS_RESOLVED' } } })
    await open()
    await screen.findByRole('dialog', { name: 'Risk 1' })
    await user.keyboard('j')
    list(1, 3)
    await user.keyboard('r')
    await screen.findByRole('dialog', { name: 'Risk 3' })
    list(1)
    await user.keyboard('r')
    await screen.findByRole('dialog', { name: 'Risk 1' })
    list()
    await user.keyboard('r')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    list(1, 2, 3)
    await client.invalidateQueries()
    await screen.findByRole('link', { name: /Risk 1/ })
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('evidence in the preview', () => {
  const evidenceFor = (issue: Issue, text: string) => ({
    location: '80/x',
    port: 80,
    method: 'a-check',
    quality: 99,
    request: 'GET /x HTTP/1.1',
    text,
    highlights: [],
    time: day,
    hostId: issue.affectedHosts[0]?.host.id,
    status: 'STATUS_OPEN',
  })
  const evidenceRequests = () => service.seen.filter(({ path }) => path.endsWith('/evidence'))

  it('is loaded only for the previewed risk', async () => {
    for (const risk of risks.slice(0, 2))
      service.on(`GET /v1/issues/${risk.id}/evidence`, {
        body: { evidence: [evidenceFor(risk, `proof of ${risk.name}`)], nextPageToken: '' },
      })
    expect(evidenceRequests()).toEqual([])
    await open()
    expect(await within(screen.getByRole('dialog', { name: 'Risk 1' })).findByText('proof of Risk 1')).toBeTruthy()
    await user.keyboard('j')
    const dialog = within(await screen.findByRole('dialog', { name: 'Risk 2' }))
    expect(await dialog.findByText('proof of Risk 2')).toBeTruthy()
    expect(dialog.getByText('GET /x HTTP/1.1')).toBeTruthy()
    expect(evidenceRequests().map(({ path, query }) => [path, query['hostId'], query['pageSize']])).toEqual(
      risks.slice(0, 2).map((risk) => [`/v1/issues/${risk.id}/evidence`, risk.affectedHosts[0]?.host.id, '1']),
    )
  })

  it('scrolls with Space without closing the preview', async () => {
    service.on(`GET /v1/issues/${first.id}/evidence`, {
      body: { evidence: [evidenceFor(first, 'long')], nextPageToken: '' },
    })
    await open()
    ;(await screen.findByRole('group', { name: 'Received, port 80, /x' })).focus()
    await user.keyboard(' ')
    expect(screen.getByRole('dialog', { name: 'Risk 1' })).toBeTruthy()
  })

  it.each([
    [{ body: { evidence: [], nextPageToken: '' } }, 'No evidence recorded.'],
    [{ status: 404, body: { code: 5, message: 'gone' } }, "The evidence couldn't be loaded."],
  ])('reports missing evidence: %j', async (reply, expected) => {
    service.on(`GET /v1/issues/${first.id}/evidence`, reply)
    await open()
    expect((await screen.findByRole('dialog', { name: 'Risk 1' })).textContent).not.toContain('proof')
    expect(await screen.findByText(expected)).toBeTruthy()
  })
})
