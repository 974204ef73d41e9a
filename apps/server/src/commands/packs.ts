/** `glacis packs import | export | status`: feed data without network access, whether or not Glacis is running. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '#config.ts'
import { type Database, openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { createLogger, type Logger } from '#log.ts'
import { CliError, UsageError } from '#cli-error.ts'
import { loadPacks } from '@glacis/scanner'
import { exportPacks, importInThread, ImportFailure, packFolders, type PackStatus, packStatus } from '#packs/index.ts'
import { type DatabaseConnection, connectToDatabase, startEmbedded } from './connect.ts'

interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly root: string
}
interface Opened {
  readonly database: Database
  readonly url: string
  readonly packsFolder: string
}

const usage = `Usage: glacis packs import FILE|FOLDER …  import feeds from .json, .jsonl, .csv, .xml, or .yaml files, compressed or not
       glacis packs export [FILE]         export all feed data to one file for another installation
       glacis packs status [--json]       show each pack's version, age, and errors, and unverified checks`

/** The errors for invalid arguments of each subcommand. */
const problems = new Map([
  ['import', 'Pass at least one file or folder, such as "npx glacis packs import feeds.glacis".'],
  ['export', 'Pass at most one file, such as "npx glacis packs export feeds.glacis".'],
  ['status', '"glacis packs status" takes no arguments except --json.'],
])

/**
 * Runs a subcommand.
 *
 * @throws UsageError for invalid arguments; CliError for errors the operator can fix
 */
export async function runPacksCommand(
  [subcommand = '', ...args]: readonly string[],
  context: CommandContext,
): Promise<void> {
  if (subcommand === 'import' && args.length > 0) return withDatabase(context, (opened) => importAll(args, opened))
  if (subcommand === 'export' && args.length <= 1) return withDatabase(context, (opened) => exportAll(args[0], opened))
  if (subcommand === 'status' && args.every((arg) => arg === '--json')) {
    return withDatabase(context, (opened) => showStatus(args.length > 0, context.root, opened))
  }
  if (['help', '--help'].includes(subcommand)) return void process.stdout.write(`${usage}\n`)
  if (subcommand === '') throw new UsageError(usage)
  throw new UsageError(
    problems.get(subcommand) ??
      `Unknown command "glacis packs ${subcommand}". Run "npx glacis packs --help" for a list of commands.`,
  )
}

/** Continues with the other files after a failure. */
async function importAll(paths: readonly string[], { url, packsFolder }: Opened): Promise<void> {
  const problems: string[] = []
  for (const path of paths) {
    try {
      if (!existsSync(resolve(path))) throw new ImportFailure('File not found.')
      const imported = await importInThread(resolve(path), { databaseUrl: url, packsFolder, onProgress: showProgress })
      clearProgress()
      for (const { pack, records, skipped } of imported) {
        const noun = records === 1 ? 'record' : 'records'
        const more = skipped > 0 ? `, ${skipped.toLocaleString('en')} skipped` : ''
        process.stdout.write(`${pack}: ${records.toLocaleString('en')} ${noun}${more}\n`)
      }
    } catch (error) {
      if (!(error instanceof ImportFailure)) throw error
      clearProgress()
      problems.push(`${path}: ${error.message}`)
    }
  }
  if (problems.length > 0) throw new CliError(problems.join('\n'))
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`)
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
}

async function exportAll(path: string | undefined, { database, packsFolder }: Opened): Promise<void> {
  const file = resolve(path ?? `glacis-packs-${new Date().toISOString().slice(0, 10)}.tar.zst`)
  const records = await exportPacks(database.owner, packsFolder, file)
  process.stdout.write(
    `${file}: ${records.toLocaleString('en')} records. Import it elsewhere with "npx glacis packs import".\n`,
  )
}

async function showStatus(isJson: boolean, root: string, { database }: Opened): Promise<void> {
  const packs = await packStatus(database.owner)
  const checks = await verification(root)
  process.stdout.write(isJson ? `${JSON.stringify({ packs, checks }, null, 2)}\n` : tableOf(packs) + textOf(checks))
}

interface Verification {
  readonly total: number
  /** Built-in checks that no real program has confirmed in a weak and a hardened variant. */
  readonly unverified: readonly string[]
}

async function verification(root: string): Promise<Verification> {
  const { checks } = await loadPacks({ checks: packFolders(root, []).checks, fingerprints: [] })
  const unverified = checks.filter(({ verifiedOn = [] }) => verifiedOn.length === 0).map(({ id }) => id)
  return { total: checks.length, unverified: unverified.toSorted() }
}

function textOf({ total, unverified }: Verification): string {
  return `\n${total - unverified.length} of ${total} built-in checks are verified on a real program; --json lists the others.\n`
}

function tableOf(packs: readonly PackStatus[]): string {
  if (packs.length === 0) return 'No packs. Start Glacis once, or import a file.\n'
  const rows = packs.map((pack) => [
    pack.name,
    pack.version,
    pack.age,
    pack.records.toLocaleString('en'),
    pack.skipped > 0 ? pack.skipped.toLocaleString('en') : '',
    pack.progress || pack.problem,
  ])
  const heads = ['name', 'version', 'age', 'records', 'skipped', 'state']
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return [heads, ...rows]
    .map(
      (row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('')
}

/** Opens the configured database, whether or not Glacis is running, and creates it if needed. */
async function withDatabase(context: CommandContext, work: (opened: Opened) => Promise<void>): Promise<void> {
  const config = readConfig(context.environment, context.root)
  const log = createLogger({ level: 'error' })
  await using reached = await connect(config, log)
  await using running = new AsyncDisposableStack()
  const database = openDatabase(reached.url, log, { app: 1, owner: 2 })
  running.defer(() => database.close())
  if (!reached.isServerRunning) await migrate(database.owner)
  const packsFolder = join(config.dataFolder, 'packs')
  await mkdir(packsFolder, { recursive: true })
  await work({ database, url: reached.url, packsFolder })
}

/** Feeds can be imported before the first start, when there is no database yet. */
async function connect(config: Config, log: Logger): Promise<DatabaseConnection> {
  if (config.databaseUrl !== undefined || existsSync(join(config.dataFolder, 'postgres')))
    return connectToDatabase(config, log)
  return startEmbedded(config.dataFolder, log)
}
