import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { issuesBySeverity, issuesByStatus } from '@glacis/contract/insights'
import type { Issue } from '@glacis/contract/issue'
import { MutationObserver, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keyOf } from '#api/query.ts'
import { BulkBar } from '#issues/bulk-bar.tsx'
import { one, setStatus } from '#issues/queries.ts'
import { providePortalConfig } from '#lib/portal-config.ts'

const day = '2026-11-20T00:00:00Z'
const ids = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`)
const refused = ids[1] ?? ''
const issues = ids.map((id): Issue => ({
  id,
  name: `Issue ${id}`,
  status: 'STATUS_OPEN',
  affectedHosts: [],
  history: [],
  firstSeenTime: day,
  lastSeenTime: day,
  threat: {
    id,
    name: '',
    summary: '',
    impact: '',
    affected: '',
    insight: '',
    severity: { cvss: '', score: 0, category: 'CATEGORY_NONE' },
    references: [],
  },
}))

const puts: string[] = []
let close: () => Promise<void>

beforeEach(async () => {
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  close = () => new Promise((done) => server.close(() => done()))
  providePortalConfig({
    apiUrl: `http://127.0.0.1:${port}`,
    portalUrl: '',
    identityUrl: '',
    apiDocsUrl: '',
    releaseNotesUrl: '',
    licenceUrl: '',
    helpUrl: '',
    supportEmail: '',
    botChallengeSiteKey: '',
    version: '0.1.0',
    billing: true,
  })
})
afterEach(async () => {
  cleanup()
  puts.length = 0
  await close()
})

/** Refuses the second issue, resolves the others. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', String(request.headers.origin ?? '*'))
  response.setHeader('access-control-allow-credentials', 'true')
  response.setHeader('access-control-allow-headers', 'content-type')
  response.setHeader('access-control-allow-methods', 'GET,PUT')
  response.setHeader('content-type', 'application/json')
  response.setHeader('connection', 'close')
  const id = request.url?.split('/')[3] ?? ''
  if (request.method !== 'PUT') return void response.end('{}')
  puts.push(id)
  if (id === refused) return void response.writeHead(409).end('{"code":9,"message":"someone was quicker"}')
  const issue = issues.find((one) => one.id === id)
  response.end(JSON.stringify({ issue: { ...issue, status: 'STATUS_RESOLVED' } }))
}

it('a change refreshes the issue, the ecosystem and both statistics', async () => {
  const client = new QueryClient()
  const [first = ''] = ids
  const keys = [one(first).queryKey, ['/v1/ecosystem'], keyOf(issuesBySeverity, {}), keyOf(issuesByStatus, {})]
  for (const key of keys) client.setQueryData(key, {})
  await new MutationObserver(client, setStatus(client)).mutate({ id: first, status: 'STATUS_RESOLVED' })
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, true, true, true])
  expect(client.getQueryData(one(first).queryKey)?.issue.status).toBe('STATUS_RESOLVED')
})

it('a selection is changed by one PUT each, in order, and keeps what failed', async () => {
  const onKeep = vi.fn()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <BulkBar issues={issues} onKeep={onKeep} />
    </QueryClientProvider>,
  )
  expect(screen.getByText('3 selected')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Resolve' }))
  await screen.findByText(/^[0-3] of 3$/)
  await waitFor(() => expect(onKeep).toHaveBeenCalledWith([refused]))
  expect(puts).toEqual(ids)
})
