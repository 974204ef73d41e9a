/**
 * Lighthouse over the pages of the product, on a phone and on a desk, signed in and with the demo's data
 * left out: performance, accessibility, best practices. It is installed aside, because nobody else needs it.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../e2e/ports.ts'
import { startProduct } from '../lab/product.ts'
import { visit } from '../lab/visitor.ts'

const version = '13.5.0'
const tool = join(tmpdir(), 'glacis-bench', `lighthouse-${version}`)
const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const pages = [
  '/login',
  '/overview',
  '/scope',
  '/risks/verified',
  '/assets',
  '/risks/visual',
  '/technologies',
  '/scans',
  '/integrations',
  '/profile',
]
const categories = { performance: 98, accessibility: 100, 'best-practices': 100 } as const

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
  const visitor = visit(product.url)
  await visitor.signUp(person, dataFolder)
  const headers = join(dataFolder, 'headers.json')
  await writeFile(headers, JSON.stringify({ Cookie: visitor.cookie() }))
  for (const page of pages) {
    for (const device of ['phone', 'desk'] as const) await look(page, device, page === '/login' ? null : headers)
  }
} finally {
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

async function look(page: string, device: 'phone' | 'desk', headers: string | null): Promise<void> {
  const file = join(dataFolder, 'report.json')
  await run(
    process.execPath,
    [
      join(tool, 'node_modules/lighthouse/cli/index.js'),
      product.url + page,
      '--quiet',
      '--output=json',
      `--output-path=${file}`,
      `--only-categories=${Object.keys(categories).join(',')}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
      ...(device === 'desk' ? ['--preset=desktop'] : []),
      ...(headers ? [`--extra-headers=${headers}`] : []),
    ],
    { env: { ...process.env, CHROME_PATH: chromium }, maxBuffer: 1e8 },
  )
  const { categories: found, finalDisplayedUrl } = JSON.parse(await readFile(file, 'utf8')) as {
    categories: Record<string, { score: number }>
    finalDisplayedUrl: string
  }
  if (!finalDisplayedUrl.includes(page)) throw new Error(`${page} led to ${finalDisplayedUrl}`)
  for (const [name, least] of Object.entries(categories)) {
    const value = Math.round((found[name]?.score ?? 0) * 100)
    console.log(JSON.stringify({ figure: `${page} on a ${device}: ${name}`, value, unit: '', least }))
  }
}
