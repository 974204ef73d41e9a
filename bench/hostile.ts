/**
 * Compares the API's response times while targets with hostile pages are scanned with those while harmless ones are,
 * in the same run, and measures how much longer the scans take. Uses the cases of `packages/scanner/hostile`.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { root, startProduct } from '../lab/product.ts'
import { hasEnded, scanWhen, type Visitor, visit } from '../lab/visitor.ts'
import { listTargets, createTarget } from '../packages/contract/src/target.ts'
import { listScanHosts, startScan } from '../packages/contract/src/scan.ts'
import { serveSite, type Site } from '../packages/scanner/src/template/testing/site.ts'

interface Case {
  readonly page: { readonly prefix: string; readonly repeat: string; readonly times: number; readonly suffix: string }
  readonly check: string
  readonly expect: string
}

const names = ['xpath-many-inputs', 'trim-space', 'jq-doubling', 'jq-product']
const port = 21_800
const scanMs = 120_000
const callEveryMs = 50
/** Scan of a hostile target compared with that of a harmless one. */
const delayMsMax = 5000
/** On a machine that does nothing else. */
const p95MsMax = 500
const p95RatioMax = 1.5
/** Ratios of a few milliseconds are noise. */
const p95MsMin = 20
const person = { email: 'nora@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }

const cases = await Promise.all(
  names.map(async (name) => {
    const text = await readFile(join(root, 'packages/scanner/hostile', `${name}.yaml`), 'utf8')
    return { name, ...(parse(text) as Case) } // checked by the scanner's tests
  }),
)
const folder = await mkdtemp(join(tmpdir(), 'glacis-bench-hostile-'))
const product = await startProduct({
  port,
  dataFolder: folder,
  settings: { GLACIS_LOG_LEVEL: 'error', GLACIS_SCAN_NETWORKS: '127.0.0.0/8' },
})
try {
  await importPack()
  const visitor = visit(product.url)
  await visitor.signUp(person, folder)
  // The first scans load everything.
  await scanAll(visitor, '127.66.19', ({ page }) => page.prefix)
  const harmless = await scanAll(visitor, '127.66.20', ({ page }) => page.prefix + page.suffix)
  const hostile = await scanAll(
    visitor,
    '127.66.21',
    ({ page }) => page.prefix + page.repeat.repeat(page.times) + page.suffix,
  )
  for (const [index, { name }] of cases.entries()) {
    const delay = (hostile.scanMs[index] ?? Infinity) - (harmless.scanMs[index] ?? 0)
    report(`${name}: ${hostile.outcomes[index]}, longer than harmless`, Math.max(0, delay), 'ms', delayMsMax)
  }
  report('API p95 during harmless scans', harmless.p95, 'ms', p95MsMax)
  report('API p95 during hostile scans', hostile.p95, 'ms', p95MsMax)
  const ratio = Math.max(hostile.p95, p95MsMin) / Math.max(harmless.p95, p95MsMin)
  report('API p95, hostile to harmless', ratio, '×', p95RatioMax)
} finally {
  await product.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Imports a pack with one template per case, as an operator does. */
async function importPack(): Promise<void> {
  const pack = join(folder, 'pack')
  await mkdir(pack)
  for (const { name, check } of cases) await writeFile(join(pack, `${name}.yaml`), templateOf(name, check))
  await promisify(execFile)(process.execPath, ['apps/server/src/main.ts', 'packs', 'import', pack], {
    cwd: root,
    env: { ...process.env, GLACIS_DATA: folder, GLACIS_PORT: String(port) },
  })
}

function templateOf(id: string, check: string): string {
  const operators = check.trimEnd().replaceAll(/^/gm, '    ')
  return `id: ${id}\ninfo: { name: "Case ${id}", severity: low }\nhttp:\n  - path: ["{{BaseURL}}/${id}"]\n${operators}\n`
}

/** Scans a target for each case at the same time, and calls the API in the meantime. */
async function scanAll(visitor: Visitor, network: string, bodyOf: (one: Case) => string) {
  const sites = await Promise.all(
    cases.map((hostileCase, index) => {
      const body = bodyOf(hostileCase)
      return serveSite(`${network}.${index + 1}`, (request, response) =>
        request.url === `/${hostileCase.name}` ? response.end(body) : response.writeHead(404).end(),
      )
    }),
  )
  const ending = new AbortController()
  const calls = callPeriodically(visitor, ending.signal)
  const scans = await Promise.all(
    sites.map((site, index) => scanSite(visitor, `${network}.${index + 1}`, site, names[index] ?? '')),
  )
  ending.abort()
  for (const site of sites) await site[Symbol.asyncDispose]()
  const p95 = percentile(await calls, 0.95)
  return { p95, scanMs: scans.map(({ ms }) => ms), outcomes: scans.map(({ outcome }) => outcome) }
}

async function scanSite(visitor: Visitor, address: string, site: Site, name: string) {
  const { target } = await visitor.call(createTarget, {
    name: `${name} at ${address}`,
    address,
    ports: String(site.port),
    schedule: { period: 'PERIOD_MONTHLY' },
    isPermitted: true,
  })
  const startedAt = performance.now()
  const { scan } = await visitor.call(startScan, { targetId: target.id })
  const { status } = await scanWhen(visitor, scan.id, hasEnded, scanMs)
  const ms = performance.now() - startedAt
  const { hosts } = await visitor.call(listScanHosts, { id: scan.id })
  const stopped = hosts.flatMap((host) => host.stopped.map(({ check, reason }) => `${check} stopped: ${reason}`))
  return { ms, outcome: stopped[0] ?? status }
}

async function callPeriodically(visitor: Visitor, signal: AbortSignal): Promise<number[]> {
  const pending: Promise<number>[] = []
  while (!signal.aborted) {
    pending.push(timeOf(() => visitor.call(listTargets, {})))
    await wait(callEveryMs, undefined, { signal }).catch(() => undefined)
  }
  return Promise.all(pending)
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await call()
  return performance.now() - startedAt
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? 0
}

function report(figure: string, value: number, unit: string, limit: number): void {
  console.log(JSON.stringify({ figure, value, unit, limit }))
}
