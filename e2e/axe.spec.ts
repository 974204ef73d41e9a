/** Checks every screen at desktop and phone width, in both themes, against WCAG 2.2 AA and axe's best practices. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createAgent } from '@glacis/contract/agent'
import { createTarget } from '@glacis/contract/target'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scanned, visit } from '../lab/visitor.ts'
import { type Ids, idsOf, isVisibleTo, type Screen, screens, show, signIn, type Watcher } from './screens.ts'
import { desktop, nora, startTestEnvironment, type TestEnvironment } from './test-environment.ts'
import { startVulnerableServices, type VulnerableServices } from './vulnerable-services.ts'

const phone = { width: 390, height: 844 }
const people = {
  person: nora,
  newcomer: { email: 'lena.keller@aarewerk.example', password: 'contour-line-4478', first: 'Lena', last: 'Keller' },
}
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The themes differ only in colors, so the second one needs only the color rules. */
const colorRules = ['color-contrast', 'link-in-text-block']
const runs = {
  light: { type: 'tag', values: tags },
  dark: { type: 'rule', values: colorRules },
} as const
/** A menu floats outside all landmarks, and covers parts of links. */
const floatingRules = { region: { enabled: false }, 'target-size': { enabled: false } }
/** Transitions between themes would produce wrong contrast results. */
const still = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }')
  document.adoptedStyleSheets = [sheet]
}`

let weak: VulnerableServices
let environment: TestEnvironment
let axe: string
let ids: Ids

beforeAll(async () => {
  weak = await startVulnerableServices('127.77.19')
  environment = await startTestEnvironment('axe')
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const { visitor, product } = environment
  await visitor.signUp(people.person, product.dataFolder)
  await visit(product.url).signUp(people.newcomer, product.dataFolder)
  const schedule = { period: 'PERIOD_WEEKLY' as const }
  const input = { name: 'Aarewerk lab', address: '127.77.19.0/28', schedule, tags: [] }
  const { target } = await visitor.call(createTarget, input)
  await scanned(visitor, target.id)
  await visitor.call(createAgent, { agent: { name: 'zrh-office-1' } })
  ids = await idsOf(visitor)
}, 180_000)
afterAll(async () => {
  await environment.close()
  await weak.stop()
})

describe.each(['anonymous', 'newcomer', 'person'] satisfies Watcher[])('as %s', (watcher) => {
  let page: Page
  beforeAll(async () => {
    page = await environment.newPage()
    if (watcher !== 'anonymous') await signIn(page, people[watcher])
  })
  afterAll(() => page.close())

  const visible = screens.map((screen) => ({
    screen,
    name: screen.name,
    sizes: [desktop, phone].filter(({ width }) => isVisibleTo(screen, watcher, width)),
  }))
  it.each(visible.filter(({ sizes }) => sizes.length > 0))('$name has no violation', async ({ screen, sizes }) => {
    const [first = desktop] = sizes
    await page.setViewportSize(first)
    await show(page, screen, ids)
    await page.evaluate(still)
    await page.evaluate(axe)
    const problems: string[] = []
    for (const size of sizes) {
      await page.setViewportSize(size)
      problems.push(...(await violationsOn(page, screen)).map((problem) => `${size.width} px: ${problem}`))
    }
    expect(problems).toEqual([])
  })
})

/** Violations on a screen in both themes, and horizontal overflow. */
async function violationsOn(page: Page, screen: Screen): Promise<string[]> {
  const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  const problems = excess > 0 ? [`${excess} px wider than the window`] : []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const rules =
      colorScheme === 'dark'
        ? {}
        : {
            // Experimental in axe, but required by WCAG 2.5.3: voice control finds a control by its visible text.
            'label-content-name-mismatch': { enabled: true },
            ...(screen.floats && floatingRules),
          }
    // Reporting only violations keeps the result small.
    const options = JSON.stringify({ runOnly: runs[colorScheme], rules, resultTypes: ['violations'] })
    const script = `axe.run(document, ${options}).then(({ violations }) => violations)`
    const violations = (await page.evaluate(script)) as AxeResults['violations'] // the result type of axe.run
    for (const { id, nodes } of violations)
      problems.push(...nodes.map((node) => `${colorScheme}: ${id} on ${node.target.join(' ')}`))
  }
  return problems
}
