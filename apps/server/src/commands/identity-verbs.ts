/** The subcommands of `glacis identity` and their output. */
import { text } from 'node:stream/consumers'
import type { IdentityAdmin, IdentitySummary } from '@glacis/identity'
import { createAccounts, identityOf } from '#accounts.ts'
import { recordIdentityEvent } from '#audit.ts'
import type { Database } from '#database/index.ts'
import { deletions, recordDeletion, operatorName } from '#deletions.ts'
import { CliError } from '#cli-error.ts'

/** The dependencies of the subcommands. */
interface Desk {
  readonly people: IdentityAdmin
  readonly database: Database
  /** The public origin. */
  readonly url: string
}

export interface Flags {
  readonly json: boolean
  readonly yes: boolean
  readonly verified: boolean
  readonly 'password-stdin': boolean
}

interface Answer {
  /** Text output. */
  readonly lines: readonly string[]
  /** JSON output, for `--json`. */
  readonly data: unknown
}

interface Verb {
  /** Names of the required arguments. */
  readonly takes: readonly string[]
  run(desk: Desk, words: readonly string[], flags: Flags): Promise<Answer>
}

/** By name. */
export const verbs: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['list', { takes: [], run: list }],
  ['show', { takes: ['<email or id>'], run: show }],
  ['create', { takes: ['<email>', '<first name>', '<last name>'], run: create }],
  ['disable', { takes: ['<email or id>'], run: (desk, words) => turn(desk, words, 'inactive') }],
  ['enable', { takes: ['<email or id>'], run: (desk, words) => turn(desk, words, 'active') }],
  ['reset-2fa', { takes: ['<email or id>'], run: resetSecondFactors }],
  ['delete', { takes: ['<email or id>'], run: remove }],
  ['deletions', { takes: [], run: listDeletions }],
])

async function list({ people }: Desk): Promise<Answer> {
  const everybody = await Array.fromAsync(people.list())
  const width = Math.max(0, ...everybody.map(({ email }) => email.length))
  const lines = everybody.map((person) => `${person.email.padEnd(width)}  ${wordsFor(person)}`)
  return {
    lines: everybody.length > 0 ? lines : ['No users yet.'],
    data: { identities: everybody.map(faceOf) },
  }
}

async function show({ people }: Desk, [who = '']: readonly string[]): Promise<Answer> {
  const person = await find(people, who)
  const { id, email, name, isVerified, credentials, sessions, createdAt, lastSignInAt } = person
  const rows = [
    ['Name', `${name.first} ${name.last}`],
    ['Email', `${email}${isVerified ? '' : ' (not verified)'}`],
    ['ID', id],
    ['State', person.state],
    ['Sign-in', credentials.join(', ') || 'recovery code only'],
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
  if (made.kind === 'taken') throw new CliError(`A user with the email ${email} already exists.`)
  if (made.kind === 'invalid') throw new CliError(`User not created: ${made.errors.join(' ')}`)
  const { identity: person } = made
  // The audit event needs an account, which is otherwise created by the first request.
  await createAccounts(database).of({ identity: identityOf(person) })
  await note(database, person, 'created')
  const how = password === undefined ? `${first} can set a password at ${url}/recovery.` : 'The password is set.'
  return { lines: [`Created ${person.email}. ${how}`], data: { identity: faceOf(person) } }
}

async function turn(
  { people, database }: Desk,
  [who = '']: readonly string[],
  state: IdentitySummary['state'],
): Promise<Answer> {
  const person = await find(people, who)
  const word = state === 'inactive' ? 'disabled' : 'enabled'
  if (person.state === state) {
    return { lines: [`${person.email} is already ${word}.`], data: { identity: faceOf(person) } }
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
  const news = `Removed from ${person.email}: ${removed.join(', ')}. All sessions ended. The user is notified by email.`
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
    throw new CliError(`This permanently deletes ${person.email}${weight}. Pass --yes to confirm.`)
  }
  // Disable sign-in first and delete the user last, so that a failed deletion can be repeated without orphaned data.
  if (person.state === 'active') await people.setState(person.id, 'inactive')
  await database.owner.transaction().execute(async (tx) => {
    if (account) await tx.deleteFrom('account').where('id', '=', account.id).execute()
    const about = { accountId: account?.id ?? null, identityId: person.id, detail: { targets } }
    await recordDeletion(tx, { action: 'identity.delete', ...about })
  })
  await people.remove(person.id)
  return {
    lines: [`Deleted ${person.email}${targets > 0 ? ` and ${counted(targets, 'scope')}` : ''}.`],
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
    lines: lines.length > 0 ? lines : ['No deletions yet.'],
    data: { deletions: all.map(({ at, ...one }) => ({ time: at.toISOString(), ...one })) },
  }
}

async function find(people: IdentityAdmin, who: string): Promise<IdentitySummary> {
  const person = await people.find(who)
  if (person) return person
  throw new CliError(`No user found for ${who}. Run "glacis identity list" to list all users.`)
}

/** Records the event in the audit trail, with the operating system user as operator. */
async function note(database: Database, person: IdentitySummary, kind: string, detail?: string): Promise<void> {
  const operator = operatorName()
  const from = { ip: '', userAgent: 'glacis identity', at: new Date() }
  await recordIdentityEvent(database, { kind, identityId: person.id, detail, operator, ...from })
}

function faceOf({ createdAt, lastSignInAt, isVerified, ...person }: IdentitySummary) {
  return {
    ...person,
    verified: isVerified,
    createTime: createdAt.toISOString(),
    ...(lastSignInAt && { lastSignInTime: lastSignInAt.toISOString() }),
  }
}

function wordsFor({ name, state, isVerified, credentials, sessions }: IdentitySummary): string {
  const notes = [
    state === 'inactive' && 'disabled',
    !isVerified && 'not verified',
    credentials.join(' ') || 'no password',
    sessions > 0 && counted(sessions, 'session'),
  ]
  return `${name.first} ${name.last} (${notes.filter(Boolean).join(', ')})`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
