/** Filters and pages of SCIM lists (RFC 7644, section 3.4.2). */
import type { ResourceKind } from '#workspaces/provisioning/resource.ts'
import { ScimError, badValue } from '#workspaces/provisioning/scim-error.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Filter, parse } from 'scim2-parse-filter'
import { z } from 'zod'

/** Maximum number of resources per response. */
export const countMax = 200
const filterLengthMax = 2000

export interface ListQuery {
  readonly filter: string | undefined
  /** Number of resources to skip. */
  readonly offset: number
  readonly count: number
}

const whole = z.coerce.number().int().catch(Number.NaN)
const Query = z.object({
  filter: z.string().max(filterLengthMax).optional(),
  startIndex: whole.optional(),
  count: whole.optional(),
})

/** Values below the minimum count as the minimum (RFC 7644, table 6). @throws ScimError for values that aren't numbers */
export function readListQuery(query: unknown): ListQuery {
  const { filter, startIndex = 1, count = 100 } = Query.parse(query)
  if (Number.isNaN(startIndex) || Number.isNaN(count)) throw badValue('startIndex and count must be whole numbers')
  return { filter, offset: Math.max(startIndex, 1) - 1, count: Math.min(Math.max(count, 0), countMax) }
}

type Value = boolean | null | number | string
interface Column {
  readonly sql: RawBuilder<unknown>
  readonly kind: 'text' | 'folded text' | 'uuid' | 'time' | 'flag'
}

const columns: Readonly<Record<ResourceKind, Readonly<Record<string, Column>>>> = {
  User: {
    id: { sql: sql.ref('id'), kind: 'uuid' },
    externalid: { sql: sql.ref('external_id'), kind: 'text' },
    username: { sql: sql`lower(user_name)`, kind: 'folded text' },
    displayname: { sql: sql`lower(attributes ->> 'displayName')`, kind: 'folded text' },
    'name.familyname': { sql: sql`lower(attributes -> 'name' ->> 'familyName')`, kind: 'folded text' },
    'name.givenname': { sql: sql`lower(attributes -> 'name' ->> 'givenName')`, kind: 'folded text' },
    emails: { sql: sql`lower(email)`, kind: 'folded text' },
    'emails.value': { sql: sql`lower(email)`, kind: 'folded text' },
    active: { sql: sql.ref('is_active'), kind: 'flag' },
    'meta.created': { sql: sql.ref('created_at'), kind: 'time' },
    'meta.lastmodified': { sql: sql.ref('updated_at'), kind: 'time' },
  },
  Group: {
    id: { sql: sql.ref('id'), kind: 'uuid' },
    externalid: { sql: sql.ref('external_id'), kind: 'text' },
    displayname: { sql: sql`lower(name)`, kind: 'folded text' },
    'meta.created': { sql: sql.ref('created_at'), kind: 'time' },
    'meta.lastmodified': { sql: sql.ref('updated_at'), kind: 'time' },
  },
}

/** The SQL condition of a filter. @throws ScimError `invalidFilter` */
export function conditionOf(kind: ResourceKind, text: string | undefined): RawBuilder<boolean> {
  if (text === undefined) return sql<boolean>`true`
  try {
    return condition(kind, parse(text))
  } catch (cause) {
    if (cause instanceof ScimError) throw cause
    throw invalidFilter(`The filter is not valid: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

function condition(kind: ResourceKind, filter: Filter): RawBuilder<boolean> {
  switch (filter.op) {
    case 'and':
    case 'or':
      return sql<boolean>`(${sql.join(
        filter.filters.map((part) => condition(kind, part)),
        filter.op === 'and' ? sql` and ` : sql` or `,
      )})`
    case 'not':
      return sql<boolean>`not coalesce(${condition(kind, filter.filter)}, false)`
    case '[]':
      throw invalidFilter('Filters with brackets are not supported in lists')
    case 'pr':
      return sql<boolean>`${columnOf(kind, filter.attrPath).sql} is not null`
    default:
      return comparison(kind, filter)
  }
}

function comparison(kind: ResourceKind, { op, attrPath, compValue }: Extract<Filter, { compValue: Value }>) {
  if (kind === 'Group' && /^members(\.value)?$/i.test(attrPath) && op === 'eq') return hasMember(compValue)
  const column = columnOf(kind, attrPath)
  const value = valueFor(column, compValue, attrPath)
  if (value === undefined) return sql<boolean>`${op === 'ne'}`
  const operators = { eq: sql`=`, ne: sql`is distinct from`, gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` }
  if (op in operators) return sql<boolean>`${column.sql} ${operators[op as keyof typeof operators]} ${value}` // `in` doesn't narrow `op`
  if (typeof value !== 'string' || column.kind === 'uuid') throw invalidFilter(`${op} requires a string attribute`)
  const literal = value.replace(/[\\%_]/g, String.raw`\$&`)
  const pattern = { co: `%${literal}%`, sw: `${literal}%`, ew: `%${literal}` }[op as 'co' | 'sw' | 'ew'] // the remaining operators
  return sql<boolean>`${column.sql} like ${pattern}`
}

function hasMember(value: Value): RawBuilder<boolean> {
  if (!z.uuid().safeParse(value).success) return sql<boolean>`false`
  return sql<boolean>`exists (
    select from provisioned_group_user as member
    where member.account_id = provisioned_group.account_id and group_id = provisioned_group.id and user_id = ${value})`
}

function columnOf(kind: ResourceKind, path: string): Column {
  const name = path.toLowerCase().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, '')
  const column = Object.hasOwn(columns[kind], name) ? columns[kind][name] : undefined
  if (column) return column
  throw invalidFilter(`Filters by ${path.slice(0, 100)} are not supported`)
}

/** @returns undefined for a value that no resource has */
function valueFor({ kind }: Column, value: Value, path: string): Value | Date | undefined {
  if (kind === 'flag') return typeof value === 'boolean' ? value : String(value).toLowerCase() === 'true'
  if (typeof value !== 'string') throw invalidFilter(`The value of ${path.slice(0, 100)} must be a string`)
  // The database stores no such text.
  if (value.includes('\0') || !value.isWellFormed()) return undefined
  if (kind === 'uuid') return z.uuid().safeParse(value).success ? value : undefined
  if (kind !== 'time') return kind === 'text' ? value : value.toLowerCase()
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) throw invalidFilter(`${value.slice(0, 100)} is not a time`)
  return time
}

function invalidFilter(message: string): ScimError {
  return new ScimError(400, message, 'invalidFilter')
}
