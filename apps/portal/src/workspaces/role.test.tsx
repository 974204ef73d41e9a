/** The role of the signed-in user, as the workspace reports it. */
import { act } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setRole } from '#lib/role.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { shownToasts } from '#lib/testing/toasts.ts'
import { current } from '#workspaces/queries.ts'

let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
})
afterEach(async () => {
  act(() => setRole(undefined))
  await page.close()
})

async function load(role: string): Promise<void> {
  const workspace = {
    id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
    name: 'Aarewerk',
    timeZone: 'UTC',
    retention: { historyDays: null, evidenceDays: null, auditDays: null },
    signInNetworks: [],
    createTime: '2026-11-01T08:00:00Z',
    role,
  }
  page.service.on('GET /v1/workspace', { body: { workspace } })
  await act(() => page.client.fetchQuery({ ...current(), staleTime: 0 }))
}

it('reports a changed role, but not the initial one', async () => {
  await load('analyst')
  await load('analyst')
  expect(shownToasts()).toEqual([])
  await load('viewer')
  expect(shownToasts()).toMatchObject([{ kind: 'info', message: 'Your role in Aarewerk is now Viewer.' }])
})
