import { screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { AuditLog } from '#workspaces/audit-log.tsx'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const event = {
  id,
  time: '2026-11-01T08:00:00Z',
  actor: { kind: 'user', name: 'Nora Ammann', id },
  ip: '192.0.2.1',
  userAgent: 'Mozilla/5.0',
  action: 'api-token.create',
  resource: { kind: 'api-token', id },
  detail: {
    name: 'pipeline',
    reason: '',
    scopes: ['SCOPE_READ', 'SCOPE_WRITE'],
    networks: [],
    userAgent: 'Mozilla/5.0',
  },
}
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
})
afterEach(() => page.close())

it('shows what was changed, without empty values and the browser', async () => {
  page.service.on('GET /v1/members', { body: { members: [] } })
  page.service.on('GET /v1/audit-events', { body: { events: [event], nextPageToken: '' } })
  page.show(<AuditLog />)
  expect(await screen.findByText('name: pipeline, scopes: read and write')).toBeTruthy()
})
