/** `glacis backup`, `glacis restore`, and `glacis verify-backup`. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { restoreBackup, storedBackups, verifyBackup, writeBackup } from '#backups/index.ts'
import { readConfig } from '#config.ts'
import { startPostgres } from '#database/embedded.ts'
import { isConnectionLoss, isOutOfResources } from '#database/connection-errors.ts'
import { lockFolder } from '#lock.ts'
import { createLogger } from '#log.ts'
import { systemReason } from '#error-code.ts'
import { argumentProblem, CliError, UsageError } from '#cli-error.ts'
import { connectToDatabase } from './connect.ts'

const backupUsage = `Usage: glacis backup FILE [--recipient KEY] …

Writes a consistent snapshot of the installation to a new file: users, workspaces, targets, scans,
risks, and feed data. Works whether or not Glacis is running. Anyone with the file can read all of it.
Store it as securely as your passwords, or encrypt it; each --recipient is an age public key.`
const restoreUsage = `Usage: glacis restore FILE [--identity KEY_FILE]

Restores a backup into an empty installation, such as a new data folder (GLACIS_DATA) or an empty
database (DATABASE_URL). Glacis must not be running there. If restoring fails, nothing is changed.
--identity names the file with the age secret key of an encrypted backup.`
const verifyUsage = `Usage: glacis verify-backup [FILE] [--identity KEY_FILE]

Restores a backup into a temporary database, checks that it is complete, and deletes the database.
Without a file, verifies the newest backup in the GLACIS_BACKUP folder.`

interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly root: string
}

/**
 * Writes a backup.
 *
 * @param args the arguments after `glacis backup`
 * @throws CliError for invalid arguments, an unwritable file, or an unusable database; leaves no file behind
 */
export async function backup(args: readonly string[], { environment, root }: CommandContext): Promise<void> {
  const { file, recipients, isHelp } = read(args, backupUsage, 'recipient')
  if (isHelp) return print(backupUsage)
  if (file === undefined) throw new UsageError('Pass the file to write, such as "npx glacis backup glacis.backup".')
  const config = readConfig(environment, root)
  await using reached = await connectToDatabase(config, createLogger({ level: 'error' }))
  const source = { databaseUrl: reached.url, packs: join(config.dataFolder, 'packs'), recipients }
  const bytes = await writeBackup(file, source).catch((cause: unknown) => {
    if (!isConnectionLoss(cause) && !isOutOfResources(cause)) throw cause
    throw new CliError(`The database connection was lost (${reasonOf(cause)}). No backup was written.`, { cause })
  })
  print(`Backup written to ${file} (${Math.max(1, Math.round(bytes / 1e6))} MB).`)
}

/**
 * Restores a backup.
 *
 * @param args the arguments after `glacis restore`
 * @throws CliError for invalid arguments, an invalid file, or an installation with data; changes nothing
 */
export async function restore(args: readonly string[], { environment, root }: CommandContext): Promise<void> {
  const { file, identityFile, isHelp } = read(args, restoreUsage, 'identity')
  if (isHelp) return print(restoreUsage)
  if (file === undefined) throw new UsageError('Pass the backup file, such as "npx glacis restore glacis.backup".')
  await requireFile(file)
  const { dataFolder, databaseUrl } = readConfig(environment, root)
  const log = createLogger({ level: 'error' })
  await using resources = new AsyncDisposableStack()
  resources.defer(await lockFolder(dataFolder))
  const embedded = databaseUrl === undefined ? await startPostgres({ dataFolder, log }) : null
  resources.defer(async () => embedded?.stop())
  const target = {
    databaseUrl: databaseUrl ?? embedded?.url ?? '',
    packs: join(dataFolder, 'packs'),
    identityFile,
    log,
  }
  const { rows, createTime } = await restoreBackup(file, target)
  print(`Restored ${rows} rows from the backup of ${createTime}. You can start Glacis now.`)
}

/**
 * Proves that a backup can be restored.
 *
 * @param args the arguments after `glacis verify-backup`
 * @throws CliError if it can't be
 */
export async function verify(args: readonly string[], { environment, root }: CommandContext): Promise<void> {
  const { file: given, identityFile, isHelp } = read(args, verifyUsage, 'identity')
  if (isHelp) return print(verifyUsage)
  const file = given ?? (await newestBackup(readConfig(environment, root).backup?.folder))
  await requireFile(file)
  const { rows, createTime } = await verifyBackup(file, identityFile, createLogger({ level: 'error' }))
  print(`${file} can be restored. It was created at ${createTime} and has ${rows} rows.`)
}

async function newestBackup(folder: string | undefined): Promise<string> {
  if (folder === undefined) throw new UsageError('Pass a file, or set GLACIS_BACKUP to the backup folder.')
  const [newest] = await storedBackups(folder)
  if (!newest) throw new CliError(`${folder} contains no backup yet.`)
  return newest.file
}

async function requireFile(file: string): Promise<void> {
  await stat(file).catch((cause: unknown) => {
    throw new CliError(`Can't read ${file} (${systemReason(cause)}).`, { cause })
  })
}

function read(args: readonly string[], usage: string, allowed: 'recipient' | 'identity') {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        recipient: { type: 'string', multiple: true },
        identity: { type: 'string' },
      },
      allowPositionals: true,
    })
    const { help = false, recipient = [], identity } = values
    const [file, ...more] = positionals
    if (allowed === 'recipient' && identity !== undefined) throw new TypeError("Unknown option '--identity'")
    if (allowed === 'identity' && recipient.length > 0) throw new TypeError("Unknown option '--recipient'")
    if (more.length > 0) throw new TypeError('Pass only one file')
    return { file, recipients: recipient, identityFile: identity, isHelp: help || file === 'help' }
  } catch (cause) {
    throw new UsageError(`${argumentProblem(cause)}\n${usage.slice(0, usage.indexOf('\n'))}`, { cause })
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
