/**
 * Reads `nmap-service-probes`, the file of nmap's version detection, as fingerprints. Only the operator's own copy is
 * read. Format: https://nmap.org/book/vscan-fileformat.html
 */
import { RE2JS } from 're2js'
import type { Fingerprint, FingerprintFile } from '#fingerprint/fingerprint-file.ts'

/** Probes whose requests the identification sends too, and the field of the response. */
const fieldsByProbe: Readonly<Record<string, string>> = { NULL: 'nmap.null', GetRequest: 'nmap.getrequest' }
const preference = 0.5
const patternLengthMax = 4000

/**
 * Matches with a CPE name of an application become fingerprints. Others only have a display name, which no
 * vulnerability record uses.
 */
export function parseNmapProbes(text: string): FingerprintFile[] {
  const byField = new Map<string, { fingerprints: Fingerprint[]; problems: string[] }>()
  let field: string | undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('Probe ')) field = fieldsByProbe[line.split(' ')[2] ?? '']
    if (field === undefined || !line.startsWith('match ') || !/ cpe:\/a:/.test(line)) continue
    const file = byField.get(field) ?? { fingerprints: [], problems: [] }
    byField.set(field, file)
    const outcome = fingerprintOf(line)
    if (typeof outcome === 'string') file.problems.push(`line ${index + 1}: ${outcome}`)
    else file.fingerprints.push(outcome)
  }
  return [...byField].map(([matches, file]) => ({ name: matches, matches, protocol: '', preference, ...file }))
}

function fingerprintOf(line: string): Fingerprint | string {
  const [, delimiter = '', rest = ''] = /^match \S+ m([^\w\s])(.*)$/.exec(line) ?? []
  const end = delimiter === '' ? -1 : rest.indexOf(delimiter)
  if (end < 0) return 'no pattern'
  const [, flags = '', fields = ''] = /^([is]*)\s*(.*)$/.exec(rest.slice(end + 1)) ?? []
  const letters = [...new Set(flags)].join('')
  const pattern = `${letters === '' ? '' : `(?${letters})`}${re2Pattern(rest.slice(0, end))}`
  if (pattern.length > patternLengthMax) return `a pattern longer than ${patternLengthMax} characters`
  const values = valuesOf(fields)
  if (values.cpe === '') return 'no CPE name of an application'
  try {
    const groups = RE2JS.compile(pattern).groupCount()
    return { description: values.product, pattern, params: paramsOf(values, groups), examples: [] }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** RE2 reads `\0` as the start of an octal number. */
function re2Pattern(pattern: string): string {
  return pattern.replaceAll(/(?<!\\)((?:\\\\)*)\\0(?![0-7])/g, String.raw`$1\x00`)
}

interface Values {
  readonly product: string
  readonly version: string
  readonly cpe: string
}

/** `p/Product/ v/1.$1/ cpe:/a:vendor:product:1.$1/`, with any delimiter. */
function valuesOf(fields: string): Values {
  const found = new Map<string, string>()
  for (const [, name = '', , value = ''] of fields.matchAll(/(?:^|\s)(p|v|cpe:)([^\w\s])(.*?)\2a?(?=\s|$)/g)) {
    const isApplication = name !== 'cpe:' || value.startsWith('a:')
    if (isApplication && !found.has(name)) found.set(name, value)
  }
  const cpe = found.get('cpe:') ?? ''
  return { product: found.get('p') ?? '', version: found.get('v') ?? '', cpe: cpe === '' ? '' : `cpe:/${cpe}` }
}

function paramsOf({ product, version, cpe }: Values, groups: number): Fingerprint['params'] {
  const captures = Array.from({ length: groups }, (_, at) => ({ name: `_tmp.${at + 1}`, pos: at + 1, value: '' }))
  const constant = (name: string, value: string) => ({ name, pos: 0, value: withReferences(value) })
  const named = [
    constant('service.product', product),
    constant('service.version', version),
    constant('service.cpe23', cpe),
  ]
  return [...captures, ...named.filter(({ value }) => value !== '')]
}

/** Helper functions such as `$SUBST(1,"_",".")` change the capture, so the value is left empty. */
function withReferences(value: string): string {
  if (/\$(?:SUBST|I)\(/.test(value)) return value.startsWith('cpe:') ? value.split(':').slice(0, 4).join(':') : ''
  return value.replaceAll(/\$P\((\d)\)|\$(\d)/g, (_, one?: string, two?: string) => `{_tmp.${one ?? two ?? ''}}`)
}
