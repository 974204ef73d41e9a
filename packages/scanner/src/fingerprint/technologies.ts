/**
 * Reads technology files in Wappalyzer's format as fingerprints: JSON objects of technologies with patterns for
 * headers, cookies, meta tags, HTML, and script URLs. Only the operator's own files are read.
 */
import { RE2JS } from 're2js'
import { z } from 'zod'
import type { Fingerprint, FingerprintFile } from '#fingerprint/fingerprint-file.ts'

const Patterns = z.union([z.string().transform((pattern) => [pattern]), z.array(z.string())])
const PatternsByName = z.record(z.string(), Patterns)
const Technology = z.object({
  /** CPE 2.3 name; technologies without one are skipped, because no vulnerability record names them. */
  cpe: z.string().startsWith('cpe:2.3:a:'),
  headers: PatternsByName.optional(),
  cookies: PatternsByName.optional(),
  meta: PatternsByName.optional(),
  html: Patterns.optional(),
  scriptSrc: Patterns.optional(),
})
type Technology = z.infer<typeof Technology>

const preference = 0.4
const confidenceMin = 75

/** @throws if the text isn't a JSON object of technologies */
export function parseTechnologies(text: string, name: string): FingerprintFile[] {
  const file = z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  const nested = z.object({ technologies: z.record(z.string(), z.unknown()) }).safeParse(file)
  const entries = Object.entries(nested.success ? nested.data.technologies : file)
  if (!entries.some(([, value]) => isTechnology(value))) throw new Error('not a file of technologies')
  const byField = new Map<string, { fingerprints: Fingerprint[]; problems: string[] }>()
  for (const [product, value] of entries) {
    const technology = Technology.safeParse(value)
    if (!technology.success) continue
    for (const { field, pattern } of patternsOf(technology.data)) {
      const found = byField.get(field) ?? { fingerprints: [], problems: [] }
      byField.set(field, found)
      const outcome = fingerprintOf(product, technology.data.cpe, pattern)
      if (typeof outcome === 'string') found.problems.push(`${product}: ${outcome}`)
      else if (outcome) found.fingerprints.push(outcome)
    }
  }
  return [...byField].map(([matches, found]) => ({ name, matches, protocol: 'http', preference, ...found }))
}

function isTechnology(value: unknown): boolean {
  return z.object({ cats: z.array(z.number()) }).safeParse(value).success
}

/** Expressions for the fields of the identification; the part after `\;` has options. */
function patternsOf({ headers = {}, cookies = {}, meta = {}, html = [], scriptSrc = [] }: Technology) {
  const named = Object.entries(headers).flatMap(([name, patterns]) =>
    patterns.map((pattern) => ({ field: `http_header.${name.toLowerCase()}`, pattern })),
  )
  const ofCookies = Object.entries(cookies).flatMap(([name, patterns]) =>
    patterns.map((pattern) => ({
      field: 'http_header.cookie',
      pattern: `^${RE2JS.quote(name)}=${unanchored(pattern)}`,
    })),
  )
  const generators = Object.entries(meta).flatMap(([name, patterns]) =>
    name.toLowerCase() === 'generator' ? patterns.map((pattern) => ({ field: 'html.generator', pattern })) : [],
  )
  const scripts = scriptSrc.map((pattern) => ({
    field: 'http.body',
    pattern: `<script[^>]{0,200}\\bsrc=["']?[^"'\\s>]{0,300}?${unanchored(pattern)}`,
  }))
  return [
    ...named,
    ...ofCookies,
    ...generators,
    ...html.map((pattern) => ({ field: 'http.body', pattern })),
    ...scripts,
  ]
}

function unanchored(pattern: string): string {
  return pattern.replace(/^\^/, '')
}

/** @returns the reason if RE2 doesn't support the pattern, undefined for weak evidence */
function fingerprintOf(product: string, cpe: string, written: string): Fingerprint | string | undefined {
  const [expression = '', ...options] = written.split(String.raw`\;`)
  const confidence = /^confidence:(\d+)$/.exec(options.find((option) => option.startsWith('confidence:')) ?? '')?.[1]
  if (Number(confidence ?? 100) < confidenceMin) return undefined
  const pattern = `(?i)${expression}`
  try {
    const groups = RE2JS.compile(pattern).groupCount()
    const group = Number(
      /^version:\\(\d)$/.exec(options.find((option) => option.startsWith('version:')) ?? '')?.[1] ?? 0,
    )
    const version = group > 0 && group <= groups ? [{ name: 'service.version', pos: group, value: '' }] : []
    const named = [
      { name: 'service.product', pos: 0, value: product },
      { name: 'service.cpe23', pos: 0, value: withVersion(cpe, version.length > 0) },
    ]
    return { description: product, pattern, params: [...version, ...named], examples: [] }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function withVersion(cpe: string, hasVersion: boolean): string {
  const parts = cpe.split(':')
  if (hasVersion && parts.length > 5) parts[5] = '{service.version}'
  return parts.join(':')
}
