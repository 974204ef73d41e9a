/** The API's query string format: nested keys are dotted, arrays repeated. */

export type QueryValue =
  | string
  | number
  | boolean
  | Date
  | readonly QueryValue[]
  | { readonly [key: string]: QueryValue | undefined }

/** `{filter: {targetId: 'a', status: ['X', 'Y']}}` → `filter.targetId=a&filter.status=X&filter.status=Y`. */
export function toQueryString(values: Readonly<Record<string, QueryValue | undefined>>): string {
  const query = new URLSearchParams()
  append(query, '', values)
  return query.toString()
}

function append(query: URLSearchParams, key: string, value: QueryValue | undefined): void {
  if (value === undefined) return
  if (value instanceof Date) query.append(key, value.toISOString())
  else if (Array.isArray(value)) for (const item of value) append(query, key, item)
  else if (typeof value === 'object') {
    for (const [name, inner] of Object.entries(value)) append(query, key ? `${key}.${name}` : name, inner)
  } else query.append(key, String(value))
}

/** Parses a query string without a schema: repeated names become lists, dots become nesting, values stay strings. */
export function fromQueryString(query: string): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    const path = name.split('.')
    const last = path.pop() ?? ''
    let place = values
    for (const part of path) {
      const inner = place[part]
      place = isRecord(inner) ? inner : ((place[part] = Object.create(null)) as Record<string, unknown>)
    }
    const before = place[last]
    if (before === undefined) place[last] = value
    else place[last] = Array.isArray(before) ? [...before, value] : [before, value]
  }
  return values
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
