/** Checks every screen in both themes against WCAG 2.2 AA and axe's best practices; one test file per width. */
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
import { type Ids, idsOf, isVisibleTo, type Screen, screens, show, signIn, type Watcher } from './screens.ts'
import { startVulnerableServices, type VulnerableServices } from './vulnerable-services.ts'

const people = {
  person: { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' },
  newcomer: { email: 'lena.keller@aarewerk.example', password: 'contour-line-4478', first: 'Lena', last: 'Keller' },
} as const
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The themes differ only in colors, so the second one needs only the color rules. */
const colorRules = ['color-contrast', 'link-in-text-block']
const runs = {
  light: { type: 'tag', values: tags },
  dark: { type: 'rule', values: colorRules },
} as const
/** Transitions between themes would produce wrong contrast results. */
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
 * Defines the tests of all screens at a window size in CSS pixels.
 *
 * @param network first three octets of the scanned addresses
 */
export function defineAxeTests({ width, height, network }: AxeStory): void {
  let weak: VulnerableServices
  let product: Product
  let browser: Browser
  let axe: string
  let ids: Ids

  beforeAll(async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-axe-'))
    weak = await startVulnerableServices(network)
    product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
    browser = await openBrowser()
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    const visitor = visit(product.url)
    await visitor.signUp(people.person, dataFolder)
    await visit(product.url).signUp(people.newcomer, dataFolder)
    await createTestData(visitor, `${network}.0/28`)
    ids = await idsOf(visitor)
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await product.stop()
    await weak.stop()
    await rm(product.dataFolder, { recursive: true, force: true })
  })

  describe.each(['anonymous', 'newcomer', 'person'] satisfies Watcher[])('as %s', (watcher) => {
    let page: Page
    beforeAll(async () => {
      page = await browser.newPage({ baseURL: product.url, viewport: { width, height }, reducedMotion: 'reduce' })
      if (watcher !== 'anonymous') await signIn(page, people[watcher])
    })
    afterAll(() => page.close())

    it.each(screens.filter((screen) => isVisibleTo(screen, watcher, width)))(
      '$name has no violation',
      async (screen) => {
        await show(page, screen, ids)
        expect(await violationsOn(page, screen, axe)).toEqual([])
      },
    )
  })
}

/** Creates data for every screen. */
async function createTestData(visitor: Visitor, address: string): Promise<void> {
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

/** Violations on a screen in both themes, and horizontal overflow. */
async function violationsOn(page: Page, screen: Screen, axe: string): Promise<string[]> {
  const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  const problems = excess > 0 ? [`${screen.name}: ${excess} px wider than the window`] : []
  await page.evaluate(still)
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const rules =
      colorScheme === 'dark'
        ? {}
        : {
            // Experimental in axe, but required by WCAG 2.5.3: voice control finds a control by its visible text.
            'label-content-name-mismatch': { enabled: true },
            ...(screen.floats && { region: { enabled: false } }),
          }
    // Reporting only violations keeps the result small.
    const options = JSON.stringify({ runOnly: runs[colorScheme], rules, resultTypes: ['violations'] })
    const script = `axe.run(document, ${options}).then(({ violations }) => violations)`
    const violations = (await page.evaluate(script)) as AxeResults['violations'] // the result type of axe.run
    for (const { id, nodes } of violations)
      problems.push(...nodes.map((node) => `${screen.name} ${colorScheme}: ${id} on ${node.target.join(' ')}`))
  }
  return problems
}
