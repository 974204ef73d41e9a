/** The command line: `glacis serve | scan | agent | identity | account | packs | --help | --version`. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError, UsageError } from './cli-error.ts'
import { version } from './version.ts'

interface Place {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the repository. */
  readonly root: string
}
interface Command {
  readonly summary: string
  /** The command takes arguments. */
  readonly hasWords?: true
  /** @returns an exit code; 0 if undefined */
  run(place: Place, words: readonly string[]): Promise<number | void>
}

/** Commands import their code lazily, so that a scan does not load the server. */
const commands = new Map<string, Command>([
  [
    'serve',
    {
      summary: 'Start Glacis: database, API, identity service, worker, and portal in one process.',
      run: async (place) => (await import('./serve.ts')).serve(place),
    },
  ],
  [
    'scan',
    {
      summary: 'Scan an address; see "glacis scan --help".',
      hasWords: true,
      run: async ({ root }, words) => (await import('./commands/scan/index.ts')).runScanCommand(words, root),
    },
  ],
  [
    'agent',
    { summary: 'Run an agent that scans a private network for a Glacis server.', hasWords: true, run: runAgent },
  ],
  [
    'packs',
    {
      summary: 'Import, export, or list feed data: import FILE …, export, status.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/packs.ts')).packsCommand(words, place),
    },
  ],
  [
    'identity',
    {
      summary: 'Manage users: list, show, create, disable, enable, reset-2fa, delete.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/identity.ts')).administerIdentities(words, place),
    },
  ],
  [
    'account',
    {
      summary: "Export or delete an account's data: export, delete.",
      hasWords: true,
      run: async (place, words) => (await import('./commands/account.ts')).administerAccounts(words, place),
    },
  ],
  [
    'backup',
    {
      summary: 'Back up the installation to a file.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/backup.ts')).backup(words, place),
    },
  ],
  [
    'restore',
    {
      summary: 'Restore a backup into an empty installation.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/backup.ts')).restore(words, place),
    },
  ],
  ['--help', { summary: 'Show this help.', run: async () => print(usage()) }],
  ['--version', { summary: 'Show the version.', run: async () => print(version) }],
])
const otherNames = new Map([
  ['-h', '--help'],
  ['help', '--help'],
  ['-v', '--version'],
])

/**
 * Runs one command to its end.
 *
 * @param words the command-line arguments
 * @returns the exit code: 0 for success, 1 for an error the operator can fix, 2 for invalid arguments; `scan` has its own
 * @throws only bugs
 */
export async function runCommand(words: readonly string[], place: Place): Promise<number> {
  const [name = '--help', ...rest] = words
  const command = commands.get(otherNames.get(name) ?? name)
  if (!command || (rest.length > 0 && !command.hasWords)) {
    const problem = command ? `"glacis ${name}" takes no arguments` : `Unknown command "${name}"`
    complain(`${problem}. Run "glacis --help" for a list of commands.`)
    return 2
  }
  try {
    return (await command.run(place, rest)) ?? 0
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    complain(error.message)
    return error instanceof UsageError ? 2 : 1
  }
}

/** Runs the agent in this process; it exits by itself. */
async function runAgent({ root }: Place, words: readonly string[]): Promise<void> {
  const program = join(root, 'apps/agent/src/main.ts')
  process.argv = [process.execPath, program, ...words]
  await import(pathToFileURL(program).href)
}

function usage(): string {
  const lines = [...commands].map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`)
  return `Usage: glacis <command>\n\n${lines.join('\n')}\n\nThe settings are environment variables; docs/settings.md lists them.`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`)
}
