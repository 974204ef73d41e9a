/** The command line: `glacis serve | scan | agent | identity | account | packs | --help | --version`. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Obstacle, WrongWords } from './obstacle.ts'
import { version } from './version.ts'

interface Place {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the repository. */
  readonly root: string
}
interface Command {
  readonly summary: string
  /** The command takes more words. */
  readonly hasWords?: true
  /** @returns an exit code; nothing is 0 */
  run(place: Place, words: readonly string[]): Promise<number | void>
}

/** What a command needs is loaded when it runs: a scan should not wait for a server's parts. */
const commands = new Map<string, Command>([
  [
    'serve',
    {
      summary: 'Start Glacis: database, API, identity service, worker and portal in one process.',
      run: async (place) => (await import('./serve.ts')).serve(place),
    },
  ],
  [
    'scan',
    {
      summary: 'Scan an address from the command line; "glacis scan --help" lists its options.',
      hasWords: true,
      run: async ({ root }, words) => (await import('./commands/scan/index.ts')).runScanCommand(words, root),
    },
  ],
  [
    'agent',
    { summary: 'Run an agent, which scans a closed network for another Glacis.', hasWords: true, run: runAgent },
  ],
  [
    'packs',
    {
      summary: 'Import, export or list what Glacis knows: import FILE …, export, status.',
      hasWords: true,
      // Loaded late: whoever only serves does not wait for it.
      run: async (place, words) => (await import('./commands/packs.ts')).packsCommand(words, place),
    },
  ],
  [
    'identity',
    {
      summary: 'See and help the people who sign in: list, show, create, disable, enable, reset-2fa, delete.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/identity.ts')).administerIdentities(words, place),
    },
  ],
  [
    'account',
    {
      summary: 'Hand out or remove everything that is kept of an account: export, delete.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/account.ts')).administerAccounts(words, place),
    },
  ],
  [
    'backup',
    {
      summary: 'Write the whole installation into one file, whether or not it runs.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/backup.ts')).backup(words, place),
    },
  ],
  [
    'restore',
    {
      summary: 'Put a backup into a new, empty installation.',
      hasWords: true,
      run: async (place, words) => (await import('./commands/backup.ts')).restore(words, place),
    },
  ],
  ['--help', { summary: 'Show this text.', run: async () => print(usage()) }],
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
 * @param words what stands behind the program's name
 * @returns the exit code: 0 done, 1 something that a person can mend, 2 a command that does not exist;
 *   `scan` has its own
 * @throws only bugs
 */
export async function runCommand(words: readonly string[], place: Place): Promise<number> {
  const [name = '--help', ...rest] = words
  const command = commands.get(otherNames.get(name) ?? name)
  if (!command || (rest.length > 0 && !command.hasWords)) {
    const odd = command ? `"${name}" takes no more words` : `There is no command "${name}"`
    complain(`${odd}; "glacis --help" lists the commands.`)
    return 2
  }
  try {
    return (await command.run(place, rest)) ?? 0
  } catch (error) {
    if (!(error instanceof Obstacle)) throw error
    complain(error.message)
    return error instanceof WrongWords ? 2 : 1
  }
}

/** The agent is a program of its own, which ends the process itself; here it only gets its words. */
async function runAgent({ root }: Place, words: readonly string[]): Promise<void> {
  const program = join(root, 'apps/agent/src/main.ts')
  process.argv = [process.execPath, program, ...words]
  await import(pathToFileURL(program).href)
}

function usage(): string {
  const lines = [...commands].map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`)
  return `Usage: glacis <command>\n\n${lines.join('\n')}\n\nThe settings are environment variables; README.md lists them.`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`)
}
