/** `glacis identity …`: manages users from the command line. */
import { parseArgs } from 'node:util'
import { type IdentityOptions, createIdentityAdmin } from '@glacis/identity'
import { readConfig } from '#config.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { createJobs, mailJobs } from '#jobs.ts'
import { createLogger } from '#log.ts'
import { argumentProblem, CliError, UsageError } from '#cli-error.ts'
import { administrationCommands } from './administration-commands.ts'
import { type Flags, subcommands as userCommands } from './identity-subcommands.ts'
import { connectToDatabase } from './connect.ts'

const subcommands = new Map([...userCommands, ...administrationCommands])

const usage = `Usage: glacis identity COMMAND

  list                                  list all users
  show USER                             show a user and their sign-in methods
  create EMAIL FIRST_NAME LAST_NAME     create a user; --verified marks the email address as verified,
                                        --password-stdin reads a password from standard input
  disable USER                          block sign-in and end all sessions
  enable USER                           allow sign-in again
  reset-2fa USER                        remove all second factors
  grant-admin USER                      let a user administer the installation
  revoke-admin USER                     revoke this permission
  allow-all-networks                    let users sign in from all networks again
  delete USER --yes                     delete the user, and the workspaces of which they are the only member
  deletions                             list deleted users and workspaces

USER is an email address or ID. Pass --json for JSON output. All commands work whether or not Glacis is
running.`

/**
 * Runs a subcommand.
 *
 * @param args the arguments after `glacis identity`
 * @throws CliError for invalid arguments, invalid settings, or an unusable database
 */
export async function runIdentityCommand(
  args: readonly string[],
  { environment, root }: { readonly environment: Readonly<Record<string, string | undefined>>; readonly root: string },
): Promise<void> {
  const { name, rest, flags } = parseArguments(args)
  const subcommand = subcommands.get(name)
  if (!subcommand) return print(usage)
  const config = readConfig(environment, root)
  if (config.identityUrl && !subcommand.isIndependent) {
    throw new CliError(`Users are managed by the identity service at ${config.identityUrl}. Use its own tools.`)
  }
  const log = createLogger({ level: 'error' })
  await using reached = await connectToDatabase(config, log)
  await using resources = new AsyncDisposableStack()
  const database = openDatabase(reached.url, log, { app: 1, owner: 2 })
  resources.defer(() => database.close())
  if (!reached.isServerRunning) await migrate(database.owner)
  const enqueueMail: IdentityOptions['enqueueMail'] = async (tx, mailId) => {
    const jobs = createJobs(reached.url, log, { supervise: false })
    resources.defer(() => jobs.close())
    await jobs.prepare(database.owner)
    await mailJobs(jobs)(tx, mailId)
  }
  const context = { people: createIdentityAdmin({ database: database.owner, enqueueMail }), database, url: config.url }
  const { lines, data } = await subcommand.run(context, rest, flags)
  print(flags.json ? JSON.stringify(data, null, 2) : lines.join('\n'))
}

function parseArguments(args: readonly string[]): { name: string; rest: readonly string[]; flags: Flags } {
  const [name, ...rest] = args
  if (name === undefined) throw new UsageError(usage)
  if (name === 'help' || name === '--help' || name === '-h') return { name: 'help', rest: [], flags: noFlags }
  const subcommand = subcommands.get(name)
  if (!subcommand)
    throw new UsageError(
      `Unknown command "glacis identity ${name}". Run "npx glacis identity --help" for a list of commands.`,
    )
  const { positionals, values } = parseFlags(rest)
  if (positionals.length !== subcommand.parameters.length) {
    const expected = ['glacis identity', name, ...subcommand.parameters].join(' ')
    throw new UsageError(`Usage: ${expected}`)
  }
  return { name, rest: positionals, flags: { ...noFlags, ...values } }
}

const noFlags: Flags = { json: false, yes: false, verified: false, 'password-stdin': false }
const flag = { type: 'boolean' } as const

function parseFlags(args: readonly string[]) {
  try {
    const options = { json: flag, yes: flag, verified: flag, 'password-stdin': flag }
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (cause) {
    throw new UsageError(`${argumentProblem(cause)} Run "npx glacis identity --help" for a list of options.`, { cause })
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
