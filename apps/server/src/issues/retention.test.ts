import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteExpiredIssueData, setIssueStatus } from '#issues/index.ts'
import { removedEvidenceText } from '#issues/retention.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())

const day = (number: number) => new Date(Date.UTC(2025, 0, number))

it('deletes old history except last statuses, and evidence of issues resolved long ago', async () => {
  const account = await house.account()
  const { issueIds } = await seedIssues(house, account, { issues: 2, hosts: 1, at: day(1) })
  const [resolved = '', open = ''] = issueIds
  const decide = (id: string, status: 'STATUS_RESOLVED' | 'STATUS_OPEN', at: Date) =>
    house.as(account, (ctx) => setIssueStatus(ctx, { id, status }, describeTargets), { now: at, actor: person })
  await decide(resolved, 'STATUS_RESOLVED', day(2))
  await decide(open, 'STATUS_RESOLVED', day(2))
  await decide(open, 'STATUS_OPEN', day(3))
  const before = { history: day(300), evidence: day(300) }
  await deleteExpiredIssueData(house.database, before)
  await deleteExpiredIssueData(house.database, before)
  const events = await house.database.owner
    .selectFrom('issue_event')
    .select(['issue_id', 'host_id', 'status'])
    .where('account_id', '=', account)
    .execute()
  const standing = (id: string) => events.filter((one) => one.issue_id === id).map((one) => one.status)
  expect(standing(resolved)).toEqual(['STATUS_RESOLVED', 'STATUS_RESOLVED'])
  expect(standing(open)).toEqual(['STATUS_OPEN', 'STATUS_OPEN'])
  const evidence = await house.database.owner
    .selectFrom('occurrence')
    .select(['issue_id', 'evidence'])
    .where('account_id', '=', account)
    .execute()
  const text = (id: string) => evidence.find((one) => one.issue_id === id)?.evidence.text
  expect([text(resolved), text(open)]).toEqual([removedEvidenceText, 'proof'])
})
