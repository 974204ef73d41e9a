/** Schemas of the contract as JSON Schema, and what is asked of those. */
import { words } from '#http/openapi-words.ts'
import { z } from 'zod'

export type Json = { readonly [key: string]: unknown }

export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' })
  return rest
}

/** The members of an object by name; null for anything else. */
export function propertiesOf(schema: Json): Record<string, unknown> | null {
  const { properties } = schema
  return typeof properties === 'object' && properties !== null ? { ...properties } : null
}

export function isArray(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'array'
}

/** What is said of a parameter or member: by its dotted name, or by its own. */
export function wordsOf(dotted: string): string | undefined {
  return (
    words[dotted] ?? words[dotted.slice(dotted.indexOf('.') + 1)] ?? words[dotted.slice(dotted.lastIndexOf('.') + 1)]
  )
}

/** The same schema of a request with what is said of each of its members. */
export function inWords(schema: Json, above = ''): Json {
  const members = propertiesOf(schema)
  const { items, anyOf } = schema
  return {
    ...schema,
    ...(members && {
      properties: Object.fromEntries(
        Object.entries(members).map(([name, member]) => {
          const description = wordsOf(above + name)
          return [name, { ...inWords(asJson(member), `${above}${name}.`), ...(description && { description }) }]
        }),
      ),
    }),
    ...(typeof items === 'object' && items !== null && { items: inWords(asJson(items), above) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((one) => inWords(asJson(one), above)) }),
  }
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
