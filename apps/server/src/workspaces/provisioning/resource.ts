/** The SCIM attributes that are stored, and the resources as they are read and written (RFC 7643, section 4). */
import type { UserAttributes, UserEmail } from '#database/tables/provisioning.ts'
import { ScimError, badValue } from '#workspaces/provisioning/scim-error.ts'
import { z } from 'zod'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

export type ResourceKind = 'User' | 'Group'
export type Resource = Record<string, unknown>

export interface AttributeRule {
  /** The name in canonical case; names are compared without case. */
  readonly name: string
  readonly isReadOnly?: true
  readonly isRequired?: true
  readonly isMultiValued?: true
  /** Names of sub-attributes, for complex attributes. */
  readonly parts?: readonly string[]
}

const common: readonly AttributeRule[] = [
  { name: 'id', isReadOnly: true },
  { name: 'meta', isReadOnly: true },
  { name: 'schemas', isReadOnly: true, isMultiValued: true },
  { name: 'externalId' },
]
export const attributes: Readonly<Record<ResourceKind, readonly AttributeRule[]>> = {
  User: [
    ...common,
    { name: 'userName', isRequired: true },
    {
      name: 'name',
      parts: ['formatted', 'familyName', 'givenName', 'middleName', 'honorificPrefix', 'honorificSuffix'],
    },
    { name: 'displayName' },
    { name: 'active', isRequired: true },
    { name: 'emails', isMultiValued: true, parts: ['value', 'display', 'type', 'primary'] },
    { name: 'groups', isReadOnly: true, isMultiValued: true, parts: ['value', '$ref', 'display', 'type'] },
  ],
  Group: [
    ...common,
    { name: 'displayName', isRequired: true },
    { name: 'members', isMultiValued: true, parts: ['value', '$ref', 'type'] },
  ],
}

/** Attributes of RFC 7643 that providers send by default. They are accepted and not stored. */
const unstored = new Set(
  `nickName profileUrl title userType preferredLanguage locale timezone password phoneNumbers ims photos addresses
  entitlements roles x509Certificates`
    .toLowerCase()
    .split(/\s+/),
)

/** The rule of an attribute; null for one that is not stored. @throws ScimError for an unknown one */
export function ruleOf(kind: ResourceKind, name: string): AttributeRule | null {
  const wanted = name.toLowerCase()
  const rule = attributes[kind].find((candidate) => candidate.name.toLowerCase() === wanted)
  if (rule) return rule
  if (kind === 'User' && unstored.has(wanted)) return null
  throw new ScimError(400, `The attribute ${name.slice(0, 100)} is unknown`, 'invalidPath')
}

const optional = <Item extends z.ZodType>(item: Item) => z.preprocess((value) => value ?? undefined, item.optional())
const text = z.string().max(1000)
const name = z.string().trim().min(1).max(254)
/** Microsoft Entra ID sends booleans as the texts `True` and `False`. */
const flag = z.preprocess((value) => {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  return word === 'true' ? true : word === 'false' ? false : word
}, z.boolean())
const email = z.object({ value: name, type: optional(text), display: optional(text), primary: optional(flag) })

const UserBody = z.object({
  userName: name,
  externalId: optional(z.string().max(254)),
  active: z.preprocess((value) => value ?? true, flag),
  name: optional(z.record(z.string(), z.union([text, z.null()]))),
  displayName: optional(text),
  emails: optional(z.array(email).max(20)),
})
const GroupBody = z.object({
  displayName: name,
  externalId: optional(z.string().max(254)),
  members: z.preprocess(
    (value) => value ?? [],
    z.array(z.object({ value: z.uuid('The value of a member must be the ID of a user') })).max(10_000),
  ),
})

export interface UserInput {
  readonly userName: string
  readonly externalId: string | null
  readonly isActive: boolean
  readonly email: string | null
  readonly attributes: UserAttributes
}
export interface GroupInput {
  readonly name: string
  readonly externalId: string | null
  readonly userIds: readonly string[]
}

/** @throws ScimError for a missing or wrong value */
export function readUser(resource: unknown): UserInput {
  const body = parsed(UserBody, canonical('User', resource))
  const names = Object.entries(body.name ?? {}).flatMap(([part, value]) => (value ? [[part, value] as const] : []))
  if ((body.emails ?? []).filter(({ primary }) => primary).length > 1)
    throw badValue('Only one email address can be primary')
  return {
    userName: body.userName,
    externalId: body.externalId ?? null,
    isActive: body.active,
    email: addressOf(body),
    attributes: {
      ...(names.length > 0 && { name: Object.fromEntries(names) }),
      ...(body.displayName && { displayName: body.displayName }),
      ...(body.emails && body.emails.length > 0 && { emails: body.emails }),
    },
  }
}

/** @throws ScimError for a missing or wrong value */
export function readGroup(resource: unknown): GroupInput {
  const body = parsed(GroupBody, canonical('Group', resource))
  const userIds = [...new Set(body.members.map(({ value }) => value.toLowerCase()))]
  return { name: body.displayName, externalId: body.externalId ?? null, userIds }
}

/** The primary address, the work address, the first one, or the username if it is an address. */
function addressOf({ userName, emails = [] }: { userName: string; emails?: readonly UserEmail[] | undefined }) {
  const chosen = emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type === 'work') ?? emails[0]
  return [chosen?.value, userName].find((address) => address !== undefined && /^[^\s@]+@[^\s@]+$/.test(address)) ?? null
}

/** The stored attributes with their names in canonical case. */
function canonical(kind: ResourceKind, resource: unknown): Resource {
  if (!isRecord(resource)) throw new ScimError(400, 'The body must be a JSON object', 'invalidSyntax')
  const found = Object.entries(resource).flatMap(([key, value]) => {
    const rule = attributes[kind].find((candidate) => candidate.name.toLowerCase() === key.toLowerCase())
    return rule ? [[rule.name, rule.parts ? canonicalParts(rule.parts, value) : value] as const] : []
  })
  const { schemas, ...values } = Object.fromEntries(found)
  const expected = kind === 'User' ? userSchema : groupSchema
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(expected)))
    throw new ScimError(400, `The attribute schemas must include ${expected}`, 'invalidSyntax')
  return values
}

/** A complex value, or a list of them, with the names of its known parts in canonical case. */
export function canonicalParts(parts: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonicalParts(parts, item))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const part = parts.find((candidate) => candidate.toLowerCase() === key.toLowerCase())
      return part ? [[part, item] as const] : []
    }),
  )
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw badValue(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'Invalid value'}`)
}
