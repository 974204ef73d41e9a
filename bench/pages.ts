/**
 * Lighthouse over the pages of the product, on a phone and on a desk, signed in: of an account that has just begun,
 * and of one with the demo's targets, all scanned. Performance, accessibility, best practices, and what performance
 * is made of. It is installed aside, because nobody else needs it.
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
const tool = join(tmpdir(), 'glacis-bench', `lighthouse-${version}`)
const password = 'contour-line-4478'
const people = {
  'just begun': { email: 'nora.ammann@aarewerk.example', password, first: 'Nora', last: 'Ammann' },
  'with data': { email: 'reto.keller@aarewerk.example', password, first: 'Reto', last: 'Keller' },
} as const
/** The demo's targets, in a network of loopback that nothing else of this repository uses. */
const network = '127.61.0.0/28'
const targets = [
  ['Public web', '127.61.0.1-127.61.0.3'],
  ['Data services', '127.61.0.4-127.61.0.7'],
  ['Whole lab', network],
] as const
/** Paths to look at, where somebody wants only a few. */
const wanted = process.argv.slice(2)
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
/** Least scores: of the sign-in page, and of pages with data. */
const performanceMin = { signIn: 95, data: 90 }
const largestPaintMaxMs = 2500

/** Performance is the median of this many loads; the other two are the same each time. */
const loads = 3

/** What performance is made of. */
const behind = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocked',
  'speed-index': 'speed index',
  'cumulative-layout-shift': 'shift',
} as const

const run = promisify(execFile)
const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-pages-'))

if (!existsSync(join(tool, 'node_modules'))) {
  await mkdir(tool, { recursive: true })
  await writeFile(join(tool, 'package.json'), '{"private":true}')
  await run('npm', ['install', `lighthouse@${version}`, '--no-audit', '--no-fund'], { cwd: tool })
}
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'error' } })
try {
  const chosen = pages.filter((path) => wanted.length === 0 || wanted.includes(path))
  if (chosen.includes('/login')) await lookAt('/login', '/login', null)
  for (const [state, person] of Object.entries(people)) {
    const visitor = visit(product.url)
    await visitor.signUp(person, dataFolder)
    if (state === 'with data') await scanLab(visitor)
    const headers = join(dataFolder, 'headers.json')
    await writeFile(headers, JSON.stringify({ Cookie: visitor.cookie() }))
    for (const page of chosen.filter((path) => path !== '/login')) await lookAt(`${page}, ${state}`, page, headers)
  }
} finally {
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

/** What the demo scans; the servers are needed no longer than that. */
async function scanLab(visitor: Visitor): Promise<void> {
  const lab = await startLab({ network })
  try {
    for (const [name, address] of targets) {
      const input = { name, address, schedule: { period: 'PERIOD_DAILY' as const }, tags: [] }
      const scan = await scanned(visitor, (await visitor.call(createTarget, input)).target.id)
      if (scan.status !== 'STATUS_COMPLETED') throw new Error(`the scan of ${name} ended as ${scan.status}`)
    }
  } finally {
    await lab.stop()
  }
}

async function lookAt(name: string, page: string, headers: string | null): Promise<void> {
  for (const device of ['phone', 'desk'] as const) {
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
    console.log(JSON.stringify({ figure: `${name}: largest paint`, value, unit: 'ms', limit: largestPaintMaxMs }))
  }
  const parts = Object.entries(behind).map(([audit, part]) => {
    const value = median(reports.map(({ audits }) => audits[audit]?.numericValue ?? 0))
    return `${part} ${audit === 'cumulative-layout-shift' ? value.toFixed(3) : `${Math.round(value)} ms`}`
  })
  console.log(`${name}: ${parts.join(', ')}; largest: ${largestOf(reports.at(-1))}`)
}

/** The text of what was painted largest. */
function largestOf(last: Report | undefined): string {
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

/** One load. What Lighthouse itself calls faulty, such as a trace without its beginning, is loaded again. */
async function load(page: string, device: 'phone' | 'desk', headers: string | null, triesLeft = 3): Promise<Report> {
  const file = join(dataFolder, 'report.json')
  await rm(file, { force: true })
  const said = await lighthouse(page, device, headers, file)
  const report = await readFile(file, 'utf8').then(
    (text): Report | null => JSON.parse(text) as Report,
    () => null,
  )
  if (report && !report.runtimeError) {
    if (!report.finalDisplayedUrl.includes(page)) throw new Error(`${page} led to ${report.finalDisplayedUrl}`)
    return report
  }
  if (triesLeft === 0) throw new Error(`${page} could not be measured: ${report?.runtimeError?.code ?? said}`)
  return load(page, device, headers, triesLeft - 1)
}

/** Runs Lighthouse and gives what it said; it ends with an error where a load was faulty, and may have written its report. */
async function lighthouse(
  page: string,
  device: 'phone' | 'desk',
  headers: string | null,
  file: string,
): Promise<string> {
  const words = [
    join(tool, 'node_modules/lighthouse/cli/index.js'),
    product.url + page,
    '--quiet',
    '--output=json',
    `--output-path=${file}`,
    `--only-categories=${categories.join(',')}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    ...(device === 'desk' ? ['--preset=desktop'] : []),
    ...(headers ? [`--extra-headers=${headers}`] : []),
  ]
  const options = { env: { ...process.env, CHROME_PATH: chromium }, maxBuffer: 1e8 }
  return run(process.execPath, words, options).then(
    ({ stderr }) => stderr,
    (error: Error) => error.message,
  )
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
