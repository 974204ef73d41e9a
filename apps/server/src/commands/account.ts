/** `glacis account …`: exports or deletes a workspace. */
import type { FileHandle } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '#config.ts'
import { type Database, openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { recordDeletion } from '#deletions.ts'
import { createLogger } from '#log.ts'
import { argumentProblem, CliError, UsageError } from '#cli-error.ts'
import type { Tables } from '#database/tables.ts'
import { writeNewFile } from '#backups/index.ts'
import { connectToDatabase } from './connect.ts'
import { type ExportedTable, exportedTables, lineOf } from '#workspaces/index.ts'
import { type Kysely, sql } from 'kysely'

const usage = `Usage: glacis account COMMAND

  export WORKSPACE FILE       export a workspace, one JSON object per line
  delete WORKSPACE --yes      delete a workspace with its targets, scans, and risks

WORKSPACE is the email address of an owner, or the ID of the workspace. Exports contain no passwords, keys, or
tokens. Users are stored separately; delete them with "npx glacis identity delete". Both commands work
whether or not Glacis is running.`

const rowsPerFetch = 2000

interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly root: string
}

/**
 * Runs a subcommand.
 *
 * @param args the arguments after `glacis account`
 * @throws CliError for invalid arguments, invalid settings, or an unusable database
 */
export async function runAccountCommand(args: readonly string[], { environment, root }: CommandContext): Promise<void> {
  const { command, who, file, confirmed } = parseArguments(args)
  if (command === 'help') return print(usage)
  const config = readConfig(environment, root)
  const log = createLogger({ level: 'error' })
  await using reached = await connectToDatabase(config, log)
  await using opened = new AsyncDisposableStack()
  const database = openDatabase(reached.url, log, { app: 1, owner: 2 })
  opened.defer(() => database.close())
  if (!reached.isServerRunning) await migrate(database.owner)
  const workspace = await find(database, who)
  if (command === 'export') {
    const rows = await exportWorkspaceFile(database, workspace.id, file)
    return print(`Exported ${rows} rows of ${workspace.email} to ${file}.`)
  }
  if (!confirmed)
    throw new UsageError(`This permanently deletes the workspace of ${workspace.email}. Pass --yes to confirm.`)
  await database.owner.transaction().execute(async (tx) => {
    await tx.deleteFrom('workspace').where('id', '=', workspace.id).execute()
    await recordDeletion(tx, { action: 'account.delete', accountId: workspace.id, identityId: null, detail: {} })
  })
  print(`Deleted the workspace of ${workspace.email}.`)
}

interface AccountArguments {
  readonly command: 'help' | 'export' | 'delete'
  readonly who: string
  readonly file: string
  readonly confirmed: boolean
}

function parseArguments(args: readonly string[]): AccountArguments {
  const defaults = { who: '', file: '', confirmed: false }
  const [command, ...rest] = args
  if (command === undefined) throw new UsageError(usage)
  if (command === 'help' || command === '--help' || command === '-h') return { command: 'help', ...defaults }
  const [who = '', file = '', ...more] = rest.filter((arg) => !arg.startsWith('--'))
  const confirmed = isConfirmed(rest)
  if (command === 'export' && who && file && more.length === 0) return { command, who, file, confirmed }
  if (command === 'delete' && who && !file) return { command, who, file, confirmed }
  if (command === 'export') throw new UsageError('Usage: glacis account export WORKSPACE FILE')
  if (command === 'delete') throw new UsageError('Usage: glacis account delete WORKSPACE --yes')
  throw new UsageError(
    `Unknown command "glacis account ${command}". Run "npx glacis account --help" for a list of commands.`,
  )
}

function isConfirmed(args: readonly string[]): boolean {
  try {
    return (
      parseArgs({ args: [...args], options: { yes: { type: 'boolean' } }, allowPositionals: true }).values.yes === true
    )
  } catch (cause) {
    throw new UsageError(`${argumentProblem(cause)} Run "npx glacis account --help" for a list of options.`, { cause })
  }
}

async function find(database: Database, who: string) {
  const found = await database.owner
    .selectFrom('member')
    .select(['account_id as id', 'email'])
    .where('role', '=', 'owner')
    .where('left_at', 'is', null)
    .where((where) =>
      where.or([
        where(sql`lower(email)`, '=', who.toLowerCase()),
        where(sql`account_id::text`, '=', who),
        where('identity_id', '=', who),
      ]),
    )
    .orderBy('joined_at')
    .execute()
  const [workspace] = found
  if (!workspace) throw new CliError(`No workspace found for ${who}. A workspace is created at the first sign-in.`)
  // A workspace can have several owners.
  if (found.some(({ id }) => id !== workspace.id))
    throw new CliError(`${who} matches several workspaces. Pass the ID of one instead.`)
  return workspace
}

/** Writes all rows of a workspace from one snapshot. @returns their number */
export function exportWorkspaceFile(database: Database, workspace: string, file: string): Promise<number> {
  return writeNewFile(file, (handle) =>
    database.owner
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        let count = 0
        for (const table of await exportedTables(tx)) count += await exportTable(tx, table, workspace, handle)
        return count
      }),
  )
}

async function exportTable(
  tx: Kysely<Tables>,
  { name, columns }: ExportedTable,
  workspace: string,
  handle: FileHandle,
) {
  const columnsToExport = columns.map((column) => sql.ref(column))
  const accountColumn = sql.ref(name === 'workspace' ? 'id' : 'account_id')
  await sql`declare export_rows no scroll cursor for
    select row_to_json(shown)::text as line from (
      select ${sql.join(columnsToExport)} from ${sql.table(name)} where ${accountColumn} = ${sql.lit(workspace)}::uuid) as shown`.execute(
    tx,
  )
  for (let count = 0; ;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(rowsPerFetch)} from export_rows`.execute(tx)
    if (rows.length === 0) {
      await sql`close export_rows`.execute(tx)
      return count
    }
    count += rows.length
    await handle.write(rows.map(({ line }) => lineOf(name, line)).join(''))
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
