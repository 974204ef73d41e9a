import { issuesBySeverity, issuesByStatus } from '@glacis/contract/insights'
import type { Issue } from '@glacis/contract/issue'
import type { QueryClient } from '@tanstack/react-query'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyOf } from '#api/query.ts'
import { AffectedHostTable } from '#issues/affected-hosts.tsx'
import { Discussion, timelineEntries } from '#issues/discussion.tsx'
import { IssueTags } from '#issues/issue-tags.tsx'
import { IssueActions } from '#issues/issue-actions.tsx'
import { IssueList } from '#issues/issue-list.tsx'
import { detail } from '#issues/queries.ts'
import { ViewButton } from '#issues/saved-views.tsx'
import { day, testIssue, showPage } from '#issues/testing/issues.tsx'
import { startShortcuts } from '#lib/keyboard.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'

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
  service.on('GET /v1/issues', { body: { issues: risks, nextPageToken: '', totalSize: 80, totalSizeIsExact: true } })
  service.on('GET /v1/targets', { body: { targets: [] } })
  service.on('GET /v1/tags', { body: { tags: [] } })
  service.on('GET /v1/views', { body: { views: [] } })
  service.on(`GET /v1/issues/${first.id}/comments`, { body: { comments: [] } })
  stop = startShortcuts(() => {})
})
afterEach(async () => {
  stop()
  cleanup()
  clearToasts()
  await client.cancelQueries()
  await service.close()
})

const openToasts = () => shownToasts().filter(({ isLeaving }) => !isLeaving)
const changes = () =>
  service.seen.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => [method, path, body])
const status = `/v1/issues/${first.id}/status`
const batch = '/v1/issues/batch/status'
const batchAnswer = (more: object) => ({ body: { updatedCount: 0, skipped: [], skippedCount: 0, ...more } })

async function showList(): Promise<void> {
  client = showPage(<IssueList search={{}} verification="VERIFICATION_VERIFIED" onSearch={() => {}} empty={null} />)
  await screen.findByRole('link', { name: /Risk 1/ })
}
const pickRow = (name: string) => user.click(screen.getByRole('checkbox', { name: `Select ${name}` }))
const rowOf = (name: RegExp) => within(screen.getByRole('link', { name }).closest('tr') ?? document.body)

