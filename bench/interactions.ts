/**
 * Measures interactions: from a click in the sidebar to the paint of a preloaded page, and from a decision on a risk
 * to the paint of its result while the server takes a second to respond.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listIssues } from '@glacis/contract/issue'
import { createTarget } from '@glacis/contract/target'
import type { Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { freePort } from '../e2e/ports.ts'
import { startProduct } from '../lab/product.ts'
import { startLab } from '../lab/servers.ts'
import { scanned, visit } from '../lab/visitor.ts'

const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const sections = ['Verified', 'Potential', 'Scope', 'Agents', 'Assets', 'Technologies', 'Reporting', 'Overview']
const rounds = 4
const decisions = 6
const responseDelayMs = 1000

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-interactions-'))
const lab = await startLab()
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'error' } })
const browser = await openBrowser()
try {
  const visitor = visit(product.url)
  await visitor.signUp(person, dataFolder)
  const input = { name: 'Public web', address: '127.77.0.1-127.77.0.3', schedule: { period: 'PERIOD_WEEKLY' as const } }
  await scanned(visitor, (await visitor.call(createTarget, input)).target.id)
  const { issues } = await visitor.call(listIssues, { pageSize: decisions })
  const page = await browser.newPage({ baseURL: product.url, viewport: { width: 1440, height: 900 } })
  await page.goto('/login')
  await page.locator('input[name=identifier]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview/)
  report('sidebar click to paint of a preloaded page', await navigate(page), 300)
  const ids = issues.map(({ id }) => id)
  report('decision on a risk to paint of its result', await decide(page, ids), 100)
} finally {
  await browser.close()
  await product.stop()
  await lab.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

/** The first round loads the pages and their data and isn't counted. */
async function navigate(page: Page): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    for (const section of sections) {
      const link = `document.querySelector('nav[aria-label=Main] a[href="${await hrefOf(page, section)}"]')`
      const isLoaded = `location.pathname === ${link}.pathname && document.querySelector('main h1')?.isConnected
        && document.title !== before`
      const ms = await timed(page, link, isLoaded)
      if (round > 0) times.push(ms)
      await page.waitForLoadState('networkidle')
    }
  }
  return times
}

async function hrefOf(page: Page, section: string): Promise<string> {
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: section }).first()
  return (await link.getAttribute('href')) ?? ''
}

/** Resolves the risks one after the other on their pages. */
async function decide(page: Page, ids: readonly string[]): Promise<readonly number[]> {
  const times: number[] = []
  await page.route('**/v1/issues/*/status', async (route) => {
    await new Promise((resume) => setTimeout(resume, responseDelayMs))
    await route.continue()
  })
  const button = (name: string) =>
    `[...document.querySelectorAll('main button')].find((one) => one.textContent.trim() === '${name}')`
  for (const id of ids) {
    await page.goto(`/risks/${id}`)
    await page.getByRole('button', { name: 'Resolve', exact: true }).first().waitFor()
    times.push(await timed(page, button('Resolve'), `Boolean(${button('Reopen')})`))
  }
  return times
}

/** Clicks an element and returns the milliseconds until the frame after `isDone` became true. */
async function timed(page: Page, element: string, isDone: string): Promise<number> {
  const script = `new Promise((resolve) => {
    const before = document.title
    const from = performance.now()
    const painted = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)))
    const watch = new MutationObserver(() => {
      if (!(${isDone})) return
      watch.disconnect()
      painted()
    })
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    ${element}.click()
  })`
  return (await page.evaluate(script)) as number // the script resolves with a number
}

function report(name: string, times: readonly number[], limit: number): void {
  const sorted = times.toSorted((a, b) => a - b)
  for (const percent of [50, 95]) {
    const value = sorted[Math.floor((sorted.length * percent) / 100)] ?? Infinity
    console.log(JSON.stringify({ figure: `${name}, p${percent}`, value, unit: 'ms', limit }))
  }
}
