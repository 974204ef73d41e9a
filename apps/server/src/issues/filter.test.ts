import type { IssueFilter } from '@glacis/contract/issue'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listIssues } from '#issues/index.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'

const statuses = ['STATUS_OPEN', 'STATUS_REGRESSION', 'STATUS_RESOLVED', 'STATUS_IGNORED'] as const
let server: TestServer
let workspace: string

beforeAll(async () => {
  server = await startTestServer()
  workspace = await server.createWorkspace()
  const at = new Date('2026-11-10T08:00:00Z')
  const { issueIds } = await seedIssues(server, workspace, { issues: statuses.length, hosts: 1, at })
  for (const [index, status] of statuses.entries()) {
    await server.database.owner
      .updateTable('issue')
      .set({ status, verification: index < 2 ? 'VERIFICATION_VERIFIED' : 'VERIFICATION_UNVERIFIED' })
      .where('id', '=', issueIds[index] ?? '')
      .execute()
  }
})
afterAll(() => server.close())

it.each<[string, IssueFilter, readonly string[]]>([
  ['open, including regressions', { status: ['STATUS_FILTER_OPEN'] }, ['STATUS_OPEN', 'STATUS_REGRESSION']],
  ['resolved', { status: ['STATUS_FILTER_RESOLVED'] }, ['STATUS_RESOLVED']],
  ['ignored', { status: ['STATUS_FILTER_IGNORED'] }, ['STATUS_IGNORED']],
  ['several', { status: ['STATUS_FILTER_RESOLVED', 'STATUS_FILTER_IGNORED'] }, ['STATUS_RESOLVED', 'STATUS_IGNORED']],
  ['all', { status: ['STATUS_FILTER_ALL'] }, statuses],
  ['nothing', {}, statuses],
  ['verified', { verification: 'VERIFICATION_FILTER_VERIFIED' }, ['STATUS_OPEN', 'STATUS_REGRESSION']],
  ['unverified', { verification: 'VERIFICATION_FILTER_UNVERIFIED' }, ['STATUS_RESOLVED', 'STATUS_IGNORED']],
  ['both', { verification: 'VERIFICATION_FILTER_ALL' }, statuses],
  ['either', { verification: 'VERIFICATION_FILTER_UNSPECIFIED' }, statuses],
])('a list filtered by %s', async (_, filter, expected) => {
  const { issues } = await server.as(workspace, (ctx) => listIssues(ctx, { filter }, describeTargets))
  expect(issues.map(({ status }) => status).toSorted()).toEqual([...expected].toSorted())
})
