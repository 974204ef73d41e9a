/** Users and groups as SCIM resources. */
import { createHash } from 'node:crypto'
import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { type Resource, groupSchema, isRecord, userSchema } from '#workspaces/provisioning/resource.ts'
import { ScimError } from '#workspaces/provisioning/scim-error.ts'
import { type Selectable, sql } from 'kysely'

/** The dependencies of SCIM requests besides the database. */
export interface ScimService {
  /** Base URL of the SCIM service. */
  readonly url: string
  /**
   * The person with this verified email address; null if there is none, or if an external service manages the accounts.
   */
  findPerson(email: string): Promise<{ readonly id: string; readonly name: string } | null>
}

export type UserRow = Selectable<Tables['provisioned_user']>
export type GroupRow = Selectable<Tables['provisioned_group']>

/** A resource with its version, by which clients detect changes (RFC 7644, section 3.14). */
export interface Versioned {
  readonly resource: Resource
  readonly etag: string
}

export async function describeUsers(
  ctx: Ctx,
  { url }: Pick<ScimService, 'url'>,
  rows: readonly UserRow[],
): Promise<Versioned[]> {
  const ids = rows.map(({ id }) => id)
  const { rows: groups } = await sql<{ user_id: string; id: string; name: string }>`
    select user_id, provisioned_group.id, name
    from provisioned_group_user join provisioned_group using (account_id)
    where account_id = ${ctx.workspace} and group_id = provisioned_group.id and user_id = any(${ids}::uuid[])
    order by provisioned_group.id`.execute(ctx.tx)
  const former = await formerMembers(ctx, rows)
  return rows.map((row) =>
    versioned(`${url}/Users/${row.id}`, 'User', row, {
      schemas: [userSchema],
      id: row.id,
      ...(row.external_id !== null && { externalId: row.external_id }),
      userName: row.user_name,
      ...row.attributes,
      active: row.is_active && !former.has(row.identity_id ?? ''),
      groups: groups
        .filter(({ user_id }) => user_id === row.id)
        .map(({ id, name }) => ({ value: id, $ref: `${url}/Groups/${id}`, display: name, type: 'direct' })),
    }),
  )
}

export async function describeGroups(
  ctx: Ctx,
  { url }: Pick<ScimService, 'url'>,
  rows: readonly GroupRow[],
  { withMembers = true } = {},
): Promise<Versioned[]> {
  const ids = withMembers ? rows.map(({ id }) => id) : []
  const { rows: members } = await sql<{ group_id: string; user_id: string }>`
    select group_id, user_id from provisioned_group_user
    where account_id = ${ctx.workspace} and group_id = any(${ids}::uuid[])
    order by user_id`.execute(ctx.tx)
  const byGroup = Map.groupBy(members, ({ group_id }) => group_id)
  return rows.map((row) =>
    versioned(`${url}/Groups/${row.id}`, 'Group', row, {
      schemas: [groupSchema],
      id: row.id,
      ...(row.external_id !== null && { externalId: row.external_id }),
      displayName: row.name,
      members: (byGroup.get(row.id) ?? []).map(({ user_id }) => ({
        value: user_id,
        $ref: `${url}/Users/${user_id}`,
        type: 'User',
      })),
    }),
  )
}

/** @throws ScimError 412 if the resource has a version other than the one that the request expects */
export function requireVersion({ etag }: Versioned, expected: string | undefined): void {
  if (expected === undefined || expected === '*' || expected.split(/\s*,\s*/).includes(etag)) return
  throw new ScimError(412, 'The resource was changed in the meantime')
}

/** Keeps the attributes that a request selects (RFC 7644, section 3.4.2.5). */
export function project(
  resource: Resource,
  { attributes, excludedAttributes }: { attributes?: string | undefined; excludedAttributes?: string | undefined },
): Resource {
  const always = new Set(['schemas', 'id'])
  const wanted = namesIn(attributes)
  const unwanted = namesIn(excludedAttributes)
  const isKept = (path: string) =>
    wanted.size > 0
      ? wanted.has(path) || wanted.has(path.split('.')[0] ?? '')
      : !unwanted.has(path) && !unwanted.has(path.split('.')[0] ?? '')
  const parts = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => parts(name, item))
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([part]) => isKept(`${name}.${part.toLowerCase()}`)))
  }
  const hasPart = (name: string) => [...wanted].some((path) => path.startsWith(`${name}.`))
  return Object.fromEntries(
    Object.entries(resource).flatMap(([key, value]) => {
      const name = key.toLowerCase()
      if (always.has(name)) return [[key, value]]
      return isKept(name) || hasPart(name) ? [[key, parts(name, value)]] : []
    }),
  )
}

function namesIn(list: string | undefined): ReadonlySet<string> {
  const names = (list ?? '').split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter(Boolean).map((name) => name.replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/, '')))
}

function versioned(
  location: string,
  resourceType: string,
  row: { created_at: Date; updated_at: Date },
  resource: Resource,
): Versioned {
  const times = { created: row.created_at.toISOString(), lastModified: row.updated_at.toISOString() }
  const digest = createHash('sha256')
    .update(JSON.stringify([resource, times]))
    .digest('base64url')
  const etag = `W/"${digest.slice(0, 22)}"`
  return { resource: { ...resource, meta: { resourceType, ...times, location, version: etag } }, etag }
}

/** Identity IDs of people who were removed from the workspace, or left it. */
async function formerMembers(ctx: Ctx, rows: readonly UserRow[]): Promise<ReadonlySet<string>> {
  const identities = rows.flatMap(({ identity_id }) => identity_id ?? [])
  if (identities.length === 0) return new Set()
  const former = await ctx.tx
    .selectFrom('member')
    .select('identity_id')
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', 'in', identities)
    .where('left_at', 'is not', null)
    .execute()
  return new Set(former.map(({ identity_id }) => identity_id))
}
