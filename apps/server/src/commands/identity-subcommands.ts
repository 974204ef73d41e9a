/** The subcommands of `glacis identity` and their output. */
import { text } from 'node:stream/consumers'
import type { Session } from '@glacis/contract/identity'
import type { IdentityAdmin, IdentitySummary } from '@glacis/identity'
import { recordIdentityEvent } from '#audit.ts'
import type { Database } from '#database/index.ts'
import { deletions, recordDeletion, operatorName } from '#deletions.ts'
import { CliError, UsageError } from '#cli-error.ts'
import { revokeAdministration } from '#installation/index.ts'
import { createMemberships, endMemberships, personOf, soleWorkspacesOf } from '#workspaces/index.ts'

/** The dependencies of the subcommands. */
export interface IdentityContext {
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

export interface CommandOutput {
  /** Text output. */
  readonly lines: readonly string[]
  /** JSON output, for `--json`. */
  readonly data: unknown
}

export interface Subcommand {
  /** Also works with an external identity service. */
  readonly isIndependent?: true
  /** Names of the required arguments. */
  readonly parameters: readonly string[]
  run(context: IdentityContext, args: readonly string[], flags: Flags): Promise<CommandOutput>
}

/** By name. */
export const subcommands: ReadonlyMap<string, Subcommand> = new Map<string, Subcommand>([
  ['list', { parameters: [], run: list }],
  ['show', { parameters: ['USER'], run: show }],
  ['create', { parameters: ['EMAIL', 'FIRST_NAME', 'LAST_NAME'], run: create }],
  ['disable', { parameters: ['USER'], run: (context, args) => changeState(context, args, 'inactive') }],
  ['enable', { parameters: ['USER'], run: (context, args) => changeState(context, args, 'active') }],
  ['reset-2fa', { parameters: ['USER'], run: resetSecondFactors }],
  ['delete', { parameters: ['USER'], run: remove }],
  ['deletions', { parameters: [], run: listDeletions }],
])

async function list({ people }: IdentityContext): Promise<CommandOutput> {
  const users = await Array.fromAsync(people.list())
  const width = Math.max(0, ...users.map(({ email }) => email.length))
  const lines = users.map((person) => `${person.email.padEnd(width)}  ${summaryOf(person)}`)
  return {
    lines: users.length > 0 ? lines : ['No users yet.'],
    data: { identities: users.map(toJson) },
  }
}

async function show({ people }: IdentityContext, [who = '']: readonly string[]): Promise<CommandOutput> {
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
  return { lines: rows.map(([key, value]) => `${key?.padEnd(14)}${value}`), data: { identity: toJson(person) } }
}

async function create(
  { people, database, url }: IdentityContext,
  [email = '', first = '', last = '']: readonly string[],
  flags: Flags,
): Promise<CommandOutput> {
  const password = flags['password-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined
  const created = await people.create({ email, name: { first, last } }, { password, isVerified: flags.verified })
  if (created.kind === 'taken') throw new CliError(`A user with the email ${email} already exists.`)
  if (created.kind === 'invalid') throw new CliError(`User not created: ${created.errors.join(' ')}`)
  const { identity: person } = created
  // The audit event needs a workspace, which is otherwise created by the first request.
  await createMemberships(database).of(personOf({ identity: identityOf(person) }))
  await recordEvent(database, person, 'created')
  const nextStep = password === undefined ? `${first} can set a password at ${url}/recovery.` : 'The password is set.'
  return { lines: [`Created ${person.email}. ${nextStep}`], data: { identity: toJson(person) } }
}

async function changeState(
  { people, database }: IdentityContext,
  [who = '']: readonly string[],
  state: IdentitySummary['state'],
): Promise<CommandOutput> {
  const person = await find(people, who)
  const stateName = state === 'inactive' ? 'disabled' : 'enabled'
  if (person.state === state) {
    return { lines: [`${person.email} is already ${stateName}.`], data: { identity: toJson(person) } }
  }
  await people.setState(person.id, state)
  await recordEvent(database, person, stateName)
  const sessionsEnded =
    person.sessions > 0 && state === 'inactive' ? ` ${counted(person.sessions, 'session')} ended.` : ''
  return {
    lines: [`${person.email} is ${stateName}.${sessionsEnded}`],
    data: { identity: toJson(await find(people, person.id)) },
  }
}

async function resetSecondFactors(
  { people, database }: IdentityContext,
  [who = '']: readonly string[],
): Promise<CommandOutput> {
  const person = await find(people, who)
  const removed = await people.resetSecondFactors(person.id)
  const data = { identity: toJson(await find(people, person.id)), removed }
  if (removed.length === 0) return { lines: [`${person.email} has no second factor.`], data }
  await recordEvent(database, person, 'second_factors_reset', removed.join(', '))
  const message = `Removed from ${person.email}: ${removed.join(', ')}. All sessions ended. The user is notified by email.`
  return { lines: [message], data }
}

async function remove(
  { people, database }: IdentityContext,
  [who = '']: readonly string[],
  { yes }: Flags,
): Promise<CommandOutput> {
  const person = await find(people, who)
  const sole = await soleWorkspacesOf(database, person.id)
  const targets = sole.reduce((sum, workspace) => sum + workspace.targets, 0)
  if (!yes) {
    const targetText = targets > 0 ? ` with ${counted(targets, 'target')} and everything found in them` : ''
    throw new UsageError(`This permanently deletes ${person.email}${targetText}. Pass --yes to confirm.`)
  }
  // Disable sign-in first and delete the user last, so that a failed deletion can be repeated without orphaned data.
  if (person.state === 'active') await people.setState(person.id, 'inactive')
  await database.owner.transaction().execute(async (tx) => {
    const ids = sole.map(({ id }) => id)
    if (ids.length > 0) await tx.deleteFrom('workspace').where('id', 'in', ids).execute()
    await endMemberships(tx, person.id)
    await revokeAdministration(tx, person.id)
    const subject = { identityId: person.id, detail: { targets } }
    for (const accountId of ids.length > 0 ? ids : [null])
      await recordDeletion(tx, { action: 'identity.delete', accountId, ...subject })
  })
  await people.remove(person.id)
  return {
    lines: [`Deleted ${person.email}${targets > 0 ? ` and ${counted(targets, 'target')}` : ''}.`],
    data: { removed: { id: person.id, email: person.email, targets } },
  }
}

async function listDeletions({ database }: IdentityContext): Promise<CommandOutput> {
  const all = await deletions(database.owner)
  const lines = all.map(
    ({ at, operator, action, accountId, identityId }) =>
      `${at.toISOString()}  ${action.padEnd(16)}${identityId ?? accountId ?? ''}  by ${operator}`,
  )
  return {
    lines: lines.length > 0 ? lines : ['No deletions yet.'],
    data: { deletions: all.map(({ at, ...deletion }) => ({ time: at.toISOString(), ...deletion })) },
  }
}

async function find(people: IdentityAdmin, who: string): Promise<IdentitySummary> {
  const person = await people.find(who)
  if (person) return person
  throw new CliError(`No user found for ${who}. Run "npx glacis identity list" to list all users.`)
}

/** Records the event in the audit log, with the operating system user as operator. */
async function recordEvent(database: Database, person: IdentitySummary, kind: string, detail?: string): Promise<void> {
  const operator = operatorName()
  const from = { ip: '', userAgent: 'glacis identity', at: new Date() }
  await recordIdentityEvent(database, { kind, identityId: person.id, detail, operator, ...from })
}

/** The identity as returned with a session. */
function identityOf({ id, email, name, isVerified }: IdentitySummary): Session['identity'] {
  return { id, traits: { email, name }, verifiable_addresses: [{ value: email, verified: isVerified }] }
}

function toJson({ createdAt, lastSignInAt, isVerified, ...person }: IdentitySummary) {
  return {
    ...person,
    verified: isVerified,
    createTime: createdAt.toISOString(),
    ...(lastSignInAt && { lastSignInTime: lastSignInAt.toISOString() }),
  }
}

function summaryOf({ name, state, isVerified, credentials, sessions }: IdentitySummary): string {
  const details = [
    state === 'inactive' && 'disabled',
    !isVerified && 'not verified',
    credentials.join(' ') || 'no password',
    sessions > 0 && counted(sessions, 'session'),
  ]
  return `${name.first} ${name.last} (${details.filter(Boolean).join(', ')})`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
