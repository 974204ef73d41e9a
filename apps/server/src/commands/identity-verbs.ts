/** What `glacis identity` does with the people who sign in, and how it tells of them. */
import { userInfo } from 'node:os'
import { text } from 'node:stream/consumers'
import type { People, Person } from '@glacis/identity'
import { createAccounts, identityOf } from '#accounts.ts'
import { recordIdentityEvent } from '#audit.ts'
import type { Database } from '#database/index.ts'
import { deletions, noteDeletion } from '#deletions.ts'
import { Obstacle } from '#obstacle.ts'

/** What a verb works with. */
interface Desk {
  readonly people: People
  readonly database: Database
  /** The origin under which browsers reach the product. */
  readonly url: string
}

export interface Flags {
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

/** By the word that stands behind `glacis identity`. */
export const verbs: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['list', { takes: [], run: list }],
  ['show', { takes: ['<e-mail or id>'], run: show }],
  ['create', { takes: ['<e-mail>', '<first name>', '<last name>'], run: create }],
  ['disable', { takes: ['<e-mail or id>'], run: (desk, words) => turn(desk, words, 'inactive') }],
  ['enable', { takes: ['<e-mail or id>'], run: (desk, words) => turn(desk, words, 'active') }],
  ['reset-2fa', { takes: ['<e-mail or id>'], run: resetSecondFactors }],
  ['delete', { takes: ['<e-mail or id>'], run: remove }],
  ['deletions', { takes: [], run: listDeletions }],
])

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
  // The person goes last, and cannot sign in meanwhile: what fails can be repeated, and nothing is left that nobody owns.
  if (person.state === 'active') await people.setState(person.id, 'inactive')
  await database.owner.transaction().execute(async (tx) => {
    if (account) await tx.deleteFrom('account').where('id', '=', account.id).execute()
    const about = { accountId: account?.id ?? null, identityId: person.id, detail: { targets } }
    await noteDeletion(tx, { action: 'identity.delete', ...about })
  })
  await people.remove(person.id)
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
