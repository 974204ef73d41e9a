/**
 * Checks every screen against WCAG 2.2 AA and axe's best practices, at desktop width in one theme and at phone width in
 * the other, and that it loses nothing at 200% and 400% zoom. The next screen swaps the themes, so the parts that screens
 * share are checked in both themes at both widths.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createAgent } from '@glacis/contract/agent'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../lab/visitor.ts'
import { resize } from './page-ready.ts'
import { type Ids, idsOf, isVisibleTo, type Screen, screens, show, signIn, type Watcher } from './screens.ts'
import { desktop, grantAdministration, type ScannedEnvironment, startScannedEnvironment } from './test-environment.ts'

const phone = { width: 390, height: 844 }
/** A window of 1440 × 900 at 200% and 400% zoom, in CSS pixels. */
const zoomed = [
  { width: 720, height: 450 },
  { width: 360, height: 225 },
]
const newcomer = { email: 'lena.keller@aarewerk.example', password: 'contour-line-4478', first: 'Lena', last: 'Keller' }
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const themes = ['light', 'dark'] as const
type Theme = (typeof themes)[number]
/** A menu floats outside all landmarks, and covers parts of links. */
const floatingRules = { region: { enabled: false }, 'target-size': { enabled: false } }
/** Transitions between themes would produce wrong contrast results. */
const still = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }')
  document.adoptedStyleSheets = [sheet]
}`

let environment: ScannedEnvironment
let axe: string
let ids: Ids

beforeAll(async () => {
  environment = await startScannedEnvironment('axe', '127.77.19')
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const { visitor, url, dataFolder } = environment
  await visit(url).signUp(newcomer, dataFolder)
  await visitor.call(createAgent, { agent: { name: 'zrh-office-1' } })
  await grantAdministration(environment)
  ids = await idsOf(visitor)
}, 180_000)
afterAll(() => environment.close())

describe.each(['anonymous', 'newcomer', 'person'] satisfies Watcher[])('as %s', (watcher) => {
  let page: Page
  beforeAll(async () => {
    page = await environment.newPage()
    if (watcher !== 'anonymous') await signIn(page, watcher === 'newcomer' ? newcomer : environment.nora)
  })
  afterAll(() => page.close())

  const visible = screens.map((screen, index) => ({
    screen,
    name: screen.name,
    sizes: [desktop, phone].filter(({ width }) => isVisibleTo(screen, watcher, width)),
    order: index % 2 === 0 ? themes : themes.toReversed(),
  }))
  it.each(visible.filter(({ sizes }) => sizes.length > 0))(
    '$name has no violation',
    async ({ screen, sizes, order }) => {
      const [first = desktop] = sizes
      await page.setViewportSize(first)
      await show(page, screen, ids)
      await page.evaluate(still)
      await page.evaluate(axe)
      const problems: string[] = []
      for (const [turn, theme] of order.entries()) {
        const size = sizes[turn] ?? first
        await resize(page, size)
        const found = await violationsOn(page, screen, theme)
        problems.push(...found.map((problem) => `${size.width} px, ${theme}: ${problem}`))
      }
      if (!screen.api && !screen.before) problems.push(...(await lossesOn(page)))
      expect(problems).toEqual([])
    },
  )
})

/** Violations on a screen, and horizontal overflow. */
async function violationsOn(page: Page, screen: Screen, colorScheme: Theme): Promise<string[]> {
  const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  const problems = excess > 0 ? [`${excess} px wider than the window`] : []
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  const rules = {
    // Experimental in axe, but required by WCAG 2.5.3: voice control finds a control by its visible text.
    'label-content-name-mismatch': { enabled: true },
    ...(screen.floats && floatingRules),
  }
  // Reporting only violations keeps the result small.
  const options = JSON.stringify({ runOnly: { type: 'tag', values: tags }, rules, resultTypes: ['violations'] })
  const script = `axe.run(document, ${options}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(script)) as AxeResults['violations'] // the result type of axe.run
  return [
    ...problems,
    ...violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} on ${node.target.join(' ')}`)),
  ]
}

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

/** Content that is lost at high zoom. */
async function lossesOn(page: Page): Promise<string[]> {
  const problems: string[] = []
  for (const size of zoomed) {
    await resize(page, size)
    const lost = (await page.evaluate(losses)) as string[] // the script's result
    problems.push(...lost.map((problem) => `${size.width} px: ${problem}`))
  }
  return problems
}
