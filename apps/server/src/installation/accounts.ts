/** The accounts of all users, and the workspaces. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/installation'
import type { Account } from '@glacis/contract/installation'
import type { IdentityAdmin, IdentitySummary } from '@glacis/identity'
import { recordIdentityEvent } from '#audit.ts'
import { cutPage, readPage } from '#database/page.ts'
import { ApiError, notFound } from '#errors.ts'
import type { Visit } from '#ctx.ts'
import type { Administration } from '#installation/administration.ts'
import { administratorIds } from '#installation/administrators.ts'
import { sql } from 'kysely'

/** @throws ApiError `precondition` with an external identity service */
export async function listAccounts(
  administration: Administration,
  { person }: Visit,
  input: ParsedInputOf<typeof contract.listAccounts>,
): Promise<ResultOf<typeof contract.listAccounts>> {
  const people = ownPeople(administration)
  const page = readPage(input, ['accounts', input.query])
  const after = page.after && { createdAt: new Date(String(page.after[0])), id: String(page.after[1]) }
  const rows = await people.page({ after, query: input.query ?? '', limit: page.size + 1 })
  const { rows: shown, nextPageToken } = cutPage(page, rows, (row) => [row.createdAt.toISOString(), row.id])
  return { accounts: await toAccounts(administration, person.identityId, shown), nextPageToken }
}

/** @throws ApiError `not_found`; `precondition` for one's own account, or with an external identity service */
export async function setAccountState(
  administration: Administration,
  { person, actor }: Visit,
  { id, state }: ParsedInputOf<typeof contract.setAccountState>,
): Promise<ResultOf<typeof contract.setAccountState>> {
  const people = ownPeople(administration)
  const found = await people.find(id)
  if (!found) throw notFound('account', id)
  if (id === person.identityId) throw new ApiError('precondition', 'You cannot disable or enable your own account')
  const next = state === 'STATE_ACTIVE' ? 'active' : 'inactive'
  if (found.state !== next) {
    await people.setState(id, next)
    await recordIdentityEvent(administration.database, {
      kind: next === 'active' ? 'enabled' : 'disabled',
      identityId: id,
      ip: actor.ip,
      userAgent: actor.userAgent ?? '',
      at: new Date(),
      operator: actor.name,
    })
  }
  const [account] = await toAccounts(administration, person.identityId, [{ ...found, state: next }])
  if (!account) throw new Error('one account in, one out')
  return { account }
}

function ownPeople({ people, config }: Administration): IdentityAdmin {
  if (people) return people
  throw new ApiError(
    'precondition',
    `Users are managed by the identity service at ${config.identityUrl}. Use its own tools`,
  )
}

async function toAccounts(
  { database: { owner } }: Administration,
  you: string,
  people: readonly IdentitySummary[],
): Promise<Account[]> {
  const ids = people.map(({ id }) => id)
  const [administrators, { rows }] = await Promise.all([
    administratorIds(owner),
    sql<{ id: string; names: string[] }>`
      select identity_id as id, array_agg(workspace.name order by workspace.name) as names
      from member join workspace on workspace.id = member.account_id
      where identity_id = any(${ids}) and left_at is null
      group by identity_id`.execute(owner),
  ])
  const namesById = new Map(rows.map(({ id, names }) => [id, names]))
  return people.map(({ id, name, email, isVerified, state, createdAt, lastSignInAt }) => ({
    id,
    name: `${name.first} ${name.last}`.trim(),
    email,
    isVerified,
    state: state === 'active' ? 'STATE_ACTIVE' : 'STATE_DISABLED',
    isAdministrator: administrators.has(id),
    isYou: id === you,
    workspaces: namesById.get(id) ?? [],
    createTime: createdAt.toISOString(),
    ...(lastSignInAt && { lastSignInTime: lastSignInAt.toISOString() }),
  }))
}

interface WorkspaceRow {
  readonly id: string
  readonly name: string
  readonly owners: string[]
  readonly members: number
  readonly targets: number
  readonly hosts: number
  readonly created_at: Date
  readonly used_at: Date | null
  readonly deletes_at: Date | null
}

export async function listAllWorkspaces(
  { database: { owner } }: Administration,
  input: ParsedInputOf<typeof contract.listAllWorkspaces>,
): Promise<ResultOf<typeof contract.listAllWorkspaces>> {
  const page = readPage(input, ['workspaces'])
  const { rows } = await sql<WorkspaceRow>`
    select id, name, created_at, deletes_at, member.*,
      (select count(*) from target where target.account_id = workspace.id and deleted_at is null) as targets,
      (select count(*) from host where host.account_id = workspace.id) as hosts
    from workspace
    left join lateral (
      select count(*) as members, max(last_used_at) as used_at,
        coalesce(array_agg(email order by email) filter (where role = 'owner'), '{}') as owners
      from member where member.account_id = workspace.id and left_at is null
    ) as member on true
    where ${page.after === null} or id > ${page.after?.[0] ?? null}::uuid
    order by id
    limit ${page.size + 1}`.execute(owner)
  const { rows: shown, nextPageToken } = cutPage(page, rows, ({ id }) => [id])
  const workspaces = shown.map(({ created_at, used_at, deletes_at, ...row }) => ({
    ...row,
    createTime: created_at.toISOString(),
    ...(used_at && { lastActiveTime: used_at.toISOString() }),
    ...(deletes_at && { deleteTime: deletes_at.toISOString() }),
  }))
  return { workspaces, nextPageToken }
}
