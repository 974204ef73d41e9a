/** Parsing of request bodies (forms and JSON) into nested fields. */

export type Fields = Readonly<Record<string, unknown>>
export type Body =
  | { readonly kind: 'fields'; readonly fields: Fields }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** WebAuthn responses, the largest fields, take a few kilobytes. */
export const bodyBytesMax = 256 * 1024

/**
 * Parses a request body. Dotted names become nested fields (`traits.name.first`). Empty form fields are dropped, so that
 * an empty required field is reported as missing instead of too short.
 */
export function readBody(contentType: string | undefined, bytes: Buffer | undefined): Body {
  if (!bytes || bytes.length === 0) {
    return unreadable('Unable to decode HTTP Request Body because its HTTP Header "Content-Length" is zero.')
  }
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return readJson(bytes.toString('utf8'))
  if (type === 'application/x-www-form-urlencoded') return readForm(bytes.toString('utf8'))
  // Accepted but not parsed: the response then reports a missing method.
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
    return unreadable(`Expected JSON sent in request body to be an object but got: ${kindOf(value)}`)
  }
  return parseFields(Object.entries(value))
}

/** The kind of a JSON value, named as in Kratos, which calls an array JSON. */
function kindOf(value: unknown): string {
  if (value === null) return 'Null'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return 'String'
  return typeof value === 'number' ? 'Number' : 'JSON'
}

function readForm(text: string): Body {
  return parseFields([...new URLSearchParams(text)].filter(([, value]) => value !== ''))
}

function parseFields(entries: readonly (readonly [string, unknown])[]): Body {
  const isTooDeep = entries.some(([name]) => name.split('.').length > depthMax)
  const error = isTooDeep ? tooDeep : findTextError(entries)
  if (error) return unreadable(error)
  const fields: Record<string, unknown> = {}
  for (const [name, value] of entries) setField(fields, name.split('.'), value)
  return { kind: 'fields', fields }
}

/** Legitimate fields have at most four levels. Deeper nesting could exhaust the stack. */
const depthMax = 16
const tooDeep = 'The request body is nested too deeply.'

/** PostgreSQL can't store NUL characters and lone surrogates. */
function findTextError(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'The request body contains a NUL character.'
    return value.isWellFormed() ? undefined : 'The request body contains characters that are not valid Unicode.'
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > depthMax) return tooDeep
  for (const [key, inner] of Object.entries(value)) {
    const error = findTextError(key) ?? findTextError(inner, depth + 1)
    if (error) return error
  }
  return undefined
}

function setField(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path
  if (head === '__proto__') return
  const existing = Object.hasOwn(target, head) ? target[head] : undefined
  const inner = isFields(existing) ? { ...existing } : {}
  if (rest.length === 0) {
    target[head] = isFields(value) ? { ...inner, ...value } : value
    return
  }
  target[head] = inner
  setField(inner, rest, value)
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field's text; empty if the field is missing or not a string. */
export function textOf(fields: Fields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** True if a button was pressed: `true` in JSON, `"true"` in a form. */
export function isPressed(fields: Fields, name: string): boolean {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value === true || value === 'true'
}

function unreadable(reason: string): Body {
  return { kind: 'unreadable', reason }
}
