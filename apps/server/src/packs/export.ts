/** Exports all feed data in its original public formats as one file. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { packFiles } from '@glacis/intelligence'
import type { Reference, SolutionKind } from '@glacis/contract/threat'
import type { Tables } from '#database/tables.ts'
import { downloadedFolders } from '#packs/files.ts'
import { type Kysely, sql } from 'kysely'

/** Records per file of the archive. */
const recordsPerFile = 5000

/** Writes a `.tar.zst` archive that `importPath` can read. @returns the number of records */
export async function exportPacks(owner: Kysely<Tables>, packsFolder: string, path: string): Promise<number> {
  let records = 0
  async function* files() {
    for await (const part of threatFiles(owner)) {
      records += part.records
      yield part
    }
    yield { name: 'kev.json', content: await knownExploited(owner) }
    yield { name: 'epss.csv', content: await probabilities(owner) }
    yield { name: 'lifecycles.json', content: await lifecycles(owner) }
    yield* fixFiles(owner)
    yield { name: 'dictionary.csv', content: await dictionary(owner) }
    const downloaded = await downloadedFolders(packsFolder)
    yield* filesBelow(downloaded.checks, 'http')
    yield* filesBelow(downloaded.fingerprints, 'fingerprints')
  }
  await packFiles(path, files())
  return records
}

interface StoredThreat {
  readonly key: string
  readonly name: string
  readonly summary: string
  readonly impact: string
  readonly insight: string
  readonly solution_kind: SolutionKind
  readonly solution: string
  readonly refs: readonly Reference[]
  readonly cvss: string
  readonly record: {
    configurations?: unknown
    metrics?: readonly StoredMetric[]
    weaknesses?: readonly string[]
    isRejected?: boolean
  }
  readonly modified_at: Date | null
  readonly published_at: Date | null
}
interface StoredMetric {
  readonly version: string
  readonly by: string
  readonly vector: string
  readonly score: number
}

/** Records in NVD's format, with our own descriptions where available. */
async function* threatFiles(owner: Kysely<Tables>) {
  let lastKey = ''
  for (let number = 1; ; number++) {
    const { rows } = await sql<StoredThreat>`
      select key, name, summary, impact, insight, solution_kind, solution, refs, cvss, record, modified_at, published_at
      from threat
      where kind = 'cve' and key like 'CVE-%' and record is not null and key > ${lastKey}
      order by key
      limit ${recordsPerFile}`.execute(owner)
    const last = rows.at(-1)
    if (!last) return
    lastKey = last.key
    const content = rows.map((row) => `${JSON.stringify(toNvd(row))}\n`).join('')
    yield { name: `records/${String(number).padStart(4, '0')}.jsonl`, content, records: rows.length }
  }
}

const metricNames: Readonly<Record<string, string>> = {
  '4.0': 'cvssMetricV40',
  '3.1': 'cvssMetricV31',
  '3.0': 'cvssMetricV30',
  '2.0': 'cvssMetricV2',
}

function toNvd(row: StoredThreat) {
  const { configurations = [], metrics = [], weaknesses = [], isRejected = false } = row.record
  const byName = Map.groupBy(metrics, ({ version }) => metricNames[version] ?? 'cvssMetricV31')
  return {
    id: row.key,
    ...(isRejected && { vulnStatus: 'Rejected' }),
    ...(row.published_at && { published: row.published_at.toISOString() }),
    ...(row.modified_at && { lastModified: row.modified_at.toISOString() }),
    descriptions: [{ lang: 'en', value: row.summary }],
    metrics: Object.fromEntries(
      [...byName].map(([name, list]) => [
        name,
        list.map(({ by, vector, score }) => ({
          source: by === 'nvd' ? 'nvd@nist.gov' : by,
          cvssData: { vectorString: vector, baseScore: score },
        })),
      ]),
    ),
    weaknesses: [{ description: weaknesses.map((value) => ({ lang: 'en', value })) }],
    configurations,
    references: row.refs.flatMap((item) => ('url' in item ? [{ url: item.url }] : [])),
    glacis: {
      name: row.name,
      summary: row.summary,
      impact: row.impact,
      insight: row.insight,
      ...(row.solution && { solution: { kind: row.solution_kind, description: row.solution } }),
    },
  }
}

async function knownExploited(owner: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ cveID: string; dateAdded: string }>`
    select key as "cveID", (known_exploited_at at time zone 'utc')::date as "dateAdded"
    from exploitation where known_exploited_at is not null order by key`.execute(owner)
  const pack = await owner.selectFrom('pack').select('version').where('name', '=', 'CISA KEV').executeTakeFirst()
  return JSON.stringify({ catalogVersion: pack?.version ?? '', vulnerabilities: rows })
}

async function probabilities(owner: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ line: string }>`
    select key || ',' || epss_score || ',' || epss_percentile as line
    from exploitation where epss_score is not null order by key`.execute(owner)
  return ['cve,epss,percentile', ...rows.map((row) => row.line), ''].join('\n')
}

async function lifecycles(owner: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{
    name: string
    vendor: string
    product: string
    cycle: string
    ends_on: string | null
    is_over: boolean
    latest: string
  }>`
    select * from release_cycle order by vendor, product, cycle`.execute(owner)
  const products = [...Map.groupBy(rows, (row) => `${row.vendor}:${row.product}`)].map(([key, cycles]) => ({
    name: key.replaceAll(/[^a-z0-9]+/gi, '-'),
    label: cycles[0]?.name ?? key,
    identifiers: [{ type: 'cpe', id: `cpe:2.3:a:${key}` }],
    releases: cycles.map(({ cycle, ends_on: eolFrom, is_over: isOver, latest }) => ({
      name: cycle,
      isEol: isOver,
      eolFrom,
      latest: latest === '' ? null : { name: latest },
    })),
  }))
  return JSON.stringify({ schema_version: '1.2.0', result: products })
}

async function* fixFiles(owner: Kysely<Tables>) {
  const rows = await owner
    .selectFrom('distribution_fix')
    .selectAll()
    .orderBy('release')
    .orderBy('package')
    .orderBy('product')
    .orderBy('key')
    .execute()
  for (const [release, ofRelease] of Map.groupBy(rows, (row) => row.release)) {
    const byPackage = Map.groupBy(ofRelease, (row) => JSON.stringify([row.package, row.origin, row.product]))
    const packages = [...byPackage.values()].map((list) => ({
      package: list[0]?.package ?? '',
      origin: list[0]?.origin ?? '',
      product: list[0]?.product ?? '',
      fixes: Object.fromEntries(list.map((row) => [row.key, row.fixed_version])),
    }))
    const content = JSON.stringify({ distribution: release, release, packages })
    yield { name: `fixes/${release.replaceAll(/\W+/g, '-') || 'any'}.json`, content }
  }
}

async function dictionary(owner: Kysely<Tables>): Promise<string> {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
  const rows = await owner
    .selectFrom('software')
    .select(['part', 'vendor', 'product'])
    .orderBy('vendor')
    .orderBy('product')
    .execute()
  return [
    '"part","vendor","product"',
    ...rows.map((row) => [row.part, row.vendor, row.product].map(cell).join(',')),
    '',
  ].join('\n')
}

async function* filesBelow(folder: string, name: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((item) => item.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const relativePath = relative(folder, path)
    yield { name: relativePath.includes('/') ? relativePath : `${name}/${relativePath}`, content: await readFile(path) }
  }
}
