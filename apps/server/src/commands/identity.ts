/** `glacis identity …`: the people who sign in, from the command line of whoever runs the installation. */
import { userInfo } from 'node:os'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { openPeople, type People, type Person } from '@glacis/identity'
import { createAccounts, identityOf } from '#accounts.ts'
import { recordIdentityEvent } from '#audit.ts'
import { readConfig } from '#config.ts'
import { type Database, openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { everyMigration } from '../every-migration.ts'
import { deletions, noteDeletion } from '#deletions.ts'
import { createLogger } from '#log.ts'
import { Obstacle, WrongWords } from '#obstacle.ts'
import { reachDatabase } from './reach.ts'

interface Desk {
  readonly people: People
  readonly database: Database
  /** The origin under which browsers reach the product. */
  readonly url: string
}

interface Flags {
  readonly json: boolean
  readonly yes: boolean
  readonly verified: boolean
  readonly 'password-stdin': boolean
}

interface Answer {
  /** What a person reads. */
  readonly lines: readonly string[]
  /** What a program reads, after `--json`. */
  readonly data: unknown
}

interface Verb {
  /** What must stand behind it. */
  readonly takes: readonly string[]
  run(desk: Desk, words: readonly string[], flags: Flags): Promise<Answer>
}

const verbs = new Map<string, Verb>([
  ['list', { takes: [], run: list }],
  ['show', { takes: ['<e-mail or id>'], run: show }],
  ['create', { takes: ['<e-mail>', '<first name>', '<last name>'], run: create }],
  ['disable', { takes: ['<e-mail or id>'], run: (desk, words) => turn(desk, words, 'inactive') }],
  ['enable', { takes: ['<e-mail or id>'], run: (desk, words) => turn(desk, words, 'active') }],
  ['reset-2fa', { takes: ['<e-mail or id>'], run: resetSecondFactors }],
  ['delete', { takes: ['<e-mail or id>'], run: remove }],
  ['deletions', { takes: [], run: listDeletions }],
])

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

async function list({ people }: Desk): Promise<Answer> {
  const everybody = await Array.fromAsync(people.list())
  const width = Math.max(0, ...everybody.map(({ email }) => email.length))
  const lines = everybody.map((person) => `${person.email.padEnd(width)}  ${wordsFor(person)}`)
  return {
    lines: everybody.length > 0 ? lines : ['Nobody has an account yet.'],
    data: { identities: everybody.map(faceOf) },
  }
}

async function show({ people }: Desk, [who = '']: readonly string[]): Promise<Answer> {
  const person = await find(people, who)
  const { id, email, name, isVerified, credentials, sessions, createdAt, lastSignInAt } = person
  const rows = [
    ['Name', `${name.first} ${name.last}`],
    ['E-mail', `${email}${isVerified ? '' : ' (not verified)'}`],
    ['Id', id],
    ['State', person.state],
    ['Signs in by', credentials.join(', ') || 'a code of the recovery alone'],
    ['Sessions', String(sessions)],
    ['Created', createdAt.toISOString()],
    ['Last sign-in', lastSignInAt?.toISOString() ?? 'never'],
  ]
  return { lines: rows.map(([key, value]) => `${key?.padEnd(14)}${value}`), data: { identity: faceOf(person) } }
}

async function create(
  { people, database, url }: Desk,
  [email = '', first = '', last = '']: readonly string[],
  flags: Flags,
): Promise<Answer> {
  const password = flags['password-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined
  const made = await people.create({ email, name: { first, last } }, { password, isVerified: flags.verified })
  if (made.kind === 'taken') throw new Obstacle(`Somebody has an account with ${email} already.`)
  if (made.kind === 'wrong') throw new Obstacle(`No account was made: ${made.faults.join(' ')}`)
  const { person } = made
  // The trail hangs on the account, which is otherwise made at the first visit.
  await createAccounts(database).of({ identity: identityOf(person) })
  await note(database, person, 'created')
  const how = password === undefined ? `${first} chooses a password at ${url}/recovery.` : 'The password is set.'
  return { lines: [`Made an account for ${person.email}. ${how}`], data: { identity: faceOf(person) } }
}

async function turn(
  { people, database }: Desk,
  [who = '']: readonly string[],
  state: Person['state'],
): Promise<Answer> {
  const person = await find(people, who)
  const word = state === 'inactive' ? 'disabled' : 'enabled'
  if (person.state === state) {
    return { lines: [`${person.email} is ${word} already.`], data: { identity: faceOf(person) } }
  }
  await people.setState(person.id, state)
  await note(database, person, word)
  const ended = person.sessions > 0 && state === 'inactive' ? ` ${counted(person.sessions, 'session')} ended.` : ''
  return { lines: [`${person.email} is ${word}.${ended}`], data: { identity: faceOf(await find(people, person.id)) } }
}

async function resetSecondFactors({ people, database }: Desk, [who = '']: readonly string[]): Promise<Answer> {
  const person = await find(people, who)
  const removed = await people.resetSecondFactors(person.id)
  const data = { identity: faceOf(await find(people, person.id)), removed }
  if (removed.length === 0) return { lines: [`${person.email} has no second factor.`], data }
  await note(database, person, 'second_factors_reset', removed.join(', '))
  const news = `Removed from ${person.email}: ${removed.join(', ')}. Their sessions ended, and a mail tells them.`
  return { lines: [news], data }
}

async function remove({ people, database }: Desk, [who = '']: readonly string[], { yes }: Flags): Promise<Answer> {
  const person = await find(people, who)
  const account = await database.owner
    .selectFrom('account')
    .select(({ selectFrom }) => [
      'id',
      selectFrom('target')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('account_id', '=', 'account.id')
        .as('targets'),
    ])
    .where('identity_id', '=', person.id)
    .executeTakeFirst()
  const targets = account?.targets ?? 0
  if (!yes) {
    const weight = targets > 0 ? ` with ${counted(targets, 'scope')} and everything found in them` : ''
    throw new Obstacle(`This removes ${person.email}${weight} for good; repeat it with --yes.`)
  }
  await people.remove(person.id)
  await database.owner.transaction().execute(async (tx) => {
    // What was found for somebody who is gone would be scanned for nobody.
    if (account) await tx.deleteFrom('account').where('id', '=', account.id).execute()
    const about = { accountId: account?.id ?? null, identityId: person.id, detail: { targets } }
    await noteDeletion(tx, { action: 'identity.delete', ...about })
  })
  return {
    lines: [`Removed ${person.email}${targets > 0 ? ` and ${counted(targets, 'scope')}` : ''}.`],
    data: { removed: { id: person.id, email: person.email, targets } },
  }
}

async function listDeletions({ database }: Desk): Promise<Answer> {
  const all = await deletions(database.owner)
  const lines = all.map(
    ({ at, operator, action, accountId, identityId }) =>
      `${at.toISOString()}  ${action.padEnd(16)}${identityId ?? accountId ?? ''}  by ${operator}`,
  )
  return {
    lines: lines.length > 0 ? lines : ['Nothing was deleted yet.'],
    data: { deletions: all.map(({ at, ...one }) => ({ time: at.toISOString(), ...one })) },
  }
}

async function find(people: People, who: string): Promise<Person> {
  const person = await people.find(who)
  if (person) return person
  throw new Obstacle(`Nobody has an account with ${who}; "glacis identity list" shows everybody.`)
}

/** The trail names who sits at the machine. */
async function note(database: Database, person: Person, kind: string, detail?: string): Promise<void> {
  const operator = userInfo().username
  const from = { ip: '', userAgent: 'glacis identity', at: new Date() }
  await recordIdentityEvent(database, { kind, identityId: person.id, detail, operator, ...from })
}

function faceOf({ createdAt, lastSignInAt, isVerified, ...person }: Person) {
  return {
    ...person,
    verified: isVerified,
    createTime: createdAt.toISOString(),
    ...(lastSignInAt && { lastSignInTime: lastSignInAt.toISOString() }),
  }
}

function wordsFor({ name, state, isVerified, credentials, sessions }: Person): string {
  const notes = [
    state === 'inactive' && 'disabled',
    !isVerified && 'not verified',
    credentials.join(' ') || 'no password yet',
    sessions > 0 && counted(sessions, 'session'),
  ]
  return `${name.first} ${name.last} (${notes.filter(Boolean).join(', ')})`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function print(words: string): void {
  process.stdout.write(`${words}\n`)
}
