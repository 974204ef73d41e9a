/** Requests to the API: the example of each operation in the OpenAPI document, with some of its values replaced. */
import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import fc from 'fast-check'
import { sample } from 'openapi-sampler'
import { fraction } from './mutate.ts'

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } }
  readonly responses: Readonly<Record<string, object>>
}

/** One generated request, before IDs of existing resources are filled in. */
export interface Draft {
  readonly operation: number
  /** Positions in the list of known IDs, from 0 to 1, or texts. */
  readonly ids: readonly (number | string)[]
  readonly edits: readonly { readonly at: number; readonly value: unknown }[]
  readonly parameters: readonly number[]
  /** Whether the body has only the required members. */
  readonly isMinimal: boolean
}

const oddText = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '\u0301'.repeat(900),
    'x'.repeat(70_000),
    '__proto__',
    '../..',
    "'; --",
    '127.0.0.1',
    'null',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const oddValue = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1e21,
    5e-324,
    2 ** 31,
    [],
    {},
    [[]],
    'CATEGORY_HIGH',
    '2026-02-30T00:00:00Z',
  ),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
)

export const drafts: fc.Arbitrary<Draft> = fc.record({
  operation: fraction,
  ids: fc.array(fc.oneof({ weight: 9, arbitrary: fraction }, { weight: 1, arbitrary: oddText }), {
    minLength: 3,
    maxLength: 3,
  }),
  edits: fc.array(
    fc.record({
      at: fraction,
      value: fc.oneof(
        oddValue,
        fraction.map((at) => ({ id: at })),
      ),
    }),
    { maxLength: 3 },
  ),
  parameters: fc.array(fraction, { maxLength: 4 }),
  isMinimal: fc.boolean(),
})

export function operationOf(document: ApiDocument, { method, path }: Endpoint): Operation | undefined {
  return document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
}

/** IDs of existing resources, of this workspace and of others, by the first part of their path. */
export type KnownIds = ReadonlyMap<string, readonly string[]>

/** The first part of a path, such as `tags`. */
export function nounOf({ path }: Endpoint): string {
  return path.split('/')[2] ?? ''
}

/** How many of the IDs in paths are of the kind that the call expects. */
const fittingIds = 0.8

export function requestOf(draft: Draft, endpoints: readonly Endpoint[], document: ApiDocument, knownIds: KnownIds) {
  const endpoint = pick(endpoints, draft.operation)
  const operation = operationOf(document, endpoint)
  const allIds = [...knownIds.values()].flat()
  const ownIds = knownIds.get(nounOf(endpoint)) ?? allIds
  const idOf = (item: number | string | undefined) => {
    if (typeof item !== 'number') return item ?? ''
    return item < fittingIds ? pick(ownIds, item / fittingIds) : pick(allIds, (item - fittingIds) / (1 - fittingIds))
  }
  let url: string = endpoint.path
  for (const [index, name] of pathParameters(url).entries())
    url = url.replace(`:${name}`, () => encodeURIComponent(idOf(draft.ids[index]).toWellFormed()))
  const replacements = draft.edits.map(({ at, value }) => ({
    at,
    value: isId(value) ? pick(allIds, value.id) : value,
  }))
  if (!hasQuery(endpoint.method)) {
    const schema = operation?.requestBody?.content['application/json'].schema
    const body = edited(
      schema ? Object(sample(schema, { skipNonRequired: draft.isMinimal }, document)) : {},
      replacements,
    )
    return { endpoint, url, payload: JSON.stringify(body) }
  }
  const inQuery = operation?.parameters?.filter((parameter) => parameter.in === 'query') ?? []
  const query = new URLSearchParams()
  for (const [index, at] of draft.parameters.entries()) {
    if (inQuery.length === 0) break
    const { name, schema } = pick(inQuery, at)
    const value = replacements[index]?.value ?? sample(schema, {}, document)
    query.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return { endpoint, url: query.size > 0 ? `${url}?${query}` : url, payload: undefined }
}

function pick<T>(items: readonly T[], at: number): T {
  return items[Math.floor(at * items.length)] as T // at is below 1, and no list is empty
}

function isId(value: unknown): value is { readonly id: number } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'number' &&
    Object.keys(value).length === 1
  )
}

/** A copy of a document with values at some places replaced. */
function edited(document: object, edits: Draft['edits']): unknown {
  const copy: unknown = structuredClone(document)
  for (const { at, value } of edits) {
    const places = placesIn(copy)
    if (places.length === 0) continue
    const [parent, name] = pick(places, at)
    parent[name] = value
  }
  return copy
}

function placesIn(value: unknown): readonly (readonly [Record<string, unknown>, string])[] {
  if (typeof value !== 'object' || value === null) return []
  const parent = value as Record<string, unknown> // of a JSON document; arrays have names too
  return Object.keys(parent).flatMap((name) => [[parent, name] as const, ...placesIn(parent[name])])
}
