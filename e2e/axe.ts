/** Every screen, in both themes, against WCAG 2.2 AA and axe's best practices; one story for each width. */
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '@glacis/contract/agent'
import { createTarget } from '@glacis/contract/target'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from '../lab/product.ts'
import { scanned, type Visitor, visit } from '../lab/visitor.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'
import { type Ids, idsOf, isSeenBy, type Screen, screens, show, signIn, type Watcher } from './screens.ts'
import { startWeak, type Weak } from './weak.ts'

const people = {
  person: { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' },
  newcomer: { email: 'lena.keller@aarewerk.example', password: 'contour-line-4478', first: 'Lena', last: 'Keller' },
} as const
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The themes differ in colours alone: of the second, only these can say anything that the first did not. */
const ofColours = ['color-contrast', 'link-in-text-block']
const runs = {
  light: { type: 'tag', values: tags },
  dark: { type: 'rule', values: ofColours },
} as const
/** Colours that are on their way to the other theme are no colours of ours. */
const still = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }')
  document.adoptedStyleSheets = [sheet]
}`
interface AxeStory {
  readonly width: number
  readonly height: number
  readonly network: string
}

/**
 * Tells the story of all screens in a window of `width` × `height` CSS pixels.
 *
 * @param network the first three numbers of the addresses that are scanned for something to show
 */
export function tellAxe({ width, height, network }: AxeStory): void {
  let weak: Weak
  let product: Product
  let browser: Browser
  let axe: string
  let ids: Ids

  beforeAll(async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-axe-'))
    weak = await startWeak(network)
    product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
    browser = await openBrowser()
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    const visitor = visit(product.url)
    await visitor.signUp(people.person, dataFolder)
    await visit(product.url).signUp(people.newcomer, dataFolder)
    await furnish(visitor, `${network}.0/28`)
    ids = await idsOf(visitor)
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await product.stop()
    await weak.stop()
    await rm(product.dataFolder, { recursive: true, force: true })
  })

  describe.each(['nobody', 'newcomer', 'person'] satisfies Watcher[])('seen by %s', (watcher) => {
    let page: Page
    beforeAll(async () => {
      page = await browser.newPage({ baseURL: product.url, viewport: { width, height } })
      if (watcher !== 'nobody') await signIn(page, people[watcher])
    })
    afterAll(() => page.close())

    it.each(screens.filter((screen) => isSeenBy(screen, watcher, width)))('$name has no violation', async (screen) => {
      await show(page, screen, ids)
      expect(await complaints(page, screen, axe)).toEqual([])
    })
  })
}

/** Something to show on every screen. */
async function furnish(visitor: Visitor, address: string): Promise<void> {
  const input = {
    name: 'Aarewerk lab',
    address,
    schedule: { period: 'PERIOD_WEEKLY' as const },
    tags: [],
  }
  const { target } = await visitor.call(createTarget, input)
  await scanned(visitor, target.id)
  await visitor.call(createAgent, { agent: { name: 'zrh-office-1' } })
}

/** What axe has to say about a screen in both themes, and whether the page is wider than its window. */
async function complaints(page: Page, screen: Screen, axe: string): Promise<string[]> {
  const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  const found = excess > 0 ? [`${screen.name}: ${excess} px wider than the window`] : []
  await page.evaluate(still)
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const rules = screen.floats && colorScheme === 'light' ? { region: { enabled: false } } : {}
    // Of what passed, nothing is asked: neither is it described, nor does it travel.
    const options = JSON.stringify({ runOnly: runs[colorScheme], rules, resultTypes: ['violations'] })
    const script = `axe.run(document, ${options}).then(({ violations }) => violations)`
    const violations = (await page.evaluate(script)) as AxeResults['violations'] // what axe.run resolves to
    for (const { id, nodes } of violations)
      found.push(...nodes.map((node) => `${screen.name} ${colorScheme}: ${id} on ${node.target.join(' ')}`))
  }
  return found
}
