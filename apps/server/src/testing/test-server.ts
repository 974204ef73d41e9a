/** The server without HTTP, for tests: a migrated database, job queues, and workspaces. */
import { afterAll } from 'vitest'
import { type Actor, type Ctx, scanActor } from '#ctx.ts'
import { type Database, inWorkspace, newId, openDatabase } from '#database/index.ts'
import { createJobs, type Jobs } from '#jobs.ts'
import { type ThreatDraft, upsertThreats } from '#threats/index.ts'
import { testDatabase } from '#testing/database.ts'
import { migrateAll } from '#testing/migrate-all.ts'

export interface TestServer {
  readonly database: Database
  readonly jobs: Jobs
  readonly url: string
  /** Creates a workspace and returns its ID. */
  createWorkspace(): Promise<string>
  /** Runs `work` in a transaction of that workspace, optionally at a given time. */
  as<T>(workspace: string, work: (ctx: Ctx) => Promise<T>, at?: { now?: Date; actor?: Actor }): Promise<T>
  /** Adds threat records; missing fields get default values. */
  addThreats(...threats: Partial<ThreatDraft>[]): Promise<void>
  close(): Promise<void>
}

const silentLog = { info() {}, warn() {}, error() {} }
const nora = 'nora'
/** The owner of every workspace that `createWorkspace()` creates. */
export const person: Actor = { kind: 'person', name: 'Nora Ammann', ip: '127.0.0.1', id: nora, role: 'owner' }

/** Starts a server for all tests of a file and closes it after the last; call it at the top level. */
export async function sharedTestServer(): Promise<TestServer> {
  const server = await startTestServer()
  afterAll(() => server.close())
  return server
}

export async function startTestServer(): Promise<TestServer> {
  const template = process.env['TEST_TEMPLATE']
  const { url, drop } = await testDatabase(template)
  if (!template) await migrateAll(url)
  const database = openDatabase(url, silentLog, { app: 4, owner: 2 })
  const jobs = createJobs(url, silentLog, { supervise: false })
  await jobs.prepare(database.owner)
  return {
    database,
    jobs,
    url,
    async createWorkspace() {
      const id = newId()
      await database.owner.insertInto('workspace').values({ id, name: 'Test' }).execute()
      await database.owner
        .insertInto('member')
        .values({ account_id: id, identity_id: nora, role: 'owner', name: 'Test', email: `${id}@example.ch` })
        .execute()
      return id
    },
    as: (workspace, work, { now = new Date(), actor = scanActor } = {}) =>
      inWorkspace(database, { workspace, actor, log: silentLog, now }, work),
    async addThreats(...threats) {
      await upsertThreats(database.owner, threats.map(draft))
    },
    async close() {
      await jobs.close()
      await database.close()
      await drop()
    },
  }
}

function draft(part: Partial<ThreatDraft>): ThreatDraft {
  return {
    key: 'exposed-git-config',
    kind: 'check',
    name: 'Git repository exposed',
    summary: '',
    impact: '',
    affected: '',
    insight: '',
    severity: { cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', score: 7.5, category: 'CATEGORY_HIGH' },
    solution: { kind: 'KIND_MITIGATION', description: '' },
    references: [],
    knownExploitedAt: null,
    epss: null,
    record: null,
    products: [],
    source: part.kind === 'cve' ? 'nvd' : 'check',
    hasCriteria: Boolean(part.record),
    modifiedAt: null,
    publishedAt: null,
    effectiveAt: null,
    ...part,
  }
}
