import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScan } from '@glacis/contract/scan'
import { createTag, listTags } from '@glacis/contract/tag'
import { createTarget } from '@glacis/contract/target'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../e2e/ports.ts'
import { withClient } from '../faults/query.ts'
import { startProduct } from '../lab/product.ts'
import { hasEnded, scanWhen, visit, type Visitor } from '../lab/visitor.ts'
import { missingPrograms, type Pooler, type Server, startPooler, startServer } from '../scale/postgres.ts'

const person = { email: 'ida.roth@aarewerk.example', password: 'contour-line-4478', first: 'Ida', last: 'Roth' }
const scanMsMax = 60_000

/** PgBouncer in transaction mode, a streaming replica for reads, and its promotion. */
describe.skipIf(missingPrograms)(`with a pooler and a replica${missingPrograms ? `: ${missingPrograms}` : ''}`, () => {
  const resources = new AsyncDisposableStack()
  let [primary, replica]: Server[] = []
  let pooler: Pooler
  let visitor: Visitor
  let url: string
  let folder: string
  const pids: (number | undefined)[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'glacis-database-'))
    resources.defer(() => rm(folder, { recursive: true, force: true }))
    // The database's user has to reach its folders.
    await chmod(folder, 0o755)
    primary = await startServer(join(folder, 'primary'))
    const ended = primary
    resources.defer(() => ended.kill())
    replica = await startServer(join(folder, 'replica'), primary)
    const second = replica
    resources.defer(() => second.kill())
    pooler = await startPooler(join(folder, 'pooler'), primary)
    resources.defer(() => pooler.close())
    const port = await freePort()
    url = `http://localhost:${port}`
    for (const roles of ['worker', 'api,identity']) {
      const dataFolder = join(folder, roles)
      await mkdir(dataFolder)
      const settings = {
        DATABASE_URL: pooler.url,
        GLACIS_DIRECT_DATABASE_URL: pooler.sessionUrl,
        GLACIS_READ_DATABASE_URL: replica.url,
        GLACIS_ROLES: roles,
        GLACIS_URL: url,
        GLACIS_LOG_LEVEL: 'error',
        GLACIS_SCAN_NETWORKS: '127.0.0.0/8',
      }
      const ownPort = roles === 'worker' ? await freePort() : port
      const product = await startProduct({ port: ownPort, dataFolder, settings })
      resources.defer(() => product.stop())
      pids.push(product.process.pid)
    }
    visitor = visit(url)
    await visitor.signUp(person, join(folder, 'worker'))
  })
  afterAll(() => resources.disposeAsync())

  const tagNames = async (as = visitor) => (await as.call(listTags, {})).tags.map(({ name }) => name)
  const addTag = async (name: string) => (await visitor.call(createTag, { tag: { name, color: 1 } })).tag.id
  const scanOnce = async () => {
    const { scan } = await visitor.call(startScan, { targetId })
    return scanWhen(visitor, scan.id, hasEnded, scanMsMax)
  }
  let targetId: string

  it('scans, and sends events immediately, through a pooler in transaction mode', async () => {
    const { target } = await visitor.call(createTarget, {
      name: 'loopback',
      address: '127.62.43.1',
      ports: '80',
      schedule: { period: 'PERIOD_DAILY' },
      tags: [],
    })
    targetId = target.id
    const closing = new AbortController()
    const { body } = await fetch(`${url}/v1/events`, { headers: { cookie: visitor.cookie() }, signal: closing.signal })
    const startedAt = performance.now()
    const scanning = scanOnce()
    let text = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.includes('EVENT_SCAN_STARTED')) break
    }
    // Without notifications, the stream would poll every 20 seconds.
    expect(performance.now() - startedAt).toBeLessThan(8000)
    closing.abort()
    expect(await scanning).toMatchObject({ status: 'STATUS_COMPLETED' })
  })

  it('a session of the pooler keeps neither the role nor the workspace of a transaction', async () => {
    // All sessions of the pooler, after transactions of the application.
    const roles = await Promise.all(
      Array.from({ length: 8 }, () =>
        withClient(pooler.url, async (client) => {
          await client.query('begin')
          const { rows } = await client.query<{ who: string; account: string | null }>(
            "select current_user::text as who, current_setting('glacis.account', true) as account, pg_sleep(0.1)",
          )
          await client.query('commit')
          return rows[0]
        }),
      ),
    )
    for (const row of roles) expect([row?.who, row?.account || null]).toEqual(['glacis', null])
  })

  it('the replica serves lists, and a person sees their own changes immediately', async () => {
    const reads = async () =>
      withClient(replica?.url ?? '', async (client) => {
        await client.query('select pg_stat_force_next_flush()')
        const { rows } = await client.query<{ count: number }>(
          "select xact_commit::int as count from pg_stat_database where datname = 'glacis'",
        )
        return rows[0]?.count ?? 0
      })
    const other = visit(url)
    await other.signIn(person)
    await expect.poll(() => tagNames(other)).toEqual([])
    const before = await reads()
    for (let count = 0; count < 100; count++) await tagNames(other)
    await expect.poll(reads).toBeGreaterThan(before + 100)

    await replica?.query('select pg_wal_replay_pause()')
    await addTag('own change')
    expect(await tagNames()).toEqual(['own change'])
    // Others see it after five seconds at most, because a replica that is behind isn't used.
    expect(await tagNames(other)).toEqual([])
    await expect.poll(() => tagNames(other), { timeout: 8000 }).toEqual(['own change'])
    await replica?.query('select pg_wal_replay_resume()')
  })

  it('loses no acknowledged write when the replica takes over, and needs no restart', async () => {
    await primary?.query("alter system set synchronous_standby_names = '*'")
    await primary?.query('select pg_reload_conf()')
    await expect
      .poll(async () =>
        withClient(primary?.url ?? '', async (client) => {
          const { rows } = await client.query<{ state: string }>('select sync_state as state from pg_stat_replication')
          return rows[0]?.state
        }),
      )
      .toBe('sync')
    const acknowledged: string[] = []
    let [isStopping, failures] = [false, 0]
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let count = 0; !isStopping; count++) {
        await addTag(`t${writer} ${count}`).then(
          (id) => acknowledged.push(id),
          () => failures++,
        )
        await new Promise((done) => setTimeout(done, 20))
      }
    })
    const scanning = scanOnce().catch((error: unknown) => error)
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50)
    await primary?.kill()
    const atFailure = acknowledged.length
    await replica?.query('select pg_promote()')
    if (replica) await pooler.repoint(replica)
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(atFailure + 50)
    isStopping = true
    await Promise.all(writers)
    expect(failures).toBeGreaterThan(0)
    const missing = await withClient(replica?.url ?? '', async (client) => {
      const { rows } = await client.query(
        'select id from unnest($1::uuid[]) as id where id not in (select id from tag)',
        [acknowledged],
      )
      return rows
    })
    expect(missing).toEqual([])
    // The scan from before, or another one, completes in the same processes.
    await scanning
    await expect
      .poll(async () => (await scanOnce().catch(() => null))?.status, { timeout: scanMsMax })
      .toBe('STATUS_COMPLETED')
    for (const pid of pids) expect(() => process.kill(pid ?? 0, 0)).not.toThrow()
  })
})
