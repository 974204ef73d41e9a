/** Reads feeds of all formats as items. Invalid records are reported as skipped items. */
import { parse as parseCsv } from 'csv-parse'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { parseCve5 } from '#feed/cve5.ts'
import { readOsv, readTrackerPackage } from '#feed/debian.ts'
import { readDistributionFile } from '#feed/distribution.ts'
import { parseLifecycle, parseLifecyclePage } from '#feed/lifecycle.ts'
import type { Item, RecordSource } from '#feed/item.ts'
import { readKev } from '#feed/kev.ts'
import { parseNvd } from '#feed/nvd.ts'
import { readMembers, readRecords } from '#feed/records.ts'
import type { Format } from '#feed/format.ts'
import { readRetire } from '#feed/retire.ts'

type Chunks = AsyncIterable<string>

/** The file ends inside a record or a list. */
export class TruncatedFile extends Error {}

/** In characters. Documents that are read as a whole are small; the largest one, KEV, has a few megabytes. */
const documentLengthMax = 64 * 1024 * 1024

/**
 * Reads the records of a file.
 *
 * @param file the file name, for formats with one record per file
 * @param source the source of the records, for formats used by several sources: our own packs use NVD's
 * @throws TruncatedFile if the file is truncated; plain errors if it is not in this format
 */
export async function* readFeed(
  format: Format,
  chunks: Chunks,
  { file = '', source = 'nvd' }: { file?: string; source?: RecordSource } = {},
): AsyncGenerator<Item> {
  if (format === 'nvd') {
    for await (const record of readRecords(chunks, 'vulnerabilities', TruncatedFile)) yield fromNvd(record, source)
  } else if (format === 'override') {
    for await (const record of readRecords(chunks, '-', TruncatedFile)) yield fromOverride(record)
  } else if (format === 'cve5') {
    for await (const record of readRecords(chunks, '-', TruncatedFile)) yield parseCve5(record)
  } else if (format === 'tracker') {
    for await (const [name, value] of readMembers(chunks, TruncatedFile)) yield* readTrackerPackage(name, value)
  } else if (format === 'osv') {
    for await (const record of readRecords(chunks, '-', TruncatedFile)) yield* readOsv(record)
  } else if (format === 'epss') yield* readEpss(chunks)
  else if (format === 'dictionary') yield* readDictionary(chunks)
  else if (format === 'lifecycle-page') yield parseLifecyclePage(await readAll(chunks), file)
  else yield* fromDocument(format, parseDocument(await readAll(chunks)))
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TruncatedFile('The file is not a complete JSON document.', { cause })
  }
}

function* fromDocument(format: Format, document: unknown): Generator<Item> {
  if (format === 'kev') {
    const { entries, skipped } = readKev(document)
    for (const { id, addTime } of entries) yield { kind: 'exploitation', id, knownExploited: { addTime } }
    for (let count = 0; count < skipped; count++) yield { kind: 'skipped', id: '', problem: 'The entry is invalid.' }
  } else if (format === 'retire') yield* readRetire(document)
  else if (format === 'distribution') yield* readDistributionFile(document)
  else if (format === 'lifecycle') {
    const { result } = z.object({ result: z.union([z.array(z.unknown()), z.unknown()]) }).parse(document)
    for (const product of Array.isArray(result) ? result : [result]) yield parseLifecycle(product)
  } else throw new Error(`Files of the format ${format} contain no records.`)
}

function fromNvd(record: unknown, source: RecordSource): Item {
  const item = parseNvd(record)
  return item.kind === 'threat' ? { ...item, source } : item
}

const Override = z.object({
  _annotation: z.object({
    cve_id: z.string(),
    description: z.string().catch(''),
    modified: z.string().optional(),
    published: z.string().optional(),
  }),
  cve: z.looseObject({}),
})

/** Overrides provide configurations for records that NVD hasn't analyzed. */
function fromOverride(input: unknown): Item {
  const { data, error } = Override.safeParse(input)
  if (!data) return { kind: 'skipped', id: '', problem: z.prettifyError(error) }
  const { cve_id: id, description, modified, published } = data._annotation
  return fromNvd(
    { id, descriptions: [{ lang: 'en', value: description }], lastModified: modified, published, ...data.cve },
    'override',
  )
}

const EpssRow = z.object({
  cve: z.string().regex(/^CVE-\d{4}-\d{4,}$/),
  epss: z.coerce.number().min(0).max(1),
  percentile: z.coerce.number().min(0).max(1),
})

async function* readEpss(chunks: Chunks): AsyncGenerator<Item> {
  for await (const row of rowsOf(chunks, { comment: '#' })) {
    const { data } = EpssRow.safeParse(row)
    if (data) yield { kind: 'exploitation', id: data.cve, epss: { score: data.epss, percentile: data.percentile } }
    else
      yield {
        kind: 'skipped',
        id: '',
        problem: 'The line is not a CVE ID with an EPSS score and percentile from 0 to 1.',
      }
  }
}

const DictionaryRow = z.object({
  part: z.enum(['a', 'o', 'h']).default('a'),
  vendor: z.string().min(1).max(200),
  product: z.string().min(1).max(200),
})

async function* readDictionary(chunks: Chunks): AsyncGenerator<Item> {
  for await (const row of rowsOf(chunks, { delimiter: [',', '\t'] })) {
    const { data } = DictionaryRow.safeParse(row)
    if (data) yield { kind: 'software', ...data }
    else yield { kind: 'skipped', id: '', problem: 'The line is not a vendor and a product.' }
  }
}

function rowsOf(chunks: Chunks, options: object): AsyncIterable<unknown> {
  const parser = parseCsv({
    columns: true,
    relax_column_count: true,
    skip_records_with_error: true,
    relax_quotes: true,
    bom: true,
    ...options,
  })
  const text = Readable.from(chunks)
  text.on('error', (error) => parser.destroy(error))
  return text.pipe(parser)
}

async function readAll(chunks: Chunks): Promise<string> {
  let text = ''
  for await (const chunk of chunks) {
    text += chunk
    if (text.length > documentLengthMax)
      throw new Error(`The file is too large: more than ${documentLengthMax} characters.`)
  }
  return text
}