describe('a single risk', () => {
  const showActions = (issue: Issue) => {
    client = showPage(<IssueActions issue={issue} onComment={() => {}} />)
    return screen.findByRole('button', { name: 'Retest' })
  }

  it.each([
    ['STATUS_OPEN', ['Retest', 'Ignore', 'Resolve']],
    ['STATUS_REGRESSION', ['Retest', 'Ignore', 'Resolve']],
    ['STATUS_RESOLVED', ['Retest', 'Reopen', 'Ignore']],
    ['STATUS_IGNORED', ['Retest', 'Reopen', 'Resolve']],
  ] as const)('offers the right actions for %s: %j', async (status, names) => {
    await showActions(testIssue(1, { status }))
    expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual(names)
  })

  it('shows its tags, and sends the complete list when one is added', async () => {
    const [pci, edge] = [1, 2].map((number) => ({ id: testIssue(number).id, name: `tag ${number}`, color: number }))
    service.on('GET /v1/tags', { body: { tags: [pci, edge] } })
    service.on(`PATCH /v1/issues/${first.id}`, { body: { issue: { ...first, tags: [pci, edge] } } })
    client = showPage(<IssueTags issue={{ ...first, tags: pci ? [pci] : [] }} />)
    expect(await screen.findByText('tag 1')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Change tags' }))
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'tag 2' }))
    const issue = { tags: [{ id: pci?.id }, { id: edge?.id }] }
    await waitFor(() =>
      expect(changes()).toEqual([['PATCH', `/v1/issues/${first.id}`, { issue, updateMask: { paths: ['tags'] } }]]),
    )
  })

  it('changes status with one PUT, refreshes issue, ecosystem, and statistics, and can be undone', async () => {
    await showActions(first)
    const keys = [detail(first.id).queryKey, ['/v1/ecosystem'], keyOf(issuesBySeverity, {}), keyOf(issuesByStatus, {})]
    for (const key of keys) client.setQueryData(key, {})
    service.on(`PUT ${status}`, { body: { issue: { ...first, status: 'STATUS_RESOLVED' } } })
    service.on(`GET /v1/issues/${first.id}`, { body: { issue: { ...first, status: 'STATUS_RESOLVED' } } })
    await user.click(screen.getByRole('button', { name: 'Resolve' }))
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(changes()).toHaveLength(2))
    expect(changes()).toEqual([
      ['PUT', status, { status: 'STATUS_RESOLVED' }],
      ['PUT', status, { status: 'STATUS_OPEN' }],
    ])
    expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, true, true, true])
  })

  it('does not undo a change that someone else has followed up on', async () => {
    await showActions(first)
    const resolved = {
      ...first,
      status: 'STATUS_RESOLVED',
      history: [{ status: 'STATUS_RESOLVED', timestamp: day }],
    }
    const later = { status: 'STATUS_IGNORED', timestamp: day }
    service.on(`PUT ${status}`, { body: { issue: resolved } })
    service.on(`GET /v1/issues/${first.id}`, {
      body: { issue: { ...resolved, history: [...resolved.history, later] } },
    })
    await user.click(screen.getByRole('button', { name: 'Resolve' }))
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(openToasts().map(({ title }) => title)).toContain('Not undone'))
    expect(changes()).toEqual([['PUT', status, { status: 'STATUS_RESOLVED' }]])
  })

  it('restores the ignore terms when reopening is undone', async () => {
    const terms = {
      reason: 'REASON_ACCEPTED_RISK',
      comment: 'until the move',
      actor: 'Nora',
      untilTime: '2027-02-20T08:00:00Z',
    } as const
    const open = { ...first, status: 'STATUS_OPEN' }
    await showActions(testIssue(1, { status: 'STATUS_IGNORED', ignored: terms }))
    service.on(`PUT ${status}`, { body: { issue: open } })
    service.on(`GET /v1/issues/${first.id}`, { body: { issue: open } })
    await user.click(screen.getByRole('button', { name: 'Reopen' }))
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(changes()).toHaveLength(2))
    const { reason, comment, untilTime } = terms
    const again = { status: 'STATUS_IGNORED', reason, comment, ignoreUntilTime: untilTime }
    expect(changes()[1]).toEqual(['PUT', status, again])
  })

  it('asks for a reason and an end when ignoring', async () => {
    await showActions(first)
    service.on(`PUT ${status}`, { body: { issue: { ...first, status: 'STATUS_IGNORED' } } })
    await user.keyboard('i')
    const dialog = within(await screen.findByRole('dialog', { name: 'Ignore “Risk 1”' }))
    const until = dialog.getByRole('combobox', { name: 'Duration' })
    expect(within(until).queryByRole('option', { name: 'No end date' })).toBeNull()
    await user.click(dialog.getByRole('radio', { name: /False positive/ }))
    await user.selectOptions(until, 'No end date')
    await user.type(dialog.getByRole('textbox', { name: 'Comment' }), 'a honeypot')
    await user.click(dialog.getByRole('button', { name: 'Ignore' }))
    await waitFor(() => expect(changes()).toHaveLength(1))
    expect(changes()).toEqual([
      ['PUT', status, { status: 'STATUS_IGNORED', reason: 'REASON_FALSE_POSITIVE', comment: 'a honeypot' }],
    ])
  })

  it('limits ignoring a critical risk to a year', async () => {
    await showActions(first)
    service.on(`PUT ${status}`, { body: { issue: { ...first, status: 'STATUS_IGNORED' } } })
    await user.click(screen.getByRole('button', { name: 'Ignore' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('radio', { name: /Accepted risk/ }))
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Duration' }), '1 year')
    await user.click(dialog.getByRole('button', { name: 'Ignore' }))
    await waitFor(() => expect(changes()).toHaveLength(1))
    const body = service.seen.find(({ method }) => method === 'PUT')?.body as { ignoreUntilTime: string }
    const days = (Date.parse(body.ignoreUntilTime) - Date.now()) / 86_400_000
    expect([days > 364.9, days <= 365]).toEqual([true, true])
  })

  it('can be retested', async () => {
    await showActions(first)
    await user.keyboard('t')
    await waitFor(() => expect(changes()).toEqual([['POST', `/v1/issues/${first.id}/retest`, {}]]))
  })
})

