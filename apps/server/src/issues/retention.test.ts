import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteExpiredIssueData, setIssueStatus } from '#issues/index.ts'
import { removedEvidenceText } from '#issues/retention.ts'
import { type TestServer, startTestServer, person } from '#testing/test-server.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const day = (number: number) => new Date(Date.UTC(2025, 0, number))

it('deletes old history except last statuses, and evidence of issues resolved long ago', async () => {
  const workspace = await server.createWorkspace()
  const { issueIds } = await seedIssues(server, workspace, { issues: 2, hosts: 1, at: day(1) })
  const [resolved = '', open = ''] = issueIds
  const decide = (id: string, status: 'STATUS_RESOLVED' | 'STATUS_OPEN', at: Date) =>
    server.as(workspace, (ctx) => setIssueStatus(ctx, { id, status }, describeTargets), { now: at, actor: person })
  await decide(resolved, 'STATUS_RESOLVED', day(2))
  await decide(open, 'STATUS_RESOLVED', day(2))
  await decide(open, 'STATUS_OPEN', day(3))
  const before = { history: day(300), evidence: day(300) }
  await deleteExpiredIssueData(server.database, before)
  await deleteExpiredIssueData(server.database, before)
  const events = await server.database.owner
    .selectFrom('issue_event')
    .select(['issue_id', 'host_id', 'status'])
    .where('account_id', '=', workspace)
    .execute()
  const statusesOf = (id: string) => events.filter((item) => item.issue_id === id).map((item) => item.status)
  expect(statusesOf(resolved)).toEqual(['STATUS_RESOLVED', 'STATUS_RESOLVED'])
  expect(statusesOf(open)).toEqual(['STATUS_OPEN', 'STATUS_OPEN'])
  const evidence = await server.database.owner
    .selectFrom('occurrence')
    .select(['issue_id', 'evidence'])
    .where('account_id', '=', workspace)
    .execute()
  const text = (id: string) => evidence.find((item) => item.issue_id === id)?.evidence.text
  expect([text(resolved), text(open)]).toEqual([removedEvidenceText, 'proof'])
})
