/** The schemas of the contract as components of the OpenAPI document, each under the name it is exported by. */
import * as access from '@glacis/contract/access'
import * as subscription from '@glacis/contract/subscription'
import * as agent from '@glacis/contract/agent'
import * as channel from '@glacis/contract/channel'
import { type Endpoint, pathParameters } from '@glacis/contract/endpoint'
import { GroupRole } from '@glacis/contract/group-role'
import * as host from '@glacis/contract/host'
import * as insights from '@glacis/contract/insights'
import * as installation from '@glacis/contract/installation'
import * as invitation from '@glacis/contract/invitation'
import * as issue from '@glacis/contract/issue'
import { ApiErrorBody, Empty, Flag, SeverityCount, UpdateMask } from '@glacis/contract/primitives'
import * as machine from '@glacis/contract/machine'
import * as product from '@glacis/contract/product'
import * as provisioning from '@glacis/contract/provisioning'
import { Role } from '@glacis/contract/role'
import * as runner from '@glacis/contract/runner'
import * as scan from '@glacis/contract/scan'
import * as search from '@glacis/contract/search'
import * as signInProvider from '@glacis/contract/sign-in-provider'
import * as tag from '@glacis/contract/tag'
import * as target from '@glacis/contract/target'
import * as threat from '@glacis/contract/threat'
import * as triage from '@glacis/contract/triage'
import * as view from '@glacis/contract/view'
import * as workspace from '@glacis/contract/workspace'
import { descriptions, examples } from '#http/openapi-descriptions.ts'
import { z } from 'zod/mini'

export type Schema = z.core.JSONSchema.BaseSchema
type Io = 'input' | 'output'

const exported = Object.entries({
  ApiError: ApiErrorBody,
  Empty,
  GroupRole,
  Role,
  SeverityCount,
  UpdateMask,
  ...access,
  ...subscription,
  ...agent,
  ...channel,
  ...host,
  ...insights,
  ...installation,
  ...invitation,
  ...issue,
  ...machine,
  ...product,
  ...provisioning,
  ...runner,
  ...scan,
  ...search,
  ...signInProvider,
  ...tag,
  ...target,
  ...threat,
  ...triage,
  ...view,
  ...workspace,
})

/** An endpoint of the contract, or a call that responds with a file. */
export type DocumentedCall = Pick<Endpoint, 'method' | 'path' | 'input'> & { readonly result?: z.ZodMiniType }

/** The name an endpoint is exported by, which is its operation ID. @throws if its module is missing above */
export function nameOf(endpoint: Endpoint): string {
  const found = exported.find(([, value]) => value === endpoint)
  if (!found) throw new Error(`No listed module of the contract exports ${endpoint.method} ${endpoint.path}`)
  return found[0]
}

/**
 * Converts all entities and the schemas of these calls, keyed by operation ID.
 * An entity whose input differs from its output, for example by a default, also has a component `…Input`.
 */
export function schemasOf(calls: ReadonlyMap<string, DocumentedCall>) {
  const inputs = z.registry<{ id: string }>()
  const outputs = z.registry<{ id: string }>()
  for (const [name, schema] of exported) {
    if (!(schema instanceof z.ZodMiniType) || !/^[A-Z]/.test(name)) continue
    outputs.add(schema, { id: name })
    inputs.add(schema, { id: isSymmetric(schema) ? name : `${name}Input` })
  }
  for (const [operationId, { path, input, result }] of calls) {
    const inPath = pathParameters(path)
    const inBody = Object.entries(input.shape).filter(([name]) => !inPath.includes(name))
    inputs.add(input.clone(), { id: `${operationId}.input` })
    inputs.add(z.strictObject(Object.fromEntries(inBody)), { id: `${capitalized(operationId)}Request` })
    // Calls can share one result schema; each gets its own component unless the result is an entity.
    if (result && !outputs.has(result)) outputs.add(result.clone(), { id: `${capitalized(operationId)}Response` })
  }
  const components: Readonly<Record<string, Schema>> = {
    ...convert(outputs, 'output'),
    ...mapped(convert(inputs, 'input'), described),
  }
  return {
    /** Query or body of a call, path parameters included. */
    inputOf: (operationId: string) => components[`${operationId}.input`] ?? {},
    bodyOf: (operationId: string) => reference(`${capitalized(operationId)}Request`),
    resultOf(operationId: string): Schema {
      const result = calls.get(operationId)?.result
      return reference((result && outputs.get(result)?.id) ?? `${capitalized(operationId)}Response`)
    },
    resolve: (schema: Schema) => (schema.$ref ? (components[schema.$ref.slice(prefix.length)] ?? {}) : schema),
    /** `components.schemas` with what this part of the document references, directly or not. */
    referencedBy(part: unknown): Record<string, Schema> {
      const used = new Set<string>()
      const follow = (value: unknown) => {
        for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
          if (used.has(name)) continue
          used.add(name)
          follow(components[name])
        }
      }
      follow(part)
      return Object.fromEntries([...used].toSorted().map((name) => [name, components[name] ?? {}]))
    },
  }
}

const prefix = '#/components/schemas/'
export const reference = (name: string): Schema => ({ $ref: prefix + name })
const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

function convert(registry: z.core.$ZodRegistry<{ id: string }>, io: Io): Record<string, Schema> {
  const { schemas } = z.toJSONSchema(registry, { ...options, io, uri: (id) => prefix + id })
  for (const schema of Object.values(schemas)) {
    delete schema.$schema
    delete schema.$id
  }
  return schemas
}

function isSymmetric(schema: z.ZodMiniType): boolean {
  const [input, output] = (['input', 'output'] as const).map((io) => z.toJSONSchema(schema, { ...options, io }))
  return JSON.stringify(input) === JSON.stringify(output)
}

const options: Pick<z.core.ToJSONSchemaParams, 'unrepresentable' | 'override'> = {
  unrepresentable: 'any',
  /** Drops keywords that only restate a format or type, and allows additional properties in responses. */
  override({ zodSchema, jsonSchema }) {
    if (zodSchema === Flag) Object.assign(jsonSchema, { anyOf: undefined, type: 'boolean' })
    if (jsonSchema.format) delete jsonSchema.pattern
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    const { def } = zodSchema._zod
    if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties
  },
}

/** Adds descriptions and examples to the members of a schema; `parent` is the name of the component or property. */
function described(schema: Schema, parent: string): Schema {
  const { properties, items, anyOf } = schema
  const scope = parent.endsWith('Filter') ? 'filter' : parent
  return {
    ...schema,
    ...(properties && {
      properties: mapped(properties, (member, name) => {
        if (typeof member === 'boolean') return member
        const description = descriptions[`${scope}.${name}`] ?? descriptions[name]
        return { ...described(member, name), ...(description && { description }), ...exampleOf(member, name) }
      }),
    }),
    ...(isSchema(items) && { items: described(items, parent) }),
    ...(anyOf && { anyOf: anyOf.map((item) => described(item, parent)) }),
  }
}

function exampleOf({ type, enum: choices, items }: Schema, name: string): Schema {
  const example = examples[name]
  const isChoice = choices !== undefined || (isSchema(items) && items.enum !== undefined)
  const fits = !isChoice && type === (Array.isArray(example) ? 'array' : typeof example)
  return fits ? { examples: [example] } : {}
}

function isSchema(value: Schema['items']): value is Schema {
  return typeof value === 'object' && !Array.isArray(value)
}

function mapped<From, To>(values: Readonly<Record<string, From>>, change: (value: From, name: string) => To) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))
}
