/** Words for the objects and details of audit events, which are recorded in the terms of the API. */

/** Objects whose name in the portal differs from the API's. */
const objects: ReadonlyMap<string, string> = new Map([
  ['issue', 'risk'],
  ['host', 'asset'],
  ['product', 'technology'],
  ['identity', 'account'],
  ['api-token', 'API token'],
])

/** "API token" for `api-token`. */
export function objectLabel(kind: string): string {
  return objects.get(kind) ?? kind.replaceAll('-', ' ')
}

/** The API's term for the label of an object; other texts as they are. */
export function objectKind(text: string): string {
  const label = text.trim().toLowerCase()
  const known = [...objects].find(([, word]) => word.toLowerCase() === label)
  return known?.[0] ?? label.replaceAll(' ', '-')
}

/** Settings and details whose words can't be derived from their names. */
const names: ReadonlyMap<string, string> = new Map([
  ['paths', 'changed'],
  ['detail', 'with'],
  ['webhookUrl', 'webhook URL'],
  ['ratePerHost', 'requests per second'],
  ['minNotificationSeverity', 'notify from'],
  ['minSeverity', 'minimum severity'],
  ['q', 'search'],
])

/** Details that list settings or columns by their names in the API. */
const hasSettings: ReadonlySet<string> = new Set(['paths', 'columns'])

const id = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const list = new Intl.ListFormat('en')

/** Names of objects by ID. */
export type NamesById = ReadonlyMap<string, string>

/**
 * What was changed, such as "to: resolved, from: open". IDs are replaced with names, and shortened if there is none. The
 * browser is left out.
 */
export function detailText(detail: object, namesById: NamesById): string {
  return Object.entries(detail)
    .filter(([name, value]) => name !== 'userAgent' && !isEmpty(value))
    .map(
      ([name, value]) => `${wordsOf(name)}: ${valueText(hasSettings.has(name) ? settings(value) : value, namesById)}`,
    )
    .join(', ')
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}

function valueText(value: unknown, namesById: NamesById): string {
  if (Array.isArray(value)) return list.format(value.map((item) => valueText(item, namesById)))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && value !== null) return `(${detailText(value, namesById)})`
  if (typeof value !== 'string') return String(value)
  if (id.test(value)) return namesById.get(value) ?? `${value.slice(0, 8)}…`
  const [, constant] = /^[A-Z]+_(?:FILTER_)?([A-Z_]+)$/.exec(value) ?? []
  if (constant !== undefined) return constant.toLowerCase().replaceAll('_', ' ')
  return value
}

function settings(value: unknown): unknown {
  return Array.isArray(value) ? value.map((name) => wordsOf(String(name))) : value
}

/** "target" for `targetId`, "enabled" for `isEnabled`, "schedule allowed hours" for `schedule.allowedHours`. */
function wordsOf(name: string): string {
  return (
    names.get(name) ??
    name
      .replace(/^is(?=[A-Z])/, '')
      .replace(/(?<=[a-z])Id(s?)$/, '$1')
      .replaceAll('.', ' ')
      .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      .trim()
  )
}
