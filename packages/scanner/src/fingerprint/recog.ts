import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { type Fingerprint, type FingerprintFile, patternProblem } from '#fingerprint/fingerprint-file.ts'
import { parseNmapProbes } from '#fingerprint/nmap-probes.ts'
import { parseTechnologies } from '#fingerprint/technologies.ts'

export interface PackProblem {
  readonly file: string
  readonly reason: string
}

const fileBytesMax = 16 * 1024 * 1024
const recordsMax = 20_000
const patternLengthMax = 4000
const paramsMax = 60
const examplesMax = 50
const textLengthMax = 20_000
const preferenceDefault = 0.1

interface ReadOptions {
  readonly withExamples?: boolean
  /** False accepts all patterns without compiling them; each is compiled on first use. */
  readonly validatesPatterns?: boolean
}

/**
 * Reads all fingerprint files in the folders and their subfolders: Recog (`*.xml`), `nmap-service-probes`, and
 * technologies in Wappalyzer's format (`*.json`). Invalid files and records are skipped and listed as problems.
 */
export async function loadRecog(
  folders: readonly string[],
  options: ReadOptions = {},
): Promise<{ readonly files: readonly FingerprintFile[]; readonly problems: readonly PackProblem[] }> {
  const files: FingerprintFile[] = []
  const problems: PackProblem[] = []
  for (const path of (await Promise.all(folders.map(fingerprintFiles))).flat()) {
    try {
      const { size } = await stat(path)
      if (size > fileBytesMax) throw new Error(`larger than ${fileBytesMax} bytes`)
      const read = parseFile(path, await readFile(path, 'utf8'), options)
      files.push(...read)
      problems.push(...read.flatMap((file) => file.problems).map((reason) => ({ file: path, reason })))
    } catch (error) {
      problems.push({ file: path, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { files, problems }
}

const nmapFile = 'nmap-service-probes'

function parseFile(path: string, text: string, options: ReadOptions): FingerprintFile[] {
  if (basename(path) === nmapFile) return parseNmapProbes(text)
  if (path.endsWith('.json')) return parseTechnologies(text, basename(path, '.json'))
  return [parseRecog(text, basename(path, '.xml'), options)]
}

/** A single file is a pack too. */
async function fingerprintFiles(folder: string): Promise<string[]> {
  if ((await stat(folder)).isFile()) return [folder]
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && (/\.(?:xml|json)$/.test(entry.name) || entry.name === nmapFile))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

interface Draft {
  line: number
  pattern: string
  flags: string
  description: string
  params: { name: string; pos: number; value: string }[]
  examples: { text: string; values: Record<string, string> }[]
}

/**
 * Parses one file. DTDs are rejected, so there are no entities to expand.
 *
 * @throws when it is not well-formed XML or has no `fingerprints` element
 */
export function parseRecog(
  xml: string,
  name: string,
  { withExamples = false, validatesPatterns = true }: ReadOptions = {},
): FingerprintFile {
  const parser = new SaxesParser<{ position: true; xmlns: false }>({ position: true, xmlns: false })
  const fingerprints: Fingerprint[] = []
  const problems: string[] = []
  let root: Record<string, string> | undefined
  let draft: Draft | undefined
  let text = ''
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new Error('a document type is not allowed')
  })
  parser.on('opentag', (tag) => {
    text = ''
    if (tag.name === 'fingerprints') root ??= tag.attributes
    if (tag.name === 'fingerprint') draft = draftOf(tag, parser.line)
    if (draft) addTo(draft, tag, withExamples)
  })
  parser.on('text', (more) => {
    if (text.length < textLengthMax) text += more
  })
  parser.on('cdata', (more) => {
    if (text.length < textLengthMax) text += more
  })
  parser.on('closetag', (tag) => {
    if (tag.name === 'description' && draft) draft.description = text.trim().slice(0, 300)
    const example = draft?.examples.at(-1)
    if (tag.name === 'example' && example) example.text = exampleText(text, example.values)
    if (tag.name !== 'fingerprint' || !draft) return
    const outcome =
      fingerprints.length < recordsMax
        ? fingerprintOf(draft, validatesPatterns)
        : 'more than the maximum number of records in one file'
    if (typeof outcome === 'string') problems.push(`line ${draft.line}: ${outcome}`)
    else fingerprints.push(outcome)
    draft = undefined
  })
  // The parser fails with a RangeError if the text ends in half of a surrogate pair.
  parser.write(xml.toWellFormed()).close()
  if (!root) throw new Error('the fingerprints element is missing')
  return { ...headOf(root, name), fingerprints, problems }
}

/** Fields of Recog files that only their name states. */
const fieldsByFile: Readonly<Record<string, string>> = { telnet_banners: 'telnet.banner' }

function headOf(root: Record<string, string>, name: string) {
  const { matches = fieldsByFile[name] ?? name, requires = '', protocol = '', preference = preferenceDefault } = root
  return {
    name,
    matches: matches.startsWith('http.path:') ? `${matches} ${requires}`.trim() : matches.toLowerCase(),
    protocol,
    preference: Number.isNaN(Number(preference)) ? preferenceDefault : Number(preference),
  }
}

function draftOf({ attributes }: SaxesTagPlain, line: number): Draft {
  const { pattern = '', flags = '' } = attributes
  return { line, pattern, flags, description: '', params: [], examples: [] }
}

function addTo(draft: Draft, { name: tag, attributes }: SaxesTagPlain, withExamples: boolean): void {
  if (tag === 'example' && withExamples && draft.examples.length < examplesMax) {
    draft.examples.push({ text: '', values: { ...attributes } })
  }
  if (tag !== 'param' || draft.params.length >= paramsMax) return
  const { name = '', pos = '', value = '' } = attributes
  draft.params.push({ name, pos: /^\d{1,2}$/.test(pos) ? Number(pos) : Number.NaN, value: value.slice(0, 500) })
}

function exampleText(text: string, values: Record<string, string>): string {
  const isBase64 = values['_encoding'] === 'base64'
  return isBase64 ? Buffer.from(text.trim(), 'base64').toString('latin1') : text
}

function fingerprintOf(draft: Draft, validatesPattern: boolean): Fingerprint | string {
  const { description, params, examples } = draft
  if (draft.pattern === '') return 'no pattern'
  if (draft.pattern.length > patternLengthMax) return `a pattern longer than ${patternLengthMax} characters`
  const bad = params.find(({ name, pos }) => name === '' || Number.isNaN(pos))
  if (bad) return `a parameter without a name or position (${bad.name})`
  const fingerprint = { description, pattern: withFlags(draft.pattern, draft.flags), params, examples }
  return (validatesPattern ? patternProblem(fingerprint) : null) ?? fingerprint
}

/**
 * Recog uses Ruby's flags: "multiline" means that the dot matches newlines, and ^ and $ always
 * match at line boundaries.
 */
function withFlags(pattern: string, flags: string): string {
  const names = flags.split(',').map((flag) => flag.trim())
  const letters = [
    ...(names.includes('REG_ICASE') ? ['i'] : []),
    ...(names.some((flag) => /^REG_(MULTILINE|DOT_NEWLINE|LINE_ANY_CRLF)$/.test(flag)) ? ['s', 'm'] : []),
  ]
  return letters.length > 0 ? `(?${letters.join('')})${pattern}` : pattern
}
