/** Parses and serializes the router's query strings: plain text, with lists as repeated names. */

type SearchValue = string | readonly string[]

/** `?a=1&b=x&b=y` → `{ a: '1', b: ['x', 'y'] }`. Routes interpret the values. */
export function parseSearch(query: string): Record<string, SearchValue> {
  const values: Record<string, SearchValue> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values[name]
    values[name] = before === undefined ? value : [before, value].flat()
  }
  return values
}

/** The inverse. Omits undefined, null, and empty lists. Returns `?…` or an empty string. */
export function stringifySearch(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) query.append(name, String(item))
    }
  }
  const text = query.toString()
  return text && `?${text}`
}
