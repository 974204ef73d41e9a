/**
 * The world's knowledge at its full size: how long its records take to come in and how much memory,
 * how long an inventory takes to be held against all of it, one changed record against a million
 * installations, and how right the verdicts are. Needs the public records in the folder that GLACIS_SHARED names; without it it says so.
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
import { type Database, inAccount, openDatabase } from '../apps/server/src/database/index.ts'
import { migrate } from '../apps/server/src/database/migrate.ts'
import { matchThreats } from '../apps/server/src/issues/rematch.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { fromRecord } from '../apps/server/src/packs/drafts.ts'
import { importAside } from '../apps/server/src/packs/import-aside.ts'
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
const productsWanted = 100_000
/** What a row of an issue costs to write, on top of finding it. */
const insertMs = 1

if (!existsSync(records)) {
  console.log(`no records in ${records}: nothing was measured`)
} else if (process.argv[2] === 'import') {
  // In a process of its own, so that its memory is its own.
  const [, , , databaseUrl = '', packsFolder = ''] = process.argv
  await importAside(records, { databaseUrl, packsFolder })
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
    const begin = performance.now()
    const run = spawnSync(process.execPath, [import.meta.filename, 'import', postgres.url, folder], {
      encoding: 'utf8',
    })
    if (run.status !== 0) throw new Error(run.stderr)
    report('import of all records of NVD', (performance.now() - begin) / 1000, 's', 90)
    const { memoryKb, cpuSeconds } = JSON.parse(run.stdout) as { memoryKb: number; cpuSeconds: number } // written above
    report('memory of the importing process', memoryKb / 1024, 'MB', 500)
    // Of wall time others on this machine take their part; of these, none.
    report('CPU time of the importing process', cpuSeconds, 's', 90)
    await matchAll(database)
    await holdOne(database)
    await judge()
  } finally {
    await database.close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Distinct names of the criteria of all years, taken evenly, as products that somebody might run. */
async function productsOf(): Promise<Map<ProductKey, MatchSubject[]>> {
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
  const stride = names.length / productsWanted
  const drawn = Array.from({ length: productsWanted }, (_, index) => names[Math.floor(index * stride)]).flatMap(
    (one) => one ?? [],
  )
  const byKey = Map.groupBy(drawn, ({ key }) => key)
  return new Map([...byKey].map(([key, group]) => [key, group.map(({ name }) => ({ wfn: toWfn(name), quality: 80 }))]))
}

/** Holds every product against every record about it, as the product itself does. */
async function matchAll(database: Database): Promise<void> {
  const byKey = await productsOf()
  const [begin, cpu] = [performance.now(), process.cpuUsage()]
  let matches = 0
  const ctx = { tx: database.owner as unknown as Ctx['tx'], now: new Date() }
  for await (const [key, threats] of threatsOfProducts(ctx, [...byKey.keys()])) {
    const prepared = prepareThreats(key, threats)
    for (const product of byKey.get(key) ?? []) {
      for (const { quality } of prepared.alone(product)) if (quality >= issueQualityMin) matches += 1
      for (const { quality } of prepared.among(product, [])) if (quality >= issueQualityMin) matches += 1
    }
  }
  const { user, system } = process.cpuUsage(cpu)
  report(`full match of ${productsWanted} products: ${matches} matches`, (performance.now() - begin) / 1000, 's', 10)
  report('CPU time of it in this process', (user + system) / 1e6, 's', 10)
}

/** A million installations, and a changed record about software that a thousand of the hosts run. */
async function holdOne(database: Database): Promise<void> {
  const { account, subject } = await manyInstallations(database)
  const [, product = ''] = subject.split(':')
  const criteria = `cpe:2.3:a:bench:${product}:*:*:*:*:*:*:*:*`
  const cpeMatch = [{ vulnerable: true, criteria, versionEndExcluding: '2' }]
  const item = parseNvd({ id: 'CVE-2026-99999', configurations: [{ nodes: [{ cpeMatch }] }] })
  if (item.kind !== 'threat') throw new Error(item.problem)
  const { changed: ids } = await upsertThreats(database.owner, [fromRecord(item.threat, 'nvd')])
  const begin = performance.now()
  const log = { info() {}, warn() {}, error() {} }
  const raised = await inAccount(database, { account, actor: systemActor, log }, async (ctx) => {
    await matchThreats(ctx, { ids, subjects: [subject], isNews: false }, {})
    return (await ctx.tx.selectFrom('occurrence').select('id').execute()).length
  })
  report(
    `one changed record over 1M installations: ${raised} raised`,
    performance.now() - begin,
    'ms',
    1000 + raised * insertMs,
  )
}

/** How right the matcher is, where the truth is known. */
async function judge(): Promise<void> {
  const folder = join(records, '..')
  const { expected, missed, withoutRecord, backportChecks, falsePositives } = await measureLaboratory(folder)
  const lost = [...missed, ...withoutRecord]
  report(`matches of the laboratory that were not found, of ${expected}`, (100 * lost.length) / expected, '%', 5)
  report(`false positives, including ${backportChecks} Debian backports`, falsePositives.length, '', 0)
  const { compared, differing, causes } = await measureExpansion(folder)
  report(`expanded products that are not matched, of ${compared}`, (100 * differing.length) / compared, '%', 1)
  console.log(JSON.stringify({ lost, falsePositives, causes }))
}

function report(figure: string, value: number, unit: string, limit: number): void {
  console.log(JSON.stringify({ figure, value, unit, limit }))
}
