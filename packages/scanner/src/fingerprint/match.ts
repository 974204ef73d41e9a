import { RE2JS, RE2Set } from 're2js'
import { type Fingerprint, type FingerprintFile, patternProblem } from '#fingerprint/fingerprint-file.ts'
import { isInAddress } from '#fingerprint/text.ts'

/** Result of one matching fingerprint. */
export interface FingerprintMatch {
  readonly description: string
  /** Values by name (`service.version`, `service.cpe23`, …) with captures filled in. */
  readonly values: Readonly<Record<string, string>>
  /** The part of the text that matched. */
  readonly matched: string
  /** Whether the file is one of those that are used only if no other matches. */
  readonly isLastResort: boolean
}
/** Compiled fingerprints from all files. */
export interface Fingerprints {
  readonly count: number
  /**
   * The first match of each file for this field, files with higher preference first. For pages
   * (`http.body`, `http.path:…`), all matches, because a page can reveal several products. Files
   * with the preference 0 are used only if no other matches.
   * Input is untrusted: only linear-time expressions run, on at most 64 Ki characters.
   */
  match(field: string, text: string): readonly FingerprintMatch[]
}

const textLengthMax = 65_536
/** With larger sets, RE2 falls back to a slower engine. */
const setSize = 100
const automatonBytesMax = 2 * 1024 * 1024

/** Compiles lazily, one field at a time: most scans never need most fields. */
export function compileFingerprints(files: readonly FingerprintFile[]): Fingerprints {
  const byField = Map.groupBy(files, ({ matches }) => matches)
  const compiled = new Map<string, { readonly regular: readonly Matcher[]; readonly last: readonly Matcher[] }>()
  const matchersOf = (field: string) => {
    const cached = compiled.get(field)
    if (cached) return cached
    const ordered = (byField.get(field) ?? []).toSorted((a, b) => b.preference - a.preference)
    const compile = (some: readonly FingerprintFile[]) =>
      some.map(({ fingerprints }) => matcherOf(fingerprints, field.startsWith('http.')))
    const matchers = {
      regular: compile(ordered.filter(({ preference }) => preference > 0)),
      last: compile(ordered.filter(({ preference }) => preference === 0)),
    }
    compiled.set(field, matchers)
    return matchers
  }
  return {
    count: files.reduce((sum, { fingerprints }) => sum + fingerprints.length, 0),
    match(field, text) {
      const bounded = text.slice(0, textLengthMax)
      const { regular, last } = matchersOf(field)
      const hits = regular.flatMap((matcher) => matcher(bounded))
      return hits.length > 0
        ? hits
        : last.flatMap((matcher) => matcher(bounded)).map((hit) => ({ ...hit, isLastResort: true }))
    },
  }
}

type Matcher = (text: string) => readonly FingerprintMatch[]

function matcherOf(fingerprints: readonly Fingerprint[], collectsAll: boolean): Matcher {
  const parts = chunks(fingerprints, setSize).map(compile)
  return (text) => {
    const hits: FingerprintMatch[] = []
    for (const { set, finders } of parts) {
      for (const index of set.match(text).toSorted((a, b) => a - b)) {
        hits.push(...(finders[index]?.(text) ?? []))
        if (hits.length > 0 && !collectsAll) return hits
      }
    }
    return hits
  }
}

/** Files may have been loaded without validation. Invalid patterns are skipped. */
function compile(part: readonly Fingerprint[]): { readonly set: RE2Set; readonly finders: readonly Matcher[] } {
  try {
    return { set: setOf(part), finders: part.map(finderOf) }
  } catch {
    const valid = part.filter((fingerprint) => patternProblem(fingerprint) === null)
    return { set: setOf(valid), finders: valid.map(finderOf) }
  }
}

function setOf(part: readonly Fingerprint[]): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, automatonBytesMax)
  for (const { pattern } of part) set.add(pattern)
  set.compile()
  // Syntax trees are needed only for compiling. Those of `.{0,600}` and the like amount to tens of megabytes.
  set.regexps = []
  return set
}

/** Compiles the pattern on the first text that the set matched. */
function finderOf({ description, pattern, params }: Fingerprint): Matcher {
  let compiled: RE2JS | undefined
  return (text) => {
    compiled ??= RE2JS.compile(pattern)
    const groups = compiled.groupCount()
    const matcher = compiled.matcher(text)
    if (params.some(({ pos }) => pos > groups) || !matcher.find()) return []
    const raw: Record<string, string> = {}
    for (const { name, pos, value } of params) {
      const read = pos === 0 ? value : matcher.group(pos)
      const isAddress = name.endsWith('.version') && pos > 0 && isInAddress(text, matcher.start(pos), matcher.end(pos))
      if (read && !isAddress) raw[name] = read
    }
    const matched = (matcher.group(0) ?? '').slice(0, 1000)
    return [{ description, values: fillReferences(raw), matched, isLastResort: false }]
  }
}

/** Fills in `{service.version}` and similar references; a missing value becomes `-`. */
function fillReferences(raw: Readonly<Record<string, string>>): Record<string, string> {
  const filled = Object.entries(raw).map(([name, value]) => [
    name,
    value.replace(/\{([\w.-]+)\}/g, (_, key: string) => cpeSafe(name, raw[key] ?? '-')),
  ])
  return Object.fromEntries(filled.filter(([name]) => !name?.startsWith('_tmp')))
}

/** In a CPE name, a captured colon or space would shift all following parts. */
function cpeSafe(name: string, value: string): string {
  return name.endsWith('cpe23') ? encodeURIComponent(value).replaceAll('%20', '_') : value
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
