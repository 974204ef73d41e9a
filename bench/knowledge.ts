/**
 * Benchmarks vulnerability matching with all NVD records: time and memory of the import, matching an inventory
 * against all records, matching one changed record against a million installations, and the accuracy of the results.
 * Needs the public records in the folder of GLACIS_SHARED, and reports if they are missing.
 */
import { spawnSync } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createZstdDecompress } from 'node:zlib'
import { type Ctx, systemActor } from '../apps/server/src/ctx.ts'
import { startPostgres } from '../apps/server/src/database/embedded.ts'
import { type Database, inWorkspace, openDatabase } from '../apps/server/src/database/index.ts'
import { migrate } from '../apps/server/src/database/migrate.ts'
import { matchThreats } from '../apps/server/src/issues/rematch.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { fromRecord } from '../apps/server/src/packs/drafts.ts'
import { importInThread } from '../apps/server/src/packs/import-in-thread.ts'
import { manyInstallations } from '../apps/server/src/testing/installations.ts'
import { threatsOfProducts, upsertThreats } from '../apps/server/src/threats/index.ts'
import {
  issueQualityMin,
  type MatchSubject,
  parseCpe,
  parseNvd,
  prepareThreats,
  type ProductKey,
  productKey,
  toWfn,
} from '../packages/intelligence/src/index.ts'
import { measureExpansion, measureLaboratory } from '../packages/intelligence/src/testing/accuracy.ts'

const records = join(process.env['GLACIS_SHARED'] ?? resolve(import.meta.dirname, '../../shared'), 'data/nvd')
const productCount = 100_000
/** Allowance per raised issue for writing its rows. */
const insertMs = 1

if (!existsSync(records)) {
  console.log(`No records in ${records}. Skipped.`)
} else if (process.argv[2] === 'import') {
  // In its own process, to measure its memory separately.
  const [, , , databaseUrl = '', packsFolder = ''] = process.argv
  await importInThread(records, { databaseUrl, packsFolder })
  const { user, system } = process.cpuUsage()
  console.log(JSON.stringify({ memoryKb: process.resourceUsage().maxRSS, cpuSeconds: (user + system) / 1e6 }))
} else await measure()

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-bench-'))
  const log = createLogger({ level: 'error' })
  const postgres = await startPostgres({ dataFolder: folder, log })
  const database = openDatabase(postgres.url, log)
  try {
    await migrate(database.owner)
    const startedAt = performance.now()
    const run = spawnSync(process.execPath, [import.meta.filename, 'import', postgres.url, folder], {
      encoding: 'utf8',
    })
    if (run.status !== 0) throw new Error(run.stderr)
    report('import of all NVD records', (performance.now() - startedAt) / 1000, 's', 90)
    const { memoryKb, cpuSeconds } = JSON.parse(run.stdout) as { memoryKb: number; cpuSeconds: number } // printed above
    report('memory of the import', memoryKb / 1024, 'MB', 500)
    // Unlike wall time, it doesn't depend on other load on the machine.
    report('CPU time of the import', cpuSeconds, 's', 90)
    await matchAll(database)
    await matchChangedRecord(database)
    await measureAccuracy()
  } finally {
    await database.close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Distinct product names of all records, evenly sampled, as an inventory. */
async function sampleProducts(): Promise<Map<ProductKey, MatchSubject[]>> {
  const seen = new Set<string>()
  for (const file of await readdir(records)) {
    const lines = createInterface({ input: createReadStream(join(records, file)).pipe(createZstdDecompress()) })
    for await (const line of lines) {
      for (const [name] of line.matchAll(/cpe:2\.3:[ao]:[^"*]+:[\d][^"*:]*:[^"]*?(?=")/g)) seen.add(name)
    }
  }
  const names = [...seen].flatMap((text) => {
    const name = parseCpe(text)
    const key = name && productKey(name)
    return key ? { key, name } : []
  })
  const stride = names.length / productCount
  const sampled = Array.from({ length: productCount }, (_, index) => names[Math.floor(index * stride)]).flatMap(
    (entry) => entry ?? [],
  )
  const byKey = Map.groupBy(sampled, ({ key }) => key)
  return new Map([...byKey].map(([key, group]) => [key, group.map(({ name }) => ({ wfn: toWfn(name), quality: 80 }))]))
}

/** Matches every product against all records about it, as the product does. */
async function matchAll(database: Database): Promise<void> {
  const byKey = await sampleProducts()
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
  let matches = 0
  const ctx = { tx: database.owner as unknown as Ctx['tx'], now: new Date() }
  for await (const [key, threats] of threatsOfProducts(ctx, [...byKey.keys()])) {
    const prepared = prepareThreats(key, threats)
    for (const product of byKey.get(key) ?? []) {
      for (const { quality } of prepared.matchAlone(product)) if (quality >= issueQualityMin) matches += 1
      for (const { quality } of prepared.matchAmong(product, [])) if (quality >= issueQualityMin) matches += 1
    }
  }
  const { user, system } = process.cpuUsage(cpu)
  report(`full match of ${productCount} products: ${matches} matches`, (performance.now() - startedAt) / 1000, 's', 10)
  report('CPU time of the full match', (user + system) / 1e6, 's', 10)
}

/** Matches a changed record against a million installations, a thousand of which run the software. */
async function matchChangedRecord(database: Database): Promise<void> {
  const { workspace, subject } = await manyInstallations(database)
  const [, product = ''] = subject.split(':')
  const criteria = `cpe:2.3:a:bench:${product}:*:*:*:*:*:*:*:*`
  const cpeMatch = [{ vulnerable: true, criteria, versionEndExcluding: '2' }]
  const item = parseNvd({ id: 'CVE-2026-99999', configurations: [{ nodes: [{ cpeMatch }] }] })
  if (item.kind !== 'threat') throw new Error(item.problem)
  const { changed: ids } = await upsertThreats(database.owner, [fromRecord(item.threat, 'nvd')])
  const startedAt = performance.now()
  const log = { info() {}, warn() {}, error() {} }
  const raised = await inWorkspace(database, { workspace, actor: systemActor, log }, async (ctx) => {
    await matchThreats(ctx, { ids, subjects: [subject], isNews: false }, {})
    return (await ctx.tx.selectFrom('occurrence').select('id').execute()).length
  })
  report(
    `one changed record, 1M installations: ${raised} issues raised`,
    performance.now() - startedAt,
    'ms',
    1000 + raised * insertMs,
  )
}

/** Compares verdicts with known results. */
async function measureAccuracy(): Promise<void> {
  const folder = join(records, '..')
  const { expected, missed, withoutRecord, backportChecks, falsePositives } = await measureLaboratory(folder)
  const missedMatches = [...missed, ...withoutRecord]
  report(`lab matches that were missed, of ${expected}`, (100 * missedMatches.length) / expected, '%', 5)
  report(`false positives, including ${backportChecks} Debian backports`, falsePositives.length, '', 0)
  const { compared, differing, causes } = await measureExpansion(folder)
  report(`expanded products with a different result, of ${compared}`, (100 * differing.length) / compared, '%', 1)
  console.log(JSON.stringify({ missedMatches, falsePositives, causes }))
}

function report(figure: string, value: number, unit: string, limit: number): void {
  console.log(JSON.stringify({ figure, value, unit, limit }))
}
