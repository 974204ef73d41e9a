import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { scheduleBackups, storedBackups } from '#backups/schedule.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
const { signal } = new AbortController()
let folder: string
beforeEach(async () => {
  vi.clearAllMocks()
  folder = await mkdtemp(join(tmpdir(), 'glacis-backups-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const scheduled = (databaseUrl = server.url) =>
  scheduleBackups(
    { folder, periodMs: 3_600_000, keep: 2, recipients: [] },
    { databaseUrl, packs: join(folder, 'none') },
    log,
  )
const place = (hoursAgo: number) => {
  const time = new Date(Date.now() - hoursAgo * 3_600_000).toISOString().slice(0, 19).replaceAll(':', '-')
  return writeFile(join(folder, `glacis-${time}Z.backup`), '')
}

it('writes a backup when the newest is older than the period, and keeps the newest ones', async () => {
  await Promise.all([place(2), place(3), place(4)])
  await writeFile(join(folder, 'glacis-2026-01-01T00-00-00Z.backup.partial'), 'cut')
  await writeFile(join(folder, 'notes.txt'), 'not ours')
  const backups = scheduled()
  expect(await backups.isDue()).toBe(true)
  await backups.run(signal)
  expect(await backups.isDue()).toBe(false)
  const [newest, ...older] = await storedBackups(folder)
  expect(older).toHaveLength(1)
  expect(Date.now() - (newest?.time.getTime() ?? 0)).toBeLessThan(60_000)
  expect(await readdir(folder)).toHaveLength(3)
  expect(await readdir(folder)).toContain('notes.txt')
})

it('does nothing before the period has passed', async () => {
  await place(0.5)
  await scheduled().run(signal)
  expect(await readdir(folder)).toHaveLength(1)
})

it('ignores backups of a clock that has been set back since', async () => {
  await Promise.all([place(-48), place(-49), place(2)])
  const backups = scheduled()
  expect(await backups.isDue()).toBe(true)
  await backups.run(signal)
  expect(await storedBackups(folder)).toHaveLength(4)
  expect(await backups.isDue()).toBe(false)
})

it('reports a failure, keeps the earlier backups, and waits before the next attempt', async () => {
  await Promise.all([place(2), place(3), place(4)])
  const backups = scheduled('postgresql://nobody@127.0.0.1:1/none')
  await backups.run(signal)
  expect(log.error).toHaveBeenCalledWith(expect.objectContaining({ folder }), 'backup failed')
  expect(await storedBackups(folder)).toHaveLength(3)
  expect(await backups.isDue()).toBe(false)
})

it('leaves no file and no connection when the server stops while a backup waits for the database', async () => {
  const stopping = new AbortController()
  const waitingConnections = async () => {
    const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock'`.execute(
      server.database.owner,
    )
    return rows.length
  }
  await server.database.owner.transaction().execute(async (tx) => {
    await sql`lock table workspace in access exclusive mode`.execute(tx)
    const running = scheduled().run(stopping.signal)
    await vi.waitUntil(async () => (await waitingConnections()) > 0)
    stopping.abort()
    await running
    expect(await readdir(folder)).toEqual([])
  })
  await vi.waitUntil(async () => (await waitingConnections()) === 0)
  expect(log.error).not.toHaveBeenCalled()
})
