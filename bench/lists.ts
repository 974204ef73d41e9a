/**
 * Lists of 100,000 rows in headless Chromium without a GPU: what a frame costs while the page is
 * scrolled, and how many nodes it holds. The rows are put in the place of the server's answer, which
 * never holds more than 500.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { freePort } from '../e2e/ports.ts'
import { startProduct } from '../lab/product.ts'
import { visit } from '../lab/visitor.ts'

const rowsWanted = 100_000
const stepsWanted = 240
const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const time = '2026-11-20T08:00:00Z'
const issueCount = { critical: 1, high: 2, medium: 0, low: 3 }
const lists = [
  { name: 'assets', path: '/assets?size=500', call: '**/v1/hosts?*', body: () => ({ hosts: many(host) }) },
  { name: 'risks', path: '/risks/verified?size=500', call: '**/v1/issues?*', body: () => ({ issues: many(issue) }) },
]

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-lists-'))
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'error' } })
const browser = await openBrowser()
try {
  await visit(product.url).signUp(person, dataFolder)
  for (const width of [1440, 390]) for (const list of lists) await look(list, width)
} finally {
  await browser.close()
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

async function look({ name, path, call, body }: (typeof lists)[number], width: number): Promise<void> {
  const context = await browser.newContext({ baseURL: product.url, viewport: { width, height: 900 } })
  const page = await context.newPage()
  await page.goto('/login')
  await page.locator('input[name=identifier]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview/)
  const answer = JSON.stringify({ ...body(), nextPageToken: '', totalSize: rowsWanted, totalSizeIsExact: true })
  await page.route(call, (route) => route.fulfill({ contentType: 'application/json', body: answer }))
  await page.goto(path)
  await page.locator(`table[aria-rowcount="${rowsWanted + 1}"]`).waitFor({ timeout: 120_000 })
  const { frames, nodes } = await scroll(page)
  const p95 = frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Infinity
  report(`frame while scrolling 100,000 ${name} at ${width} px, p95`, p95, 'ms', 33)
  report(`nodes of the page meanwhile, at most`, nodes, '', 2000)
  await context.close()
}

/** Scrolls as a wheel does, a hundred pixels a frame, then in leaps of the whole table. */
async function scroll(page: Page): Promise<{ readonly frames: readonly number[]; readonly nodes: number }> {
  const script = `new Promise((resolve) => {
    const frames = []
    let [step, nodes, before] = [0, 0, performance.now()]
    const next = (now) => {
      frames.push(now - before)
      before = now
      if (step % 10 === 0) nodes = Math.max(nodes, document.querySelectorAll('*').length)
      if (step++ === ${stepsWanted}) return resolve({ frames: frames.slice(1), nodes })
      if (step % 60 === 0) scrollTo(0, document.documentElement.scrollHeight * Math.random())
      else scrollBy(0, 100)
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })`
  return (await page.evaluate(script)) as { frames: number[]; nodes: number } // what the script resolves with
}

function many<Row>(row: (number: number) => Row): Row[] {
  return Array.from({ length: rowsWanted }, (_, number) => row(number))
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

function host(number: number) {
  const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
  const times = { createTime: time, updateTime: time }
  return { id: idOf(number), name: `host-${number}.aarewerk.example`, address, inventory: [], issueCount, ...times }
}

function issue(number: number) {
  const name = `An outdated library answers on host ${number}`
  const texts = { summary: '', impact: '', affected: '', insight: '' }
  const severity = { cvss: '', score: 9.8, category: 'CATEGORY_CRITICAL' }
  return {
    id: idOf(number),
    name,
    status: 'STATUS_OPEN',
    affectedHosts: [],
    history: [],
    firstSeenTime: time,
    lastSeenTime: time,
    verification: 'VERIFICATION_VERIFIED',
    threat: { id: idOf(number), name, ...texts, severity, references: [] },
  }
}

function report(figure: string, value: number, unit: string, limit: number): void {
  console.log(JSON.stringify({ figure, value, unit, limit }))
}
