/** The command line: `glacis serve | --help | --version`. */
import { serve } from './serve.ts'
import { Obstacle } from './obstacle.ts'
import { version } from './version.ts'

interface Place {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the repository. */
  readonly root: string
}
interface Command {
  readonly summary: string
  run(place: Place): Promise<void>
}

const commands = new Map<string, Command>([
  [
    'serve',
    { summary: 'Start Glacis: database, API, identity service, worker and portal in one process.', run: serve },
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
 * @returns the exit code: 0 done, 1 something that a person can mend, 2 a command that does not exist
 * @throws only bugs
 */
export async function runCommand(words: readonly string[], place: Place): Promise<number> {
  const [name = '--help', ...rest] = words
  const command = commands.get(otherNames.get(name) ?? name)
  if (!command || rest.length > 0) {
    const odd = command ? `"${name}" takes no more words` : `There is no command "${name}"`
    complain(`${odd}; "glacis --help" lists the commands.`)
    return 2
  }
  try {
    await command.run(place)
    return 0
  } catch (error) {
    if (!(error instanceof Obstacle)) throw error
    complain(error.message)
    return 1
  }
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
