/** Every screen, in both themes and at both widths, against WCAG 2.2 AA and axe's best practices. */
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listHosts, listProducts } from '@glacis/contract/inventory'
import { listIssues } from '@glacis/contract/issue'
import { listScans } from '@glacis/contract/scan'
import { createTarget, listTargets } from '@glacis/contract/target'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from '../lab/product.ts'
import { scanned, type Visitor, visit } from '../lab/visitor.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'
import { startWeak, type Weak } from './weak.ts'

const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
let weak: Weak
let product: Product
let browser: Browser
let axe: string
let paths: readonly string[]

beforeAll(async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-axe-'))
  weak = await startWeak()
  product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
  browser = await openBrowser()
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const visitor = visit(product.url)
  await visitor.signUp(person, dataFolder)
  paths = await furnish(visitor)
}, 180_000)
afterAll(async () => {
  await browser.close()
  await product.stop()
  await weak.stop()
  await rm(product.dataFolder, { recursive: true, force: true })
})

/** Something to show on every screen; answers the screens. */
async function furnish(visitor: Visitor): Promise<string[]> {
  const input = {
    name: 'Aarewerk lab',
    address: '127.77.8.0/28',
    schedule: { period: 'PERIOD_WEEKLY' as const },
    tags: [],
  }
  const { target } = await visitor.call(createTarget, input)
  await scanned(visitor, target.id)
  const [host] = (await visitor.call(listHosts, {})).hosts
  const [technology] = (await visitor.call(listProducts, {})).products
  const [risk] = (await visitor.call(listIssues, {})).issues
  const [last] = (await visitor.call(listScans, {})).scans
  const [scope] = (await visitor.call(listTargets, {})).targets
  return [
    '/overview',
    '/risks/verified',
    '/risks/potential',
    `/risks/${risk?.id}`,
    '/scope',
    '/scope?create=true',
    ...['', '/scans', '/issues', '/assets'].map((child) => `/scope/${scope?.id}${child}`),
    ...['', '/technologies', '/issues'].map((child) => `/assets/${host?.id}${child}`),
    '/assets',
    '/technologies',
    `/technologies/${technology?.id}`,
    '/scans',
    `/scans/${last?.id}`,
    '/profile',
    '/subscription',
    '/nowhere',
  ]
}

async function violations(page: Page, path: string): Promise<string[]> {
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  await page.evaluate(axe)
  const script = `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(tags)} } })`
  const results = (await page.evaluate(script)) as AxeResults // what axe.run resolves to
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${path}: ${id} on ${node.target.join(' ')}`),
  )
}

describe.each([
  ['light', 1440, 900],
  ['dark', 390, 844],
] as const)('%s at %i px', (colorScheme, width, height) => {
  it('has no violation when signed out', async () => {
    const page = await browser.newPage({ baseURL: product.url, colorScheme, viewport: { width, height } })
    const found: string[] = []
    for (const path of ['/', '/login', '/registration', '/recovery', '/verification', '/error?id=none'])
      found.push(...(await violations(page, path)))
    await page.close()
    expect(found).toEqual([])
  })

  it('has no violation when signed in', async () => {
    const page = await browser.newPage({ baseURL: product.url, colorScheme, viewport: { width, height } })
    await page.goto('/login')
    await page.locator('input[name=identifier]').fill(person.email)
    await page.locator('input[name=password]').fill(person.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/overview/)
    const found: string[] = []
    for (const path of paths) found.push(...(await violations(page, path)))
    await page.close()
    expect(found).toEqual([])
  }, 180_000)
})
