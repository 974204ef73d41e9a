/** The main pages at 200% and 400% zoom: a window of 1440 × 900 then has 720 × 450 and 360 × 225 CSS pixels. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '@glacis/contract/agent'
import { createTarget } from '@glacis/contract/target'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from '../lab/product.ts'
import { visit } from '../lab/visitor.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'
import { signIn } from './screens.ts'
import { open } from './page-ready.ts'

const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const paths = [
  '/overview',
  '/onboarding',
  '/risks/verified',
  '/risks/potential',
  '/risks/visual',
  '/scope',
  '/scope?create=true',
  '/agents',
  '/assets',
  '/technologies',
  '/scans',
  '/integrations',
  '/subscription',
  '/profile',
]
let product: Product
let browser: Browser

beforeAll(async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-zoom-'))
  product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
  browser = await openBrowser()
  const visitor = visit(product.url)
  await visitor.signUp(person, dataFolder)
  const schedule = { period: 'PERIOD_WEEKLY' as const }
  await visitor.call(createTarget, { name: 'Aarewerk laboratory', address: '127.77.23.0/28', schedule, tags: [] })
  await visitor.call(createAgent, { agent: { name: 'zrh-office-1' } })
})
afterAll(async () => {
  await browser.close()
  await product.stop()
  await rm(product.dataFolder, { recursive: true, force: true })
})

/**
 * Runs in the page. Finds horizontal overflow, buttons and links that stay covered at every scroll position, and
 * truncated text. Text with a tooltip may be truncated.
 */
const losses = `(() => {
  const found = []
  const wide = document.documentElement.scrollWidth - innerWidth
  if (wide > 0) found.push(wide + ' px wider than the window')
  const words = (element) => (element.getAttribute('aria-label') || element.textContent || '').trim().slice(0, 40)
  const dialog = document.querySelector('[role=dialog]')
  // Visually hidden elements, such as the header of a table shown as cards.
  const isForReaders = (element) => element.closest('.sr-only') || (element.closest('thead')?.clientWidth ?? 2) < 2
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  for (const element of (dialog || document.querySelector('main') || document.body).querySelectorAll('a, button')) {
    if (!isSeen(element) || isForReaders(element) || element.disabled) continue
    element.scrollIntoView({ block: 'center', inline: 'center' })
    const { x, y, width, height } = element.getBoundingClientRect()
    if (width < 2 || height < 2) continue
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    if (!top || !(element.contains(top) || top.contains(element)))
      found.push('"' + words(element) + '" is under ' + (top ? top.tagName + ' "' + words(top) + '"' : 'nothing'))
  }
  for (const element of document.querySelectorAll('h1, h2, label, button')) {
    if (!isSeen(element) || isForReaders(element) || element.title || element.closest('[title]')) continue
    const parts = [element, ...element.querySelectorAll('*')].filter((part) => !part.closest('svg, .sr-only'))
    const isCut = parts.some((part) => getComputedStyle(part).overflowX !== 'visible' && part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1)
    if (isCut) found.push('"' + words(element) + '" is cut')
  }
  return found
})()`

describe.each([
  ['200 %', 720, 450],
  ['400 %', 360, 225],
] as const)('at %s', (_zoom, width, height) => {
  it('shows all content', async () => {
    const page = await browser.newPage({ baseURL: product.url, viewport: { width, height }, reducedMotion: 'reduce' })
    const problems: string[] = []
    const inspect = async (path: string) => {
      await open(page, path)
      const lost = (await page.evaluate(losses)) as string[] // the script's result
      problems.push(...lost.map((text) => `${path}: ${text}`))
    }
    for (const path of ['/login', '/registration']) await inspect(path)
    await signIn(page, person)
    for (const path of paths) await inspect(path)
    await page.close()
    expect(problems).toEqual([])
  }, 120_000)

  it('shows a toast beside the filters without covering them', async () => {
    const page = await browser.newPage({ baseURL: product.url, viewport: { width, height }, reducedMotion: 'reduce' })
    await signIn(page, person)
    await page.route('**/v1/issues?*', (route) => route.fulfill({ status: 503, body: 'not now' }))
    await page.goto('/risks/verified')
    await page.getByRole('alert').first().waitFor()
    await page.evaluate('scrollTo(0, 0)')
    const filters = page.getByRole('group', { name: 'Filters' })
    const [row, notice] = [await filters.boundingBox(), await page.getByRole('alert').first().boundingBox()]
    if (!row || !notice) throw new Error('row or notice missing')
    expect(row.y >= notice.y + notice.height || row.y + row.height <= notice.y).toBe(true)
    await page.close()
  })
})
