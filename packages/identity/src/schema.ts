/** The identity schema: what an account says of its person, and how a form asks for it. */
import { emailPattern } from '@glacis/contract/identity'
import { isFields } from '#http/body.ts'
import type { Traits } from '#store.ts'
import { type PlacedMessage, label, on } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

export const schemaId = 'default'

interface Leaf {
  readonly path: readonly string[]
  readonly title: string
  readonly format?: 'email'
  readonly minLength: number
  readonly maxLength: number
}

/** The longest address that can be mailed to, in characters: RFC 5321 section 4.5.3. */
export const emailLengthMax = 254

const leaves: readonly Leaf[] = [
  { path: ['email'], title: 'E-Mail', format: 'email', minLength: 3, maxLength: emailLengthMax },
  { path: ['name', 'first'], title: 'First name', minLength: 1, maxLength: 128 },
  { path: ['name', 'last'], title: 'Last name', minLength: 1, maxLength: 128 },
]

/** The schema document, JSON Schema draft 7 with the service's extension key. */
export const schemaDocument = {
  $id: 'https://glacis.example/schemas/person.schema.json',
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Person',
  type: 'object',
  properties: {
    traits: {
      type: 'object',
      properties: {
        email: {
          type: 'string',
          format: 'email',
          title: 'E-Mail',
          minLength: 3,
          maxLength: emailLengthMax,
          'ory.sh/kratos': {
            credentials: {
              password: { identifier: true },
              code: { identifier: true, via: 'email' },
              webauthn: { identifier: true },
              passkey: { display_name: true },
              totp: { account_name: true },
            },
            verification: { via: 'email' },
            recovery: { via: 'email' },
          },
        },
        name: {
          type: 'object',
          properties: {
            first: { type: 'string', title: 'First name', minLength: 1, maxLength: 128 },
            last: { type: 'string', title: 'Last name', minLength: 1, maxLength: 128 },
          },
          required: ['first', 'last'],
          additionalProperties: false,
        },
      },
      required: ['email', 'name'],
      additionalProperties: false,
    },
  },
} as const

/** How the schema is named in an address. */
export const schemaSlug = Buffer.from(schemaId).toString('base64url')

/** The label of the field by which a person signs in. */
export const identifierLabel = label.trait('traits.email', 'E-Mail')

/** Names of the traits' fields, in schema order. */
export const traitNames: readonly string[] = leaves.map(nameOf)

/** The form an address has wherever it is compared. */
export function normalAddress(value: string): string {
  return value.trim().toLowerCase()
}

/** A field per trait, in schema order, filled in when the traits are known. */
export function traitNodes(group: string, traits?: Traits): Node[] {
  return leaves.map((leaf) => {
    const name = nameOf(leaf)
    const value = traits && valueAt(traits, leaf.path)
    const isEmail = leaf.format === 'email'
    return input(group, name, isEmail ? 'email' : 'text', {
      value: typeof value === 'string' ? value : undefined,
      required: true,
      ...(isEmail && { autocomplete: 'email' }),
      label: label.trait(name, leaf.title),
    })
  })
}

/** What a form that has traits sent for each, by field name, to be shown again; undefined where nothing. */
export function typedTraits(value: unknown): ReadonlyMap<string, string | undefined> {
  if (!isFields(value)) return new Map()
  return new Map(
    leaves.map((leaf) => {
      const text = valueAt(value, leaf.path)
      return [nameOf(leaf), typeof text === 'string' ? text : undefined]
    }),
  )
}

export type TraitsReading =
  | { readonly kind: 'traits'; readonly traits: Traits }
  | { readonly kind: 'invalid'; readonly messages: readonly PlacedMessage[] }

/** Reads traits as they were sent; every fault is told on its field. */
export function readTraits(value: unknown): TraitsReading {
  const messages = [...unknownTraits(value), ...leaves.flatMap((leaf) => faultsOf(leaf, valueAt(value, leaf.path)))]
  if (messages.length > 0) return { kind: 'invalid', messages }
  const text = (path: readonly string[]) => String(valueAt(value, path))
  return {
    kind: 'traits',
    traits: { email: text(['email']).trim(), name: { first: text(['name', 'first']), last: text(['name', 'last']) } },
  }
}

function faultsOf(leaf: Leaf, value: unknown): PlacedMessage[] {
  const field = nameOf(leaf)
  if (value === undefined) return [on(field, problem.required(leaf.path.at(-1) ?? field))]
  if (typeof value !== 'string') return [on(field, problem.wrongType('string', typeOf(value)))]
  const { length } = Array.from(value)
  if (length > 0 && isBlank(value)) return [on(field, problem.required(leaf.path.at(-1) ?? field))]
  return [
    leaf.format === 'email' && !isEmail(value) && emailFault(value),
    length < leaf.minLength && problem.tooShort(leaf.minLength, length),
    length > leaf.maxLength && problem.tooLong(leaf.maxLength, length),
  ].flatMap((fault) => (fault ? [on(field, fault)] : []))
}

/** True where nothing is to be seen; U+2800, U+3164 and U+FFA0 are letters and symbols that show as blanks. */
function isBlank(value: string): boolean {
  return /^[\s\p{C}\u2800\u3164\uFFA0]*$/u.test(value)
}

function emailFault(value: string) {
  return value === '' ? problem.generic('"" is not valid "email"') : problem.email(value)
}

/** An address that mail can reach, by the rule with which the portal reads it back; spaces around it are no fault. */
export function isEmail(value: string): boolean {
  return emailPattern.test(value.trim())
}

function unknownTraits(value: unknown): PlacedMessage[] {
  if (!isFields(value)) return []
  const outer = Object.keys(value).filter((key) => key !== 'email' && key !== 'name')
  const name = value['name']
  const inner = isFields(name) ? Object.keys(name).filter((key) => key !== 'first' && key !== 'last') : []
  return [
    ...outer.map((key) => on('traits', unknownTrait(key))),
    ...inner.map((key) => on('traits.name', unknownTrait(key))),
  ]
}

function unknownTrait(key: string) {
  return problem.generic(`additionalProperties ${JSON.stringify(key)} not allowed`)
}

function nameOf({ path }: Leaf): string {
  return `traits.${path.join('.')}`
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isFields(at) && Object.hasOwn(at, key) ? at[key] : undefined), value)
}

/** The type of a value in the words of JSON Schema. */
function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
