/** The command line: `glacis serve | scan | agent | …`; `glacis --help` lists all commands. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError, UsageError } from './cli-error.ts'
import { closestOf } from './closest.ts'
import { version } from './version.ts'

interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the repository. */
  readonly root: string
}
interface Command {
  readonly summary: string
  /** The command takes arguments. */
  readonly takesArguments?: true
  /** @returns an exit code; 0 if undefined */
  run(context: CommandContext, args: readonly string[]): Promise<number | void>
}

/** Commands import their code lazily, so that a scan does not load the server. */
const commands = new Map(
  Object.entries<Command>({
    serve: {
      summary: 'Start Glacis: database, API, identity service, worker, and portal in one process.',
      run: async (context) => (await import('./serve.ts')).serve(context),
    },
    scan: {
      summary: 'Scan addresses, networks, or sites; see "npx glacis scan --help".',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/scan/index.ts')).runScanCommand(args, context),
    },
    agent: {
      summary: 'Run an agent that scans a private network for a Glacis server.',
      takesArguments: true,
      run: runAgent,
    },
    packs: {
      summary: 'Import, export, or list feed data; see "npx glacis packs --help".',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/packs.ts')).runPacksCommand(args, context),
    },
    identity: {
      summary: 'Manage users and administrators; see "npx glacis identity --help".',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/identity.ts')).runIdentityCommand(args, context),
    },
    account: {
      summary: 'Export or delete a workspace; see "npx glacis account --help".',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/account.ts')).runAccountCommand(args, context),
    },
    backup: {
      summary: 'Back up the installation to a file.',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/backup.ts')).backup(args, context),
    },
    restore: {
      summary: 'Restore a backup into an empty installation.',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/backup.ts')).restore(args, context),
    },
    'verify-backup': {
      summary: 'Check that a backup can be restored.',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/backup.ts')).verify(args, context),
    },
    upgrade: {
      summary: 'Show or run the database migrations of this release (--check, --apply), or upgrade PostgreSQL.',
      takesArguments: true,
      run: async (context, args) => (await import('./commands/upgrade.ts')).upgrade(args, context),
    },
    doctor: {
      summary: 'Check settings, database, disk, clock, email, backups, feeds, ports, and agents.',
      run: async (context) => (await import('./commands/doctor/index.ts')).examine(context),
    },
    '--help': { summary: 'Show this help.', run: async () => print(usage()) },
    '--version': { summary: 'Show the version.', run: async () => print(version) },
  }),
)
const aliases = new Map([
  ['-h', '--help'],
  ['help', '--help'],
  ['-v', '--version'],
])

/**
 * Runs one command to its end.
 *
 * @param args the command-line arguments
 * @returns the exit code: 0 for success, 1 for an error the operator can fix, 2 for invalid arguments; `scan` has its own
 * @throws only bugs
 */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const [name = '--help', ...rest] = args
  const command = commands.get(aliases.get(name) ?? name)
  const asksForHelp = rest.includes('--help') || rest.includes('-h')
  if (command && !command.takesArguments && asksForHelp) {
    print(`Usage: glacis ${name}\n\n${command.summary}`)
    return 0
  }
  if (!command || (rest.length > 0 && !command.takesArguments)) {
    const problem = command ? `"glacis ${name}" takes no arguments.` : unknownCommand(name)
    printError(`${problem} Run "npx glacis --help" for a list of commands.`)
    return 2
  }
  try {
    return (await command.run(context, asksForHelp ? ['--help'] : rest)) ?? 0
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    printError(error.message)
    return error instanceof UsageError ? 2 : 1
  }
}

function unknownCommand(name: string): string {
  const closest = closestOf(commands.keys(), name)
  const hint = closest && closest.edits <= 2 ? `; did you mean "${closest.text}"?` : '.'
  return `Unknown command "${name}"${hint}`
}

/** Runs the agent in this process; it exits by itself. */
async function runAgent({ root }: CommandContext, args: readonly string[]): Promise<void> {
  const program = join(root, 'apps/agent/src/main.ts')
  process.argv = [process.execPath, program, ...args]
  await import(pathToFileURL(program).href)
}

function usage(): string {
  const width = Math.max(...[...commands.keys()].map((name) => name.length)) + 2
  const lines = [...commands].map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`)
  return `Usage: glacis COMMAND\n\n${lines.join('\n')}\n\nThe settings are environment variables; docs/settings.md lists them.`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function printError(text: string): void {
  process.stderr.write(`${text}\n`)
}
