/** `glacis identity …`: manages users from the command line. */
import { parseArgs } from 'node:util'
import { type IdentityOptions, createIdentityAdmin } from '@glacis/identity'
import { readConfig } from '#config.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { createJobs, mailJobs } from '#jobs.ts'
import { createLogger } from '#log.ts'
import { CliError, UsageError } from '#cli-error.ts'
import { type Flags, verbs } from './identity-verbs.ts'
import { reachDatabase } from './reach.ts'

const usage = `Usage: glacis identity <command>

  list                                  list all users
  show <email or id>                    show a user and their sign-in methods
  create <email> <first> <last>         create a user; --verified marks the email address as verified,
                                        --password-stdin reads a password from standard input
  disable <email or id>                 block sign-in and end all sessions
  enable <email or id>                  allow sign-in again
  reset-2fa <email or id>               remove all second factors
  delete <email or id> --yes            delete the user and their account's scopes, scans, and risks
  deletions                             list deletions made on the command line

Pass --json for JSON output. All commands work whether or not Glacis is running.`

/**
 * Runs a subcommand.
 *
 * @param words the arguments after `glacis identity`
 * @throws CliError for invalid arguments, invalid settings, or an unusable database
 */
export async function administerIdentities(
  words: readonly string[],
  { environment, root }: { readonly environment: Readonly<Record<string, string | undefined>>; readonly root: string },
): Promise<void> {
  const { name, rest, flags } = readWords(words)
  const verb = verbs.get(name)
  if (!verb) return print(usage)
  const config = readConfig(environment, root)
  if (config.identityUrl) {
    throw new CliError(`Users are managed by the identity service at ${config.identityUrl}. Use its own tools.`)
  }
  const log = createLogger({ level: 'error' })
  await using reached = await reachDatabase(config, log)
  await using open = new AsyncDisposableStack()
  const database = openDatabase(reached.url, log, { app: 1, owner: 2 })
  open.defer(() => database.close())
  if (!reached.isServed) await migrate(database.owner)
  const enqueueMail: IdentityOptions['enqueueMail'] = async (tx, mailId) => {
    const jobs = createJobs(reached.url, log, { supervise: false })
    open.defer(() => jobs.close())
    await jobs.prepare(database.owner)
    await mailJobs(jobs)(tx, mailId)
  }
  const desk = { people: createIdentityAdmin({ database: database.owner, enqueueMail }), database, url: config.url }
  const { lines, data } = await verb.run(desk, rest, flags)
  print(flags.json ? JSON.stringify(data, null, 2) : lines.join('\n'))
}

function readWords(words: readonly string[]): { name: string; rest: readonly string[]; flags: Flags } {
  const [name = 'help', ...rest] = words
  if (name === 'help' || name === '--help' || name === '-h') return { name: 'help', rest: [], flags: noFlags }
  const verb = verbs.get(name)
  if (!verb)
    throw new UsageError(
      `Unknown command "glacis identity ${name}". Run "glacis identity --help" for a list of commands.`,
    )
  const { positionals, values } = parsed(rest)
  if (positionals.length !== verb.takes.length) {
    const expected = ['glacis identity', name, ...verb.takes].join(' ')
    throw new UsageError(`Usage: ${expected}`)
  }
  return { name, rest: positionals, flags: { ...noFlags, ...values } }
}

const noFlags: Flags = { json: false, yes: false, verified: false, 'password-stdin': false }
const flag = { type: 'boolean' } as const

function parsed(args: readonly string[]) {
  try {
    const options = { json: flag, yes: flag, verified: flag, 'password-stdin': flag }
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : String(cause)}.`, { cause })
  }
}

function print(words: string): void {
  process.stdout.write(`${words}\n`)
}
