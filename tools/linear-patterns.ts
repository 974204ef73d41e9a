/**
 * Finds the native regular expressions of code that reads what targets send, and proves that each takes linear time.
 * Run it directly to update `linear-patterns.json` after a change: proofs that take a long time, and the inputs on which
 * patterns with bounded repetition are measured. The test proves patterns that the file doesn't list.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import manifest from 'recheck/package.json' with { type: 'json' }
import stored from './linear-patterns.json' with { type: 'json' }

// The other backends need Java or a binary for the platform.
process.env['RECHECK_BACKEND'] = 'pure'
process.env['RECHECK_SYNC_BACKEND'] = 'pure'
const { checkSync } = createRequire(import.meta.url)('recheck') as typeof import('recheck') // its own types

const root = join(import.meta.dirname, '..')
const file = join(import.meta.dirname, 'linear-patterns.json')
const sources = [
  'packages/scanner/src/**/*.ts',
  'packages/intelligence/src/**/*.ts',
  'apps/agent/src/**/*.ts',
  'apps/server/src/{inventory,issues,packs,reports,scans}/**/*.ts',
  'apps/server/src/sarif.ts',
]

/** Patterns that don't read unlimited text of a target, by the start of their source. */
export const exempt: Readonly<Record<string, string>> = {
  '^(?:contains|contains_all|': 'reads expressions of templates',
  '"([^"\\\\]{0,200})"|': 'reads expressions of templates that have been parsed, so every literal is closed',
  '\\{\\{((?:"(?:': 'reads templates',
  '("[^"]*"|\'[^\']*\')|\\b[A-Za-z]': 'reads XPath expressions of templates, at most 2,000 characters',
  '^([is]*)\\s*(.*)$': 'reads a file of probes that the operator installed',
  '(?<!\\\\)((?:': 'reads a file of probes that the operator installed',
  '(?:^|\\s)(p|v|cpe:)': 'reads a file of probes that the operator installed',
  '-----BEGIN CERTIFICATE': 'reads a file of certificates that the operator chose',
  '^(\\*|\\?*)((?:': 'reads criteria of vulnerability records',
  '"((?:[^"\\\\]|\\\\.)*)"\\s*:\\s*$': 'reads at most 500 characters',
  '[\\sx]|\\.\\.|-.*-': 'reads versions of at most 100 characters',
  '^(?:5\\.5\\.5-)?(\\d+': 'reads versions of at most 100 characters',
  '(\\d[^\\s]*?(?:deb|': 'reads versions of at most 100 characters',
  '^(\\d[^-+\\s]*?)(?:': 'reads versions of at most 100 characters',
}

export interface NativePattern {
  readonly source: string
  readonly flags: string
  readonly places: readonly string[]
}

/** All regular expression literals, without duplicates. */
export function findPatterns(): NativePattern[] {
  const found = new Map<string, NativePattern>()
  const paths = sources.flatMap((pattern) => globSync(pattern, { cwd: root }))
  for (const path of paths.filter((path) => !/\.test\.ts$|[/\\]testing[/\\]/.test(path)).toSorted()) {
    const text = readFileSync(join(root, path), 'utf8')
    const visitor = new Visitor({
      Literal(node) {
        if (!('regex' in node)) return
        const { pattern: source, flags } = node.regex
        const key = `/${source}/${flags}`
        const place = `${path}:${text.slice(0, node.start).split('\n').length}`
        found.set(key, { source, flags, places: [...(found.get(key)?.places ?? []), place] })
      },
    })
    visitor.visit(parseSync(path, text).program)
  }
  return [...found.values()]
}

export function exemptionOf({ source }: NativePattern): string | undefined {
  return Object.keys(exempt).find((start) => source.startsWith(start))
}

/**
 * A pattern whose repetitions all have a maximum backtracks a bounded number of times per position, so it is linear.
 * The bound can be large, so such patterns are also measured.
 */
export function isBounded({ source }: NativePattern): boolean {
  const bare = source.replaceAll(/\\[^]/g, '_').replaceAll(/\[[^\]]*\]/g, '_')
  return !/[*+]|\{\d+,\}/.test(bare)
}

/** Whether the pattern contains a repetition with a range, such as `{1,64}`. */
export function repeats({ source }: NativePattern): boolean {
  return /\{\d+,\d+\}/.test(source)
}

/** A text that makes a pattern backtrack: repeated parts, each after a prefix, and an end. */
interface Attack {
  readonly pumps: readonly { readonly prefix: string; readonly pump: string }[]
  readonly suffix: string
}
export interface Proofs {
  /** Version of the checker. */
  readonly recheck: string
  readonly linear: readonly string[]
  readonly attacks: Readonly<Record<string, Attack | null>>
}

export const proofs: Proofs = stored
export const checkerVersion = manifest.version

export function literalOf({ source, flags }: NativePattern): string {
  return `/${source}/${flags}`
}

const proofMsMax = 20_000
const attackMsMax = 5_000

/** @returns null if the pattern is linear, otherwise the reason */
export function refute({ source, flags }: NativePattern): string | null {
  const result = checkSync(source, flags, { timeout: proofMsMax, checker: 'automaton' })
  if (result.status === 'safe') return null
  return result.status === 'vulnerable' ? result.complexity.summary : result.error.kind
}

/** The text on which the checker's search finds the pattern slowest; null if it finds none. */
export function attackOn({ source, flags }: NativePattern): Attack | null {
  const result = checkSync(source, flags, { timeout: attackMsMax, checker: 'fuzz' })
  if (result.status !== 'vulnerable') return null
  const { attack } = result
  return { pumps: attack.pumps.map(({ prefix, pump }) => ({ prefix, pump })), suffix: attack.suffix }
}

export function textOf({ pumps, suffix }: Attack, length: number): string {
  const share = Math.floor(length / pumps.length)
  return `${pumps.map(({ prefix, pump }) => prefix + pump.repeat(Math.ceil(share / pump.length))).join('')}${suffix}`
}

/** Proofs faster than this are repeated on every run. */
const quickMs = 100

function updateProofs(): void {
  const isKnown = proofs.recheck === checkerVersion
  const linear: string[] = []
  const attacks: Record<string, Attack | null> = {}
  for (const pattern of findPatterns().filter((pattern) => exemptionOf(pattern) === undefined)) {
    const literal = literalOf(pattern)
    if (isBounded(pattern)) {
      const attack = isKnown ? proofs.attacks[literal] : undefined
      if (repeats(pattern)) attacks[literal] = attack === undefined ? attackOn(pattern) : attack
      continue
    }
    if (isKnown && proofs.linear.includes(literal)) {
      linear.push(literal)
      continue
    }
    const startedAt = performance.now()
    const reason = refute(pattern)
    if (reason !== null) console.log(`${pattern.places.join(' ')} ${literal}: ${reason}`)
    else if (performance.now() - startedAt > quickMs) linear.push(literal)
  }
  writeFileSync(file, `${JSON.stringify({ recheck: checkerVersion, linear, attacks }, null, 2)}\n`)
}

if (import.meta.main) updateProofs()
