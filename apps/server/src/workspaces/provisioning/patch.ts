/**
 * Applies a PATCH request to a resource (RFC 7644, section 3.5.2). Operation names ignore case, and the value of an
 * operation without a path may use paths as keys, because Microsoft Entra ID and Okta send such requests.
 */
import {
  type AttributeRule,
  type Resource,
  type ResourceKind,
  canonicalParts,
  isRecord,
  ruleOf,
  userSchema,
  groupSchema,
} from '#workspaces/provisioning/resource.ts'
import { ScimError, badValue } from '#workspaces/provisioning/scim-error.ts'
import { filter as matcherOf, parse } from 'scim2-parse-filter'
import { z } from 'zod'

export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const PatchRequest = z.object({
  schemas: z.array(z.string()).refine((all) => all.includes(patchSchema), `schemas must include ${patchSchema}`),
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'remove', 'replace'])),
        path: z.string().max(500).nullish(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1000),
})
type Kind = z.infer<typeof PatchRequest>['Operations'][number]['op']

interface Target {
  readonly rule: AttributeRule
  readonly filter: string | undefined
  readonly part: string | undefined
}

/**
 * @returns the changed resource; the given one is unchanged
 * @throws ScimError for a wrong operation, path, or target
 */
export function applyPatch(kind: ResourceKind, resource: Resource, request: unknown): Resource {
  const parsed = PatchRequest.safeParse(withCanonicalKeys(request))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new ScimError(400, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'Invalid request'}`, 'invalidSyntax')
  }
  const changed = structuredClone(resource)
  for (const { op, path, value } of parsed.data.Operations) {
    for (const [place, part] of placesOf(op, path ?? '', value)) {
      const target = readPath(kind, place)
      if (target) applyTo(changed, op, target, part)
    }
  }
  return changed
}

function withCanonicalKeys(request: unknown): unknown {
  if (!isRecord(request) || !('operations' in request)) return request
  const { operations, ...rest } = request
  return { Operations: operations, ...rest }
}

function placesOf(op: Kind, path: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (path) return [[path, value]]
  if (op === 'remove') throw new ScimError(400, 'path must name the attribute to remove', 'noTarget')
  if (!isRecord(value)) throw badValue('The value of an operation without a path must be an object')
  return Object.entries(value)
}

const grammar = /^([a-z][\w-]*)(?:\[(.+)\])?(?:\.(\$?[a-z][\w-]*))?$/i

/** @returns null for an attribute that is not stored */
function readPath(kind: ResourceKind, path: string): Target | null {
  const own = `${kind === 'User' ? userSchema : groupSchema}:`
  const isOwn = path.toLowerCase().startsWith(own.toLowerCase())
  if (!isOwn && /^urn:/i.test(path)) return null
  const [, name, filter, part] = grammar.exec(isOwn ? path.slice(own.length) : path) ?? []
  if (!name) throw new ScimError(400, `The path ${path.slice(0, 100)} is not valid`, 'invalidPath')
  const rule = ruleOf(kind, name)
  if (!rule) return null
  const known = part && rule.parts?.find((candidate) => candidate.toLowerCase() === part.toLowerCase())
  if ((part && !known) || (filter && !rule.isMultiValued))
    throw new ScimError(400, `The path ${path.slice(0, 100)} is unknown`, 'invalidPath')
  return { rule, filter, part: known || undefined }
}

function applyTo(resource: Resource, op: Kind, { rule, filter, part }: Target, given: unknown): void {
  // Complete resources repeat what the server assigned, which is no change.
  if (rule.isReadOnly) {
    if (JSON.stringify(resource[rule.name]) === JSON.stringify(given)) return
    throw new ScimError(400, `The attribute ${rule.name} is read-only`, 'mutability')
  }
  const value = rule.parts && part === undefined ? canonicalParts(rule.parts, given) : given
  if (rule.isMultiValued) {
    resource[rule.name] = changedList(listOf(resource[rule.name]), op, { rule, filter, part }, value)
    return
  }
  if (part !== undefined) {
    resource[rule.name] = { ...recordOf(resource[rule.name]), [part]: op === 'remove' ? undefined : value }
    return
  }
  if (op === 'remove' && rule.isRequired)
    throw new ScimError(400, `The attribute ${rule.name} can't be removed`, 'mutability')
  if (op === 'remove') delete resource[rule.name]
  else if (rule.parts && isRecord(value)) resource[rule.name] = { ...recordOf(resource[rule.name]), ...value }
  else resource[rule.name] = value
}

