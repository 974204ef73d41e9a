/** An account with three issues on two hosts, and two people who decide. */
import type { Issue } from '@glacis/contract/issue'
import { getIssue, setIssueStatus, setStatusOfMany } from '#issues/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { describeTargets, type Seeded, seedIssues } from '#testing/issues.ts'

export const now = new Date('2026-11-20T08:00:00Z')
export const later = (days: number) => new Date(now.getTime() + days * 86_400_000)
export const nora = { now, actor: person }
export const omar = { now: later(0.001), actor: { ...person, name: 'Omar Frei' } }
export const ignored = 'STATUS_IGNORED' as const

export interface IssueFixture {
  readonly house: House
  readonly account: string
  readonly seeded: Seeded
  /** The id of an issue. */
  first(): string
  decide(input: Parameters<typeof setIssueStatus>[1], at?: typeof nora): Promise<Issue>
  read(id: string): Promise<Issue>
  batch(input: Parameters<typeof setStatusOfMany>[1], at?: typeof nora): ReturnType<typeof setStatusOfMany>
  /** Goes on with another account, in which nobody has decided anything. */
  renew(): Promise<void>
  close(): Promise<void>
}

export async function createIssueFixture(): Promise<IssueFixture> {
  const house = await openHouse()
  let account = ''
  let seeded: Seeded = { targetId: '', hostIds: [], issueIds: [], lowIds: [] }
  return {
    house,
    get account() {
      return account
    },
    get seeded() {
      return seeded
    },
    first: () => seeded.issueIds[0] ?? '',
    decide: (input, at = nora) =>
      house.as(account, async (ctx) => (await setIssueStatus(ctx, input, describeTargets)).issue, at),
    read: (id) => house.as(account, async (ctx) => (await getIssue(ctx, { id }, describeTargets)).issue),
    batch: (input, at = nora) => house.as(account, (ctx) => setStatusOfMany(ctx, input), at),
    async renew() {
      account = await house.account()
      seeded = await seedIssues(house, account, { issues: 3, hosts: 2, at: later(-10) })
    },
    close: () => house.close(),
  }
}

/** The history of an issue, a line each. */
export const historyLines = ({ history }: Pick<Issue, 'history'>) =>
  history.map(({ status, actor, reason = '' }) => `${status} ${actor} ${reason}`.trim())
