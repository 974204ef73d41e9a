/** Test fixture: a workspace with three issues on two hosts, and two users. */
import type { Issue } from '@glacis/contract/issue'
import { getIssue, setIssueStatus, setStatusOfMany } from '#issues/index.ts'
import { type TestServer, startTestServer, person } from '#testing/test-server.ts'
import { describeTargets, type Seeded, seedIssues } from '#testing/issues.ts'

export const now = new Date('2026-11-20T08:00:00Z')
export const later = (days: number) => new Date(now.getTime() + days * 86_400_000)
export const nora = { now, actor: person }
export const omar = { now: later(0.001), actor: { ...person, name: 'Omar Frei' } }
export const ignored = 'STATUS_IGNORED' as const

export interface IssueFixture {
  readonly server: TestServer
  readonly workspace: string
  readonly seeded: Seeded
  /** The ID of the first issue. */
  first(): string
  decide(input: Parameters<typeof setIssueStatus>[1], at?: typeof nora): Promise<Issue>
  read(id: string): Promise<Issue>
  batch(input: Parameters<typeof setStatusOfMany>[1], at?: typeof nora): ReturnType<typeof setStatusOfMany>
  /** Switches to a new workspace without decisions. */
  renew(): Promise<void>
  close(): Promise<void>
}

export async function createIssueFixture(): Promise<IssueFixture> {
  const server = await startTestServer()
  let workspace = ''
  let seeded: Seeded = { targetId: '', hostIds: [], issueIds: [], lowIds: [] }
  return {
    server,
    get workspace() {
      return workspace
    },
    get seeded() {
      return seeded
    },
    first: () => seeded.issueIds[0] ?? '',
    decide: (input, at = nora) =>
      server.as(workspace, async (ctx) => (await setIssueStatus(ctx, input, describeTargets)).issue, at),
    read: (id) => server.as(workspace, async (ctx) => (await getIssue(ctx, { id }, describeTargets)).issue),
    batch: (input, at = nora) => server.as(workspace, (ctx) => setStatusOfMany(ctx, input), at),
    async renew() {
      workspace = await server.createWorkspace()
      seeded = await seedIssues(server, workspace, { issues: 3, hosts: 2, at: later(-10) })
    },
    close: () => server.close(),
  }
}

/** The history of an issue, one line per entry. */
export const historyLines = ({ history }: Pick<Issue, 'history'>) =>
  history.map(({ status, actor, reason = '' }) => `${status} ${actor} ${reason}`.trim())