function changedList(list: readonly Resource[], op: Kind, { rule, filter, part }: Target, value: unknown): unknown {
  if (filter !== undefined) return changedMatches(list, op, { rule, filter, part }, value)
  if (part !== undefined) {
    if (list.length === 0 && op === 'add') return [{ [part]: value }]
    return list.map((item) => ({ ...item, [part]: op === 'remove' ? undefined : value }))
  }
  if (op === 'replace') return value === null || value === undefined ? [] : [value].flat()
  if (op === 'add') return merged(list, [value].flat())
  // A list of values to remove is not in RFC 7644, but Microsoft Entra ID sends it.
  const removed = value === undefined ? null : new Set([value].flat().map(valueOf))
  return removed ? list.filter((item) => !removed.has(valueOf(item))) : []
}

/** Changes the values that a filter selects, as in `members[value eq "…"]`. */
function changedMatches(list: readonly Resource[], op: Kind, { rule, filter = '', part }: Target, value: unknown) {
  const matches = matcher(filter)
  if (!list.some(matches)) {
    if (op === 'remove') return list
    const assumed = equalityIn(filter)
    if (op === 'replace' || !assumed || part === undefined)
      throw new ScimError(400, `No value of ${rule.name} matches the filter`, 'noTarget')
    return [...list, { ...assumed, [part]: value }]
  }
  if (op === 'remove' && part === undefined) return list.filter((item) => !matches(item))
  const change = part === undefined ? recordOf(value) : { [part]: op === 'remove' ? undefined : value }
  return withOnePrimary(
    list.map((item) => (matches(item) ? { ...item, ...change } : item)),
    change['primary'] ? list.findIndex(matches) : -1,
  )
}

/** Appends values, except those that are already in the list. */
function merged(list: readonly Resource[], added: readonly unknown[]): unknown[] {
  const known = new Map(list.map((item) => [valueOf(item), item]))
  const isNewPrimary = added.some((item) => isRecord(item) && item['primary'])
  const kept = isNewPrimary ? list.map((item) => ({ ...item, primary: false })) : list
  const repeated = (item: Resource) => added.find((addedItem) => valueOf(addedItem) === valueOf(item))
  return [
    ...kept.map((item) => ({ ...item, ...recordOf(repeated(item)) })),
    ...added.filter((item) => !known.has(valueOf(item))),
  ]
}

/** At most one value is the primary one (RFC 7643, section 2.4). */
function withOnePrimary(list: readonly Resource[], primary: number): Resource[] {
  return list.map((item, index) => (primary >= 0 && index !== primary ? { ...item, primary: false } : item))
}

function matcher(text: string): (item: Resource) => boolean {
  try {
    return matcherOf(parse(text))
  } catch (cause) {
    throw new ScimError(400, `The filter ${text.slice(0, 100)} is not valid: ${String(cause)}`, 'invalidFilter')
  }
}

/** The values of a filter like `type eq "work"`, for a value that an operation adds. */
function equalityIn(text: string): Resource | null {
  const filter = parse(text)
  return filter.op === 'eq' && 'attrPath' in filter && 'compValue' in filter
    ? { [filter.attrPath]: filter.compValue }
    : null
}

function valueOf(item: unknown): unknown {
  return isRecord(item) ? item['value'] : item
}

function listOf(value: unknown): Resource[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function recordOf(value: unknown): Resource {
  return isRecord(value) ? value : {}
}
