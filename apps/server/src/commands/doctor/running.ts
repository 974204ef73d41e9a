/** The checks of `glacis doctor` that a running server can make about itself, for administrators. */
import type { HealthCheck } from '@glacis/contract/installation'
import type { Config } from '#config.ts'
import type { Database } from '#database/index.ts'
import { checkAgents, checkClock, checkFeeds, checkMigrations, checkServer } from './database.ts'
import { checkBackups, checkDisk, checkMail, checkNode } from './machine.ts'
import type { Result } from './result.ts'

const levels = { ok: 'LEVEL_OK', warning: 'LEVEL_WARNING', error: 'LEVEL_ERROR' } as const

export async function checkRunning(config: Config, { owner }: Pick<Database, 'owner'>): Promise<HealthCheck[]> {
  const results: readonly (Result | readonly Result[])[] = await Promise.all([
    checkDisk(config.dataFolder),
    checkMail(config),
    // Only workers write them.
    ...(config.roles.includes('worker') ? [checkBackups(config)] : []),
    checkServer(owner, config.databaseUrl !== undefined),
    checkMigrations(owner),
    checkClock(owner),
    checkFeeds(owner, config.feeds !== null),
    checkAgents(owner),
  ])
  return [checkNode(), ...results.flat()].map(({ level, check, text }) => ({ name: check, level: levels[level], text }))
}