describe('a selection', () => {
  it('changes status with one call, lists skipped risks, and keeps them selected', async () => {
    await showList()
    const skipped = [{ id: risks[1]?.id, name: 'Risk 2', code: 10, message: 'It is resolved already' }]
    const before = [{ status: 'STATUS_OPEN', ids: [first.id] }]
    service.on(`POST ${batch}`, batchAnswer({ updatedCount: 1, skipped, skippedCount: 1, before }))
    await pickRow('Risk 1')
    await pickRow('Risk 2')
    expect(screen.getByText('2 selected')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Resolve' }))
    const dialog = within(await screen.findByRole('dialog', { name: '1 risk was skipped' }))
    expect(dialog.getByText('It is resolved already')).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Done' }))
    expect(changes()).toEqual([['POST', batch, { ids: [first.id, risks[1]?.id], status: 'STATUS_RESOLVED' }]])
    expect(await screen.findByText('1 selected')).toBeTruthy()
    expect(openToasts().map(({ message, actions }) => [message, actions?.map(({ label }) => label)])).toEqual([
      ['Resolved 1 risk.', ['Undo']],
    ])
  })

  it('restores each previous status on undo, and reports risks that changed in the meantime', async () => {
    await showList()
    const terms = { reason: 'REASON_MITIGATED', comment: 'behind a proxy' }
    const before = [
      { status: 'STATUS_REGRESSION', ids: [first.id] },
      { status: 'STATUS_IGNORED', ...terms, ids: [risks[1]?.id] },
    ]
    service.on(`POST ${batch}`, batchAnswer({ updatedCount: 2, before, decideTime: day }))
    await pickRow('Risk 1')
    await pickRow('Risk 2')
    await user.click(screen.getByRole('button', { name: 'Resolve' }))
    await waitFor(() => expect(openToasts()).toHaveLength(1))
    const skipped = [{ id: risks[1]?.id, name: 'Risk 2', code: 10, message: 'It has changed since then' }]
    service.on(`POST ${batch}`, ({ body }) =>
      batchAnswer(JSON.stringify(body).includes(first.id) ? { updatedCount: 1 } : { skipped, skippedCount: 1 }),
    )
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() =>
      expect(openToasts().map(({ message }) => message)).toContain(
        'Undo skipped 1 of 2 risks because of changes in the meantime.',
      ),
    )
    expect(changes().slice(1)).toEqual([
      ['POST', batch, { ids: [first.id], status: 'STATUS_OPEN', unchangedSinceTime: day }],
      ['POST', batch, { ids: [risks[1]?.id], status: 'STATUS_IGNORED', ...terms, unchangedSinceTime: day }],
    ])
  })

  it('returns the focus to the row when the preview is closed', async () => {
    await showList()
    await user.keyboard('jx')
    expect(await screen.findByText('1 selected')).toBeTruthy()
    const link = screen.getByRole('link', { name: /Risk 1/ })
    expect(document.activeElement).toBe(link)
    await user.keyboard(' ')
    await screen.findByRole('dialog', { name: 'Risk 1' })
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(link))
  })

  it('can include all matching risks, by filter', async () => {
    await showList()
    service.on(`POST ${batch}`, batchAnswer({ updatedCount: 80 }))
    await pickRow('Risk 1')
    await user.click(screen.getByRole('button', { name: 'Select all 80 matching' }))
    await user.click(screen.getByRole('button', { name: 'Resolve' }))
    await waitFor(() => expect(changes()).toHaveLength(1))
    const filter = { verification: 'VERIFICATION_FILTER_VERIFIED', status: ['STATUS_FILTER_OPEN'] }
    expect(changes()).toEqual([['POST', batch, { filter, status: 'STATUS_RESOLVED' }]])
  })

  it('updates optimistically and rolls back on failure', async () => {
    await showList()
    const { promise, resolve } = Promise.withResolvers<void>()
    service.on(`POST ${batch}`, { status: 409, body: { code: 10, message: 'someone was quicker' }, after: promise })
    await pickRow('Risk 1')
    await pickRow('Risk 3')
    await user.keyboard('r')
    await waitFor(() => expect(rowOf(/Risk 3/).getByText('Resolved')).toBeTruthy())
    expect(rowOf(/Risk 2/).getByText('Open')).toBeTruthy()
    resolve()
    await waitFor(() => expect(rowOf(/Risk 3/).getByText('Open')).toBeTruthy())
    expect(openToasts().map(({ title }) => title)).toEqual(['API failure'])
  })
})

