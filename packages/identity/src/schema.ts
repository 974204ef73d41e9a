/** The identity schema: traits, their validation, and their form fields. */
import { emailPattern } from '@glacis/contract/identity'
import { isFields } from '#http/body.ts'
import type { Traits } from '#store.ts'
import { type FieldMessage, label, onField } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

export const schemaId = 'default'

interface TraitField {
  readonly path: readonly string[]
  readonly title: string
  readonly format?: 'email'
  readonly minLength: number
  readonly maxLength: number
}

/** Maximum length of an email address in characters (RFC 5321 section 4.5.3). */
export const emailLengthMax = 254

const traitFields: readonly TraitField[] = [
  { path: ['email'], title: 'E-Mail', format: 'email', minLength: 3, maxLength: emailLengthMax },
  { path: ['name', 'first'], title: 'First name', minLength: 1, maxLength: 128 },
  { path: ['name', 'last'], title: 'Last name', minLength: 1, maxLength: 128 },
]

/** The schema document: JSON Schema draft 7 with Kratos's extension key. */
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

/** The schema's ID in URLs. */
export const schemaSlug = Buffer.from(schemaId).toString('base64url')

/** Label of the identifier field. */
export const identifierLabel = label.trait('traits.email', 'E-Mail')

/** Names of the trait fields, in schema order. */
export const traitNames: readonly string[] = traitFields.map(fieldName)

/** Normalizes an email address for comparison and storage. */
export function normalizeAddress(value: string): string {
  return value.trim().toLowerCase()
}

/** One field per trait in schema order, filled in if the traits are given. */
export function traitNodes(group: string, traits?: Traits): Node[] {
  return traitFields.map((trait) => {
    const name = fieldName(trait)
    const value = traits && valueAt(traits, trait.path)
    const isEmail = trait.format === 'email'
    return input(group, name, isEmail ? 'email' : 'text', {
      value: typeof value === 'string' ? value : undefined,
      required: true,
      ...(isEmail && { autocomplete: 'email' }),
      label: label.trait(name, trait.title),
    })
  })
}

/** Submitted trait values by field name, for redisplay. */
export function submittedTraits(value: unknown): ReadonlyMap<string, string | undefined> {
  if (!isFields(value)) return new Map()
  return new Map(
    traitFields.map((trait) => {
      const text = valueAt(value, trait.path)
      return [fieldName(trait), typeof text === 'string' ? text : undefined]
    }),
  )
}

export type TraitsResult =
  | { readonly kind: 'valid'; readonly traits: Traits }
  | { readonly kind: 'invalid'; readonly messages: readonly FieldMessage[] }

/** Validates submitted traits. Reports every error on its field. */
export function parseTraits(value: unknown): TraitsResult {
  const messages = [
    ...unknownTraits(value),
    ...traitFields.flatMap((trait) => validateTrait(trait, valueAt(value, trait.path))),
  ]
  if (messages.length > 0) return { kind: 'invalid', messages }
  const text = (path: readonly string[]) => String(valueAt(value, path))
  return {
    kind: 'valid',
    traits: { email: text(['email']).trim(), name: { first: text(['name', 'first']), last: text(['name', 'last']) } },
  }
}

function validateTrait(trait: TraitField, value: unknown): FieldMessage[] {
  const field = fieldName(trait)
  if (value === undefined) return [onField(field, errorMessage.required(trait.path.at(-1) ?? field))]
  if (typeof value !== 'string') return [onField(field, errorMessage.wrongType('string', jsonTypeOf(value)))]
  const { length } = Array.from(value)
  if (length > 0 && isBlank(value)) return [onField(field, errorMessage.required(trait.path.at(-1) ?? field))]
  return [
    trait.format === 'email' && !isEmail(value) && emailError(value),
    length < trait.minLength && errorMessage.tooShort(trait.minLength, length),
    length > trait.maxLength && errorMessage.tooLong(trait.maxLength, length),
  ].flatMap((error) => (error ? [onField(field, error)] : []))
}

/** True if nothing is visible. U+2800, U+3164, and U+FFA0 are symbols and letters that render as blanks. */
function isBlank(value: string): boolean {
  return /^[\s\p{C}\u2800\u3164\uFFA0]*$/u.test(value)
}

function emailError(value: string) {
  return value === '' ? errorMessage.generic('"" is not valid "email"') : errorMessage.email(value)
}

/** Validates an email address with the contract's pattern. Ignores surrounding whitespace. */
export function isEmail(value: string): boolean {
  return emailPattern.test(value.trim())
}

function unknownTraits(value: unknown): FieldMessage[] {
  if (!isFields(value)) return []
  const outer = Object.keys(value).filter((key) => key !== 'email' && key !== 'name')
  const name = value['name']
  const inner = isFields(name) ? Object.keys(name).filter((key) => key !== 'first' && key !== 'last') : []
  return [
    ...outer.map((key) => onField('traits', unknownTrait(key))),
    ...inner.map((key) => onField('traits.name', unknownTrait(key))),
  ]
}

function unknownTrait(key: string) {
  return errorMessage.generic(`additionalProperties ${JSON.stringify(key)} not allowed`)
}

function fieldName({ path }: TraitField): string {
  return `traits.${path.join('.')}`
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isFields(at) && Object.hasOwn(at, key) ? at[key] : undefined), value)
}

/** JSON Schema's name for the type of a value. */
function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
