/** JSON Schema in the words of a reader. */

export interface Member {
  /** Dotted, with `[]` after what is a list. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly words: string
}

/** How deep members are told one by one; an answer that holds itself would never end. */
const depthMax = 5

/** The members of an object, each followed by its own. */
export function membersOf(schema: unknown, above = '', depth = 0): Member[] {
  const [inner, brackets] = contentOf(schema)
  const { properties, required } = inner
  if (!isRecord(properties) || depth > depthMax) return []
  const prefix = depth === 0 ? '' : `${above}${brackets}.`
  return Object.entries(properties).flatMap(([name, member]) => {
    const words = isRecord(member) && typeof member['description'] === 'string' ? member['description'] : ''
    const isRequired = Array.isArray(required) && required.includes(name)
    return [
      { name: prefix + name, type: typeOf(member), isRequired, words },
      ...membersOf(member, prefix + name, depth + 1),
    ]
  })
}

/** What a list holds, or what may be null; and how that is written behind a name. */
function contentOf(schema: unknown): [Record<string, unknown>, string] {
  if (!isRecord(schema)) return [{}, '']
  const { items, anyOf } = schema
  if (isRecord(items)) {
    const [inner, brackets] = contentOf(items)
    return [inner, `[]${brackets}`]
  }
  const other = Array.isArray(anyOf) ? anyOf.find((one) => isRecord(one) && one['type'] !== 'null') : undefined
  return other === undefined ? [schema, ''] : contentOf(other)
}

/** `integer, 1 to 500`, `list of CATEGORY_HIGH | CATEGORY_LOW`, `time or null`. */
export function typeOf(schema: unknown): string {
  if (!isRecord(schema)) return ''
  const { type, items, anyOf, const: only } = schema
  if (Array.isArray(schema['enum'])) return schema['enum'].join(' | ')
  if (only !== undefined) return String(only)
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).filter(Boolean).join(' or ')
  if (type === 'array') {
    const bounds = boundsOf(schema, 'Items', 'of them')
    return `list of ${typeOf(items)}${bounds && ` (${bounds})`}`
  }
  if (type === 'string') {
    const bounds = boundsOf(schema, 'Length', 'characters')
    return (formats[String(schema['format'])] ?? 'text') + (bounds && `, ${bounds}`)
  }
  if (type === 'integer' || type === 'number') return `${type}${rangeOf(schema)}`
  return typeof type === 'string' ? type : ''
}

const formats: Readonly<Record<string, string>> = { uuid: 'id', 'date-time': 'time', date: 'date', uri: 'URL' }

/** `1 to 128 characters`; nothing where there is no bound worth a word. */
function boundsOf(schema: Record<string, unknown>, of: 'Items' | 'Length', unit: string): string {
  const [least, most] = [schema[`min${of}`], schema[`max${of}`]]
  const from = typeof least === 'number' ? least : 0
  if (typeof most === 'number') return from > 0 ? `${from} to ${most} ${unit}` : `at most ${most} ${unit}`
  return from > 1 ? `at least ${from} ${unit}` : ''
}

function rangeOf({ minimum, maximum }: Record<string, unknown>): string {
  const isReal = (bound: unknown): bound is number =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  if (isReal(minimum) && isReal(maximum)) return `, ${minimum} to ${maximum}`
  if (isReal(maximum)) return `, at most ${maximum}`
  return isReal(minimum) ? `, ${minimum} or more` : ''
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
