/**
 * What a press costs: from a click in the sidebar to the paint of a page whose data was loaded before, and from
 * a decision on a risk to the paint of its result, while the server takes a second to answer.
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
const places = ['Verified', 'Potential', 'Scope', 'Agents', 'Assets', 'Technologies', 'Reporting', 'Overview']
const rounds = 4
const decisions = 6
const answerMs = 1000

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
  report('from the sidebar to the paint of a page that was loaded before', await navigate(page), 300)
  const ids = issues.map(({ id }) => id)
  report('from a decision on a risk to the paint of its result', await decide(page, ids), 100)
} finally {
  await browser.close()
  await product.stop()
  await lab.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

/** The first round loads the pages and their data, and is not counted. */
async function navigate(page: Page): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    for (const place of places) {
      const link = `document.querySelector('nav[aria-label=Main] a[href="${await hrefOf(page, place)}"]')`
      const isThere = `location.pathname === ${link}.pathname && document.querySelector('main h1')?.isConnected
        && document.title !== before`
      const ms = await timed(page, link, isThere)
      if (round > 0) times.push(ms)
      await page.waitForLoadState('networkidle')
    }
  }
  return times
}

async function hrefOf(page: Page, place: string): Promise<string> {
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).first()
  return (await link.getAttribute('href')) ?? ''
}

/** Resolves one risk after the other on its page. */
async function decide(page: Page, ids: readonly string[]): Promise<readonly number[]> {
  const times: number[] = []
  await page.route('**/v1/issues/*/status', async (route) => {
    await new Promise((resume) => setTimeout(resume, answerMs))
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

/** Presses an element and gives the milliseconds until the frame after the one in which `isDone` became true. */
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
    const pressed = ${element}
    pressed.click()
  })`
  return (await page.evaluate(script)) as number // what the script resolves with
}

function report(what: string, times: readonly number[], limit: number): void {
  const sorted = times.toSorted((a, b) => a - b)
  for (const percent of [50, 95]) {
    const value = sorted[Math.floor((sorted.length * percent) / 100)] ?? Infinity
    console.log(JSON.stringify({ figure: `${what}, p${percent}`, value, unit: 'ms', limit }))
  }
}
