/** `glacis doctor`: checks an installation and prints one line per check, with the fix. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '#config.ts'
import { CliError } from '#cli-error.ts'
import { openDatabase } from '#database/index.ts'
import { createLogger } from '#log.ts'
import { connectToDatabase } from '../connect.ts'
import { checkAgents, checkClock, checkFeeds, checkMigrations, checkServer } from './database.ts'
import { checkBackups, checkDisk, checkMail, checkNode, checkPorts, checkSettings } from './machine.ts'
import type { Result } from './result.ts'

/**
 * Runs all checks that the state of the installation permits; changes nothing.
 *
 * @returns 1 if a check found an error, otherwise 0
 */
export async function examine(context: {
  environment: Readonly<Record<string, string | undefined>>
  root: string
}): Promise<number> {
  let hasErrors = false
  for await (const { level, check, text } of results(context)) {
    hasErrors ||= level === 'error'
    process.stdout.write(`${level.padEnd(8)} ${check.padEnd(9)} ${text}\n`)
  }
  return hasErrors ? 1 : 0
}

async function* results({ environment, root }: Parameters<typeof examine>[0]): AsyncGenerator<Result> {
  yield checkNode()
  const settings = checkSettings(environment, root)
  yield settings
  if (settings.level === 'error') return
  const config = readConfig(environment, root)
  yield* await checkDisk(config.dataFolder)
  yield* await checkPorts(config)
  yield await checkMail(config)
  yield await checkBackups(config)
  yield* databaseResults(config)
}

async function* databaseResults(config: ReturnType<typeof readConfig>): AsyncGenerator<Result> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataFolder, 'postgres')))
    return yield { level: 'ok', check: 'database', text: "doesn't exist yet; the first start creates it" }
  const log = createLogger({ level: 'silent' })
  await using running = new AsyncDisposableStack()
  try {
    const reached = running.use(await connectToDatabase(config, log))
    const database = openDatabase(reached.url, log, { app: 1, owner: 2 })
    running.defer(() => database.close())
    yield await checkServer(database.owner, config.databaseUrl !== undefined)
    const migrations = await checkMigrations(database.owner)
    yield migrations
    yield await checkClock(database.owner)
    if (migrations.level !== 'ok') return
    yield* await checkFeeds(database.owner, config.feeds !== null)
    yield await checkAgents(database.owner)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    yield { level: 'error', check: 'database', text: error.message }
  }
}
