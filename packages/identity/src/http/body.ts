/** What a form or a JSON client sent, as one nested object of plain values. */

export type Fields = Readonly<Record<string, unknown>>
export type Body =
  | { readonly kind: 'fields'; readonly fields: Fields }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Submits are short texts; keys and assertions of authenticators are a few kilobytes. */
export const bodyBytesMax = 256 * 1024

/**
 * Reads a submit. Dotted names become nested ones (`traits.name.first`); a form's empty fields are
 * dropped, so that an empty required field is missing and not too short.
 */
export function readBody(contentType: string | undefined, bytes: Buffer | undefined): Body {
  if (!bytes || bytes.length === 0) {
    return unreadable('Unable to decode HTTP Request Body because its HTTP Header "Content-Length" is zero.')
  }
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return readJson(bytes.toString('utf8'))
  if (type === 'application/x-www-form-urlencoded') return readForm(bytes.toString('utf8'))
  // Nobody sends one; a form of unread fields names no method, which is what the answer then says.
  if (type === 'multipart/form-data') return { kind: 'fields', fields: {} }
  return unreadable(
    `HTTP POST Request used unknown HTTP Header "Content-Type: ${contentType ?? ''}", only [multipart/form-data application/x-www-form-urlencoded application/json] are supported.`,
  )
}

function readJson(text: string): Body {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unreadable('Unable to decode form as JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('Expected JSON sent in request body to be an object but got: JSON')
  }
  return nested(Object.entries(value))
}

function readForm(text: string): Body {
  return nested([...new URLSearchParams(text)].filter(([, value]) => value !== ''))
}

function nested(entries: readonly (readonly [string, unknown])[]): Body {
  const isTooDeep = entries.some(([name]) => name.split('.').length > depthMax)
  const fault = isTooDeep ? tooDeep : faultOf(entries)
  if (fault) return unreadable(fault)
  const fields: Record<string, unknown> = {}
  for (const [name, value] of entries) place(fields, name.split('.'), value)
  return { kind: 'fields', fields }
}

/** Traits are three deep and answers of authenticators four; what is deeper would only exhaust the stack. */
const depthMax = 16
const tooDeep = 'The request body is nested too deeply.'

/** PostgreSQL holds every text but one with a NUL or with half of a surrogate pair. */
function faultOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'The request body contains a NUL character.'
    return value.isWellFormed() ? undefined : 'The request body contains characters that are not valid Unicode.'
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > depthMax) return tooDeep
  for (const [key, inner] of Object.entries(value)) {
    const fault = faultOf(key) ?? faultOf(inner, depth + 1)
    if (fault) return fault
  }
  return undefined
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path
  if (head === '__proto__') return
  const present = Object.hasOwn(target, head) ? target[head] : undefined
  const inner = isFields(present) ? { ...present } : {}
  if (rest.length === 0) {
    target[head] = isFields(value) ? { ...inner, ...value } : value
    return
  }
  target[head] = inner
  place(inner, rest, value)
}

/** True for a plain object. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field's text; anything that is not text counts as not given. */
export function textOf(fields: Fields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** True for a button that was pressed: `true` in JSON, the text of it in a form. */
export function isPressed(fields: Fields, name: string): boolean {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value === true || value === 'true'
}

function unreadable(reason: string): Body {
  return { kind: 'unreadable', reason }
}