describe('a single host', () => {
  it('changes status without affecting other hosts', async () => {
    const [host] = first.affectedHosts
    const path = `/v1/issues/${first.id}/affected-hosts/${host?.host.id}/status`
    service.on(`PUT ${path}`, { body: { issue: first } })
    client = showPage(<AffectedHostTable issue={first} />)
    await user.click(await screen.findByRole('button', { name: 'Actions for 127.0.0.1' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Resolve on this host' }))
    await waitFor(() => expect(changes()).toEqual([['PUT', path, { status: 'STATUS_RESOLVED' }]]))
    expect((await screen.findAllByText('Resolved on 127.0.0.1.')).length).toBe(1)
  })

  it('shows all evidence, with each request as a curl command', async () => {
    const [host] = first.affectedHosts
    const item = {
      location: '80/',
      port: 80,
      method: 'a-check',
      quality: 99,
      text: 'ok',
      highlights: [],
      time: day,
      hostId: host?.host.id,
      status: 'STATUS_OPEN',
    }
    const request = 'GET /x HTTP/1.1\nHost: 127.0.0.1\n\n'
    service.on(`GET /v1/issues/${first.id}/evidence`, {
      body: { evidence: [{ ...item, request }], nextPageToken: '' },
    })
    client = showPage(<AffectedHostTable issue={first} />)
    await user.click(await screen.findByRole('button', { name: 'Actions for 127.0.0.1' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Evidence' }))
    const panel = within(await screen.findByRole('dialog', { name: 'Evidence' }))
    expect(await panel.findByText("curl -sik --path-as-is 'http://127.0.0.1/x'")).toBeTruthy()
  })
})

describe('comments and history', () => {
  it('merges changes and comments into one timeline, newest first', () => {
    const comments = [{ id: 'c', text: 'hm', actor: 'Nora', createTime: '2026-11-02T00:00:00Z' }]
    const history = ['2026-11-01T00:00:00Z', '2026-11-03T00:00:00Z'].map((timestamp) => ({
      status: 'STATUS_OPEN' as const,
      timestamp,
    }))
    expect(timelineEntries(history, comments).map(({ kind }) => kind)).toEqual(['change', 'comment', 'change'])
  })

  it('sends a comment and clears the field', async () => {
    service.on(`POST /v1/issues/${first.id}/comments`, {
      body: { comment: { id: first.id, text: 'seen', actor: 'Nora', createTime: day } },
    })
    client = showPage(<Discussion issue={first} field={{ current: null }} />)
    const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Comment' })
    await user.type(field, 'seen')
    await user.click(screen.getByRole('button', { name: 'Add comment' }))
    await waitFor(() => expect(field.value).toBe(''))
    expect(changes()).toEqual([['POST', `/v1/issues/${first.id}/comments`, { text: 'seen' }]])
  })
})

it('saves filters and sort order as a view', async () => {
  const view = {
    id: first.id,
    name: 'Weekly',
    page: '/risks/verified',
    query: 'kev=true',
    shared: false,
    createTime: day,
    updateTime: day,
  }
  service.on('POST /v1/views', { body: { view } })
  client = showPage(<ViewButton path="/risks/verified" search={{ kev: true, epss: 10, after: ['t'], size: 50 }} />)
  await user.click(await screen.findByRole('button', { name: 'Save view' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Save view' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Weekly{Enter}')
  await waitFor(() => expect(changes()).toHaveLength(1))
  const { name, page } = view
  expect(changes()).toEqual([['POST', '/v1/views', { view: { name, page, query: 'epss=10&kev=true', shared: false } }]])
})

it('saves a view for everyone, and shares a private one', async () => {
  const times = { createTime: day, updateTime: day }
  const view = { id: first.id, name: 'Worst', page: '/risks/verified', query: 'kev=true', shared: false, ...times }
  service.on('GET /v1/views', { body: { views: [view] } })
  service.on('POST /v1/views', { body: { view } })
  service.on(`PATCH /v1/views/${view.id}`, { body: { view: { ...view, shared: true } } })
  client = showPage(
    <>
      <ViewButton path="/risks/verified" search={{ epss: 10 }} />
      <ViewButton path="/risks/verified" search={{ kev: true }} />
    </>,
  )
  await user.click(await screen.findByRole('button', { name: 'Share view' }))
  await user.click(screen.getByRole('button', { name: 'Save view' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Save view' }))
  await user.click(dialog.getByRole('button', { name: 'Save view' }))
  await dialog.findByText('Required')
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Likely')
  await user.click(dialog.getByRole('radio', { name: 'Everyone in the workspace' }))
  await user.click(dialog.getByRole('button', { name: 'Save view' }))
  await waitFor(() => expect(changes()).toHaveLength(2))
  expect(changes().map(([, , body]) => body)).toEqual([
    { view: { shared: true }, updateMask: { paths: ['shared'] } },
    { view: { name: 'Likely', page: '/risks/verified', query: 'epss=10', shared: true } },
  ])
})
