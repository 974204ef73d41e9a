/** Checks that read the database: its server, migrations, clock, feeds, and agents. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '#database/tables.ts'
import { migrationState } from '#database/migrate.ts'
import { packStatus } from '#packs/index.ts'
import { error, ok, type Result, warning } from './result.ts'

const serverVersionMin = 160_000
const clockSkewMsMax = 5000
const feedAgeMsMax = 3 * 86_400_000

/** @param isExternal whether DATABASE_URL is set */
export async function checkServer(owner: Kysely<Tables>, isExternal: boolean): Promise<Result> {
  const { rows } = await sql<{ number: number; version: string; bytes: number }>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as bytes`.execute(owner)
  const { number = 0, version = '', bytes = 0 } = rows[0] ?? {}
  const size = `${(bytes / 1e6).toFixed(0)} MB`
  if (number < serverVersionMin)
    return error('database', `PostgreSQL ${version} is too old; Glacis needs version 16 or later.`)
  return ok('database', `${isExternal ? 'external' : 'embedded'} PostgreSQL ${version}, ${size}`)
}

export async function checkMigrations(owner: Kysely<Tables>): Promise<Result> {
  const { pending, unknown } = await migrationState(owner)
  if (unknown.length > 0)
    return error('schema', 'The database was last used by a newer release. Start that release, or restore a backup.')
  if (pending.length > 0)
    return warning(
      'schema',
      `The next start migrates the database (${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'}). Run "npx glacis backup" first.`,
    )
  return ok('schema', 'up to date with this release')
}

/** Sessions, leases, and schedules compare times of this machine with times of the database. */
export async function checkClock(owner: Kysely<Tables>): Promise<Result> {
  const before = Date.now()
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(owner)
  const halfway = (before + Date.now()) / 2
  const skewMs = Math.abs((rows[0]?.now.getTime() ?? halfway) - halfway)
  if (skewMs <= clockSkewMsMax) return ok('clock', 'in sync with the database')
  const seconds = Math.round(skewMs / 1000)
  return error(
    'clock',
    `The clocks of this machine and the database differ by ${seconds} seconds. Synchronize both with NTP.`,
  )
}

export async function checkFeeds(owner: Kysely<Tables>, isDownloading: boolean): Promise<Result[]> {
  const packs = await packStatus(owner)
  const failed = packs.filter(({ problem }) => problem !== '')
  if (failed.length > 0) return failedFeeds(failed)
  const downloaded = packs.filter(({ state }) => state === 'STATE_READY')
  const newest = Math.max(...downloaded.map(({ updateTime }) => Date.parse(updateTime ?? '')).filter(Number.isFinite))
  if (!isDownloading)
    return [warning('feeds', 'Downloads are off. Set GLACIS_FEEDS=on, or import files with "npx glacis packs import".')]
  if (newest < Date.now() - feedAgeMsMax)
    return [
      warning('feeds', 'No feed has been updated in three days. Check that this machine can reach the publishers.'),
    ]
  return [ok('feeds', downloaded.length === 1 ? '1 feed is current' : `${downloaded.length} feeds are current`)]
}

/** Without internet access, every feed fails for the same reason. */
function failedFeeds(failed: readonly { name: string; problem: string }[]): Result[] {
  const unreachable = failed.filter(({ problem }) => problem.includes('is unreachable'))
  if (unreachable.length < 2) return failed.map(({ name, problem }) => warning('feeds', `${name}: ${problem}`))
  const names = unreachable.map(({ name }) => name).join(', ')
  const advice = 'Check the network connection, or import them with "npx glacis packs import" and set GLACIS_FEEDS=off.'
  return [
    warning('feeds', `The sources of ${unreachable.length} feeds are unreachable: ${names}. ${advice}`),
    ...failedFeeds(failed.filter((feed) => !unreachable.includes(feed))),
  ]
}

export async function checkAgents(owner: Kysely<Tables>): Promise<Result> {
  const { rows } = await sql<{ connected: number; unused: number; lost: string[] }>`
    select count(*) filter (where connection_id is not null)::int as connected,
      count(*) filter (where connection_id is null and last_seen_at is null)::int as unused,
      coalesce(array_agg(name order by name) filter (where connection_id is null and last_seen_at is not null), '{}')
        as lost
    from agent`.execute(owner)
  const { connected = 0, unused = 0, lost = [] } = rows[0] ?? {}
  if (lost.length === 0) {
    const counts = [connected > 0 && `${connected} connected`, unused > 0 && `${unused} never connected`]
    return ok('agents', counts.filter((count) => count !== false).join(', ') || 'none')
  }
  return warning(
    'agents',
    `Disconnected: ${lost.join(', ')}. Check that their machines are running and can reach GLACIS_URL.`,
  )
}
