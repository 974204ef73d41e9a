/** Options of `glacis scan` that nuclei users know. */
import { isIP } from 'node:net'
import type { ParseArgsOptionsConfig } from 'node:util'
import type { CheckInfo, ScanOptions } from '@glacis/scanner'
import { CliError } from '#cli-error.ts'

export const nucleiOptions = {
  var: { type: 'string', multiple: true, default: [] },
  header: { type: 'string', multiple: true, default: [] },
  sni: { type: 'string' },
  resolver: { type: 'string', multiple: true, default: [] },
  tags: { type: 'string', multiple: true, default: [] },
  severity: { type: 'string', multiple: true, default: [] },
  id: { type: 'string', multiple: true, default: [] },
  'as-nuclei': { type: 'boolean', default: false },
} satisfies ParseArgsOptionsConfig

interface NucleiValues {
  readonly var: readonly string[]
  readonly header: readonly string[]
  readonly sni?: string | undefined
  readonly resolver: readonly string[]
  readonly tags: readonly string[]
  readonly severity: readonly string[]
  readonly id: readonly string[]
  readonly 'as-nuclei': boolean
}
/** Which checks to run; an empty list selects all. */
export interface CheckFilter {
  readonly tags: readonly string[]
  readonly severities: readonly string[]
  readonly ids: readonly string[]
}
type NucleiScanOptions = Pick<
  ScanOptions,
  'headers' | 'serverName' | 'resolvers' | 'suppliedValues' | 'acceptsEveryMatch'
>

/** @throws CliError that describes the first invalid option */
export function scanOptionsOf(values: NucleiValues): NucleiScanOptions {
  const headers = values.header.map((text) => pairOf(text, ':', '--header expects "Name: value"'))
  const variables = values.var.map((text) => pairOf(text, '=', '--var expects KEY=VALUE'))
  const resolvers = listOf(values.resolver)
  const invalid = resolvers.find((resolver) => !isResolver(resolver))
  if (invalid !== undefined) throw new CliError(`--resolver expects ADDRESS or ADDRESS:PORT, not '${invalid}'.`)
  return {
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(variables.length > 0 && { suppliedValues: new Map(variables) }),
    ...(values.sni !== undefined && { serverName: values.sni }),
    ...(resolvers.length > 0 && { resolvers }),
    acceptsEveryMatch: values['as-nuclei'],
  }
}

const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown']

/** @throws CliError for an unknown severity */
export function filterOf(values: NucleiValues): CheckFilter {
  const wanted = listOf(values.severity).map((severity) => severity.toLowerCase())
  const unknown = wanted.find((severity) => !severities.includes(severity))
  if (unknown !== undefined)
    throw new CliError(`Unknown severity '${unknown}' in --severity; choose from ${severities.join(', ')}.`)
  return { tags: listOf(values.tags).map((tag) => tag.toLowerCase()), severities: wanted, ids: listOf(values.id) }
}

/** IDs of the selected checks; undefined without a filter. */
export function selectedChecks(checks: readonly CheckInfo[], filter: CheckFilter): string[] | undefined {
  const { tags, severities: wanted, ids } = filter
  if (tags.length + wanted.length + ids.length === 0) return undefined
  const patterns = ids.map(patternOf)
  const isSelected = (check: CheckInfo) =>
    (tags.length === 0 || check.tags.some((tag) => tags.includes(tag.toLowerCase()))) &&
    (wanted.length === 0 || wanted.includes(check.severity)) &&
    (ids.length === 0 || patterns.some((pattern) => pattern.test(check.id)))
  return checks.filter(isSelected).map(({ id }) => id)
}

/** An ID, in which `*` matches any text. */
function patternOf(id: string): RegExp {
  return new RegExp(`^${id.split('*').map(RegExp.escape).join('.*')}$`, 'i')
}

function isResolver(text: string): boolean {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(text) ?? []
  return isIP(bracketed ?? plain ?? text) !== 0
}

function pairOf(text: string, separator: string, expectation: string): readonly [string, string] {
  const at = text.indexOf(separator)
  if (at < 1 || /[\r\n]/.test(text)) throw new CliError(`${expectation}, not '${text}'.`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function listOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).flatMap((part) => part.trim() || [])
}
