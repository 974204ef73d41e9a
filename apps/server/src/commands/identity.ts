/** `glacis identity …`: the people who sign in, from the command line of whoever runs the installation. */
import { parseArgs } from 'node:util'
import { openPeople } from '@glacis/identity'
import { readConfig } from '#config.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { everyMigration } from '../every-migration.ts'
import { createLogger } from '#log.ts'
import { Obstacle, WrongWords } from '#obstacle.ts'
import { type Flags, verbs } from './identity-verbs.ts'
import { reachDatabase } from './reach.ts'

const usage = `Usage: glacis identity <verb>

  list                                  everybody who can sign in
  show <e-mail or id>                   one of them, with what they sign in by
  create <e-mail> <first> <last>        make an account; --verified if the address is known to be theirs,
                                        --password-stdin to read a password from standard input
  disable <e-mail or id>                close an account and end its sessions at once
  enable <e-mail or id>                 open it again
  reset-2fa <e-mail or id>              remove its second factors, for somebody who has lost them
  delete <e-mail or id> --yes           remove the account with its scopes, scans and risks
  deletions                             what was deleted on the command line, when and by whom

With --json the answer is JSON. It works whether or not Glacis runs.`

/**
 * Runs one verb to its end.
 *
 * @param words what stands behind `glacis identity`
 * @throws Obstacle when the words, the settings or the database do not allow it
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
    throw new Obstacle(`The people who sign in are kept by the service at ${config.identityUrl}; use its own commands.`)
  }
  const log = createLogger({ level: 'error' })
  await using reached = await reachDatabase(config, log)
  await using open = new AsyncDisposableStack()
  const database = openDatabase(reached.url, log, { app: 1, owner: 2 })
  open.defer(() => database.close())
  if (!reached.isServed) await migrate(database.owner, everyMigration)
  const desk = { people: openPeople({ database: database.owner }), database, url: config.url }
  const { lines, data } = await verb.run(desk, rest, flags)
  print(flags.json ? JSON.stringify(data, null, 2) : lines.join('\n'))
}

function readWords(words: readonly string[]): { name: string; rest: readonly string[]; flags: Flags } {
  const [name = 'help', ...rest] = words
  if (name === 'help' || name === '--help' || name === '-h') return { name: 'help', rest: [], flags: noFlags }
  const verb = verbs.get(name)
  if (!verb)
    throw new WrongWords(`There is no "glacis identity ${name}"; "glacis identity --help" lists what there is.`)
  const { positionals, values } = parsed(rest)
  if (positionals.length !== verb.takes.length) {
    const expected = ['glacis identity', name, ...verb.takes].join(' ')
    throw new WrongWords(`It must be: ${expected}`)
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
    throw new WrongWords(`${cause instanceof Error ? cause.message : String(cause)}.`, { cause })
  }
}

function print(words: string): void {
  process.stdout.write(`${words}\n`)
}
