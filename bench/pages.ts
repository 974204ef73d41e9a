/**
 * Runs Lighthouse on all pages on a phone and a desktop, signed in: with a new workspace, and with a workspace that has
 * scanned the demo's targets. Reports performance, accessibility, best practices, and the performance metrics.
 * Lighthouse is installed separately, because nothing else needs it.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../e2e/ports.ts'
import { createTarget } from '@glacis/contract/target'
import { startProduct } from '../lab/product.ts'
import { startLab } from '../lab/servers.ts'
import { scanned, type Visitor, visit } from '../lab/visitor.ts'

const version = '13.5.0'
const lighthouseFolder = join(tmpdir(), 'glacis-bench', `lighthouse-${version}`)
const password = 'contour-line-4478'
const users = {
  'new account': { email: 'nora.ammann@aarewerk.example', password, first: 'Nora', last: 'Ammann' },
  'with data': { email: 'reto.keller@aarewerk.example', password, first: 'Reto', last: 'Keller' },
} as const
/** The demo's targets, on a loopback network that nothing else in this repository uses. */
const network = '127.61.0.0/28'
const targets = [
  ['Public web', '127.61.0.1-127.61.0.3'],
  ['Data services', '127.61.0.4-127.61.0.7'],
  ['Whole lab', network],
] as const
/** Paths to measure; all if empty. */
const selectedPaths = process.argv.slice(2)
const pages = [
  '/login',
  '/overview',
  '/scope',
  '/agents',
  '/risks/verified',
  '/risks/potential',
  '/assets',
  '/risks/visual',
  '/technologies',
  '/scans',
  '/integrations',
  '/onboarding',
  '/profile',
]
const categories = ['performance', 'accessibility', 'best-practices'] as const
/** Minimum scores of the sign-in page and of pages with data. */
const performanceMin = { signIn: 95, data: 90 }
const lcpMaxMs = 2500

/** Performance is the median of this many loads. The other scores don't vary. */
const loads = 3

/** The metrics behind the performance score. */
const metrics = {
  'first-contentful-paint': 'FCP',
  'largest-contentful-paint': 'LCP',
  'total-blocking-time': 'TBT',
  'speed-index': 'speed index',
  'cumulative-layout-shift': 'CLS',
} as const

const run = promisify(execFile)
const chromium =
  process.env['CHROMIUM'] ??
  ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find((path) => existsSync(path)) ??
  '/usr/bin/google-chrome'
const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-pages-'))

