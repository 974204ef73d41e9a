/** One reader for every format: text in, items out. A bad record is reported and never ends the reading. */
import { parse as parseCsv } from 'csv-parse'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { parseCve5 } from '#feed/cve5.ts'
import { readOsv, readTracked } from '#feed/debian.ts'
import { fixesOf } from '#feed/distribution.ts'
import { parseLifecycle, parseLifecyclePage } from '#feed/eol.ts'
import type { Item, RecordSource } from '#feed/item.ts'
import { readKev } from '#feed/kev.ts'
import { parseNvd } from '#feed/nvd.ts'
import { readMembers, readRecords } from '#feed/records.ts'
import type { Format } from '#feed/recognise.ts'
import { readRetire } from '#feed/retire.ts'

type Chunks = AsyncIterable<string>

/** A file ended where a record or a list was still open: it was cut off on its way. */
export class CutOff extends Error {}

/** Documents that are read as a whole are small: the largest of them, KEV, has some megabytes. */
const wholeLengthMax = 64 * 1024 * 1024

/**
 * Reads the records of a file.
 *
 * @param file its name, for the formats that hold one record per file
 * @param source whose records these are, where the format leaves it open: our own packs have NVD's form
 * @throws CutOff when the file ends in the middle; plain errors when it is not of this format at all
 */
export async function* readFeed(
  format: Format,
  chunks: Chunks,
  { file = '', source = 'nvd' }: { file?: string; source?: RecordSource } = {},
): AsyncGenerator<Item> {
  if (format === 'nvd') {
    for await (const record of readRecords(chunks, 'vulnerabilities', CutOff)) yield fromNvd(record, source)
  } else if (format === 'override') {
    for await (const record of readRecords(chunks, '-', CutOff)) yield fromOverride(record)
  } else if (format === 'cve5') {
    for await (const record of readRecords(chunks, '-', CutOff)) yield parseCve5(record)
  } else if (format === 'tracker') {
    for await (const [name, value] of readMembers(chunks, CutOff)) yield* readTracked(name, value)
  } else if (format === 'osv') {
    for await (const record of readRecords(chunks, '-', CutOff)) yield* readOsv(record)
  } else if (format === 'epss') yield* readEpss(chunks)
  else if (format === 'dictionary') yield* readDictionary(chunks)
  else if (format === 'lifecycle-page') yield parseLifecyclePage(await whole(chunks), file)
  else yield* fromDocument(format, parseDocument(await whole(chunks)))
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CutOff('The file is no whole JSON document.', { cause })
  }
}

function* fromDocument(format: Format, document: unknown): Generator<Item> {
  if (format === 'kev') {
    const { entries, skipped } = readKev(document)
    for (const { id, addTime } of entries) yield { kind: 'exploitation', id, knownExploited: { addTime } }
    for (let count = 0; count < skipped; count++) yield { kind: 'skipped', id: '', problem: 'An entry is not whole.' }
  } else if (format === 'retire') yield* readRetire(document)
  else if (format === 'distribution') yield* fixesOf(document)
  else if (format === 'lifecycle') {
    const { result } = z.object({ result: z.union([z.array(z.unknown()), z.unknown()]) }).parse(document)
    for (const product of Array.isArray(result) ? result : [result]) yield parseLifecycle(product)
  } else throw new Error(`Files of the format ${format} hold no records.`)
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

/** Configurations that somebody else worked out for records that NVD has not analysed. */
function fromOverride(input: unknown): Item {
  const { data, error } = Override.safeParse(input)
  if (!data) return { kind: 'skipped', id: '', problem: z.prettifyError(error) }
  const { cve_id: id, description, modified, published } = data._annotation
  return fromNvd(
    { id, descriptions: [{ lang: 'en', value: description }], lastModified: modified, published, ...data.cve },
    'override',
  )
}

const Epss = z.object({
  cve: z.string().regex(/^CVE-\d{4}-\d{4,}$/),
  epss: z.coerce.number().min(0).max(1),
  percentile: z.coerce.number().min(0).max(1),
})

async function* readEpss(chunks: Chunks): AsyncGenerator<Item> {
  for await (const row of rowsOf(chunks, { comment: '#' })) {
    const { data } = Epss.safeParse(row)
    if (data) yield { kind: 'exploitation', id: data.cve, epss: { score: data.epss, percentile: data.percentile } }
    else yield { kind: 'skipped', id: '', problem: 'A line is not a CVE with two shares of one.' }
  }
}

const Name = z.object({
  part: z.enum(['a', 'o', 'h']).default('a'),
  vendor: z.string().min(1).max(200),
  product: z.string().min(1).max(200),
})

async function* readDictionary(chunks: Chunks): AsyncGenerator<Item> {
  for await (const row of rowsOf(chunks, { delimiter: [',', '\t'] })) {
    const { data } = Name.safeParse(row)
    if (data) yield { kind: 'software', ...data }
    else yield { kind: 'skipped', id: '', problem: 'A line is not a vendor and a product.' }
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

async function whole(chunks: Chunks): Promise<string> {
  let text = ''
  for await (const chunk of chunks) {
    text += chunk
    if (text.length > wholeLengthMax) throw new Error('The file is far larger than its kind ever is.')
  }
  return text
}