if (!existsSync(join(lighthouseFolder, 'node_modules'))) {
  await mkdir(lighthouseFolder, { recursive: true })
  await writeFile(join(lighthouseFolder, 'package.json'), '{"private":true}')
  await run('npm', ['install', `lighthouse@${version}`, '--no-audit', '--no-fund'], { cwd: lighthouseFolder })
}
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'error' } })
try {
  const selectedPages = pages.filter((path) => selectedPaths.length === 0 || selectedPaths.includes(path))
  if (selectedPages.includes('/login')) await measure('/login', '/login', null)
  for (const [state, person] of Object.entries(users)) {
    const visitor = visit(product.url)
    await visitor.signUp(person, dataFolder)
    if (state === 'with data') await scanLab(visitor)
    const headers = join(dataFolder, 'headers.json')
    await writeFile(headers, JSON.stringify({ Cookie: visitor.cookie() }))
    for (const page of selectedPages.filter((path) => path !== '/login'))
      await measure(`${page}, ${state}`, page, headers)
  }
} finally {
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

/** Scans the demo's targets. The servers only run during the scans. */
async function scanLab(visitor: Visitor): Promise<void> {
  const lab = await startLab({ network })
  try {
    for (const [name, address] of targets) {
      const input = { name, address, schedule: { period: 'PERIOD_DAILY' as const }, tags: [] }
      const scan = await scanned(visitor, (await visitor.call(createTarget, input)).target.id)
      if (scan.status !== 'STATUS_COMPLETED') throw new Error(`The scan of ${name} ended with ${scan.status}`)
    }
  } finally {
    await lab.stop()
  }
}

async function measure(name: string, page: string, headers: string | null): Promise<void> {
  for (const device of ['phone', 'desktop'] as const) {
    const reports: Report[] = []
    while (reports.length < loads) reports.push(await load(page, device, headers))
    report(`${name} on a ${device}`, reports)
  }
}

function report(name: string, reports: readonly Report[]): void {
  const isSignIn = name.startsWith('/login')
  for (const category of categories) {
    const performance = isSignIn ? performanceMin.signIn : performanceMin.data
    const least = category === 'performance' ? performance : 100
    const value = median(reports.map(({ categories: scores }) => Math.round((scores[category]?.score ?? 0) * 100)))
    console.log(JSON.stringify({ figure: `${name}: ${category}`, value, unit: '', least }))
  }
  if (!isSignIn && name.endsWith('phone')) {
    const value = median(reports.map(({ audits }) => audits['largest-contentful-paint']?.numericValue ?? Infinity))
    console.log(JSON.stringify({ figure: `${name}: LCP`, value, unit: 'ms', limit: lcpMaxMs }))
  }
  const parts = Object.entries(metrics).map(([audit, part]) => {
    const value = median(reports.map(({ audits }) => audits[audit]?.numericValue ?? 0))
    return `${part} ${audit === 'cumulative-layout-shift' ? value.toFixed(3) : `${Math.round(value)} ms`}`
  })
  console.log(`${name}: ${parts.join(', ')}; LCP element: ${lcpElementOf(reports.at(-1))}`)
}

/** The text of the LCP element. */
function lcpElementOf(last: Report | undefined): string {
  const details = JSON.stringify(last?.audits['lcp-breakdown-insight']?.details ?? {})
  const label = /"nodeLabel":("(?:[^"\\]|\\.)*")/.exec(details)?.[1]
  return label?.slice(0, 80) ?? 'unknown'
}

interface Report {
  readonly runtimeError?: { readonly code: string }
  readonly finalDisplayedUrl: string
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
  readonly audits: Readonly<Record<string, { readonly numericValue?: number; readonly details?: unknown }>>
}

/** Loads a page once. Repeats loads that Lighthouse reports as faulty, such as those with an incomplete trace. */
async function load(page: string, device: 'phone' | 'desktop', headers: string | null, triesLeft = 3): Promise<Report> {
  const file = join(dataFolder, 'report.json')
  await rm(file, { force: true })
  const errorOutput = await lighthouse(page, device, headers, file)
  const report = await readFile(file, 'utf8').then(
    (text): Report | null => JSON.parse(text) as Report,
    () => null,
  )
  if (report && !report.runtimeError) {
    if (!report.finalDisplayedUrl.includes(page)) throw new Error(`${page} redirected to ${report.finalDisplayedUrl}`)
    return report
  }
  if (triesLeft === 0) throw new Error(`${page} could not be measured: ${report?.runtimeError?.code ?? errorOutput}`)
  return load(page, device, headers, triesLeft - 1)
}

/**
 * Runs Lighthouse and returns its error output. For a faulty load it exits with an error but may still write its
 * report.
 */
async function lighthouse(
  page: string,
  device: 'phone' | 'desktop',
  headers: string | null,
  file: string,
): Promise<string> {
  const args = [
    join(lighthouseFolder, 'node_modules/lighthouse/cli/index.js'),
    product.url + page,
    '--quiet',
    '--output=json',
    `--output-path=${file}`,
    `--only-categories=${categories.join(',')}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ...(headers ? [`--extra-headers=${headers}`] : []),
  ]
  const options = { env: { ...process.env, CHROME_PATH: chromium }, maxBuffer: 1e8 }
  return run(process.execPath, args, options).then(
    ({ stderr }) => stderr,
    (error: Error) => error.message,
  )
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
