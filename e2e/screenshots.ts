/**
 * Photographs every screen of the running product with real findings of the lab, in both themes
 * and at phone width, named like the drawn pictures. `npm run screenshots [folder]`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { listHosts, listProducts } from '@glacis/contract/inventory'
import { listIssues, setIssueStatus } from '@glacis/contract/issue'
import { listScans } from '@glacis/contract/scan'
import { createTag, createTarget, listTargets } from '@glacis/contract/target'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startProduct } from '../lab/product.ts'
import { startLab } from '../lab/servers.ts'
import { scanned, type Visitor, visit } from '../lab/visitor.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'

const folder = resolve(process.argv[2] ?? 'screenshots')
const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const newcomer = { email: 'new@aarewerk.example', password: 'contour-line-4478', first: 'Lena', last: 'Keller' }
const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

interface Shot {
  readonly name: string
  readonly path: string
  /** Signed out, a person with findings, or one who has just come. */
  readonly as?: 'nobody' | 'newcomer'
  readonly sizes?: readonly ('mobile' | 'full')[]
  readonly before?: (page: Page) => Promise<unknown>
}

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-screenshots-'))
const lab = await startLab()
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
const browser = await openBrowser()
try {
  await mkdir(folder, { recursive: true })
  const visitor = visit(product.url)
  await visitor.signUp(person, dataFolder)
  await visit(product.url).signUp(newcomer, dataFolder)
  await furnish(visitor)
  const shots = await shotsOf(visitor)
  for (const theme of ['light', 'dark'] as const) await photograph(browser, shots, theme)
} finally {
  await browser.close()
  await product.stop()
  await lab.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

/** Two finished scans, the second after something was mended, and people's decisions on what was found. */
async function furnish(visitor: Visitor): Promise<void> {
  const { tag } = await visitor.call(createTag, { tag: { name: 'production', color: 0 } })
  const ids: string[] = []
  for (const [name, address] of [
    ['Data services', '127.77.0.4-127.77.0.7'],
    ['Public web', '127.77.0.1-127.77.0.3'],
    ['DMZ Bern', '127.77.0.8-127.77.0.12'],
  ] as const) {
    const input = { name, address, schedule: { period: 'PERIOD_WEEKLY' as const }, tags: [{ id: tag.id }] }
    ids.push((await visitor.call(createTarget, input)).target.id)
  }
  for (const targetId of ids) await scanned(visitor, targetId)
  const { issues } = await visitor.call(listIssues, {
    pageSize: 100,
    filter: { verification: 'VERIFICATION_FILTER_VERIFIED' },
  })
  const [first, second] = issues.toReversed()
  if (first) await visitor.call(setIssueStatus, { id: first.id, status: 'STATUS_RESOLVED' })
  if (second)
    await visitor.call(setIssueStatus, { id: second.id, status: 'STATUS_IGNORED', reason: 'REASON_ACCEPTED_RISK' })
  const [host] = lab.hosts
  const [weakness] = host?.weaknesses ?? []
  if (host && weakness) lab.mend(host.name, weakness)
  for (const targetId of ids.slice(0, 2)) await scanned(visitor, targetId)
}

async function shotsOf(visitor: Visitor): Promise<Shot[]> {
  const [target] = (await visitor.call(listTargets, {})).targets
  const [scan] = (await visitor.call(listScans, {})).scans
  const [host] = (await visitor.call(listHosts, {})).hosts
  const [technology] = (await visitor.call(listProducts, { filter: { hasIssues: true } })).products
  const verification = 'VERIFICATION_FILTER_VERIFIED'
  const [risk] = (
    await visitor.call(listIssues, {
      orderBy: 'ORDER_BY_PRIORITY',
      filter: { verification, status: ['STATUS_FILTER_OPEN'] },
    })
  ).issues
  const scope = `/scope/${target?.id}`
  return [
    { name: '00-index', path: '/', as: 'nobody' },
    { name: '01-login', path: '/login', as: 'nobody', sizes: ['mobile'] },
    { name: '02-registration', path: '/registration', as: 'nobody' },
    { name: '03-recovery', path: '/recovery', as: 'nobody' },
    { name: '03b-verification', path: '/verification', as: 'nobody' },
    { name: '04-overview', path: '/overview', sizes: ['mobile', 'full'] },
    { name: '06-risks-verified', path: '/risks/verified', sizes: ['mobile', 'full'] },
    { name: '06b-risks-bulk', path: '/risks/verified', before: selectThree },
    { name: '06c-risks-potential', path: '/risks/potential' },
    { name: '07-risk-detail', path: `/risks/${risk?.id}`, sizes: ['mobile', 'full'] },
    { name: '09-scope', path: '/scope', sizes: ['mobile'] },
    {
      name: '09b-free-plan-account-menu',
      path: '/scope',
      before: (page) => page.getByRole('button', { name: /Nora Ammann/ }).click(),
    },
    { name: '10-scope-detail', path: scope },
    { name: '10b-scope-scans', path: `${scope}/scans` },
    { name: '10c-scope-issues', path: `${scope}/issues` },
    { name: '10d-scope-assets', path: `${scope}/assets` },
    { name: '11-create-target', path: '/scope?create=true' },
    { name: '14-assets', path: '/assets' },
    { name: '15-asset-detail', path: `/assets/${host?.id}` },
    { name: '16-technologies', path: '/technologies' },
    { name: '17-technology-detail', path: `/technologies/${technology?.id}` },
    { name: '18-scans', path: '/scans' },
    { name: '19-scan-detail', path: `/scans/${scan?.id}` },
    { name: '22-profile', path: '/profile', sizes: ['mobile', 'full'] },
    {
      name: '22b-password-dialog',
      path: '/profile',
      before: (page) =>
        page
          .getByRole('button', { name: /password/i })
          .first()
          .click(),
    },
    { name: '24-not-found', path: '/nowhere' },
    { name: '28-list-empty', path: '/risks/verified', as: 'newcomer' },
    { name: '28b-scope-empty', path: '/scope', as: 'newcomer' },
  ]
}

async function selectThree(page: Page): Promise<void> {
  const boxes = page.getByRole('row').getByRole('checkbox')
  for (const index of [1, 2, 3]) await boxes.nth(index).check({ force: true })
}

async function photograph(chromium: Browser, shots: readonly Shot[], theme: 'light' | 'dark'): Promise<void> {
  for (const size of ['desktop', 'mobile'] as const) {
    const view = {
      viewport: size === 'mobile' ? phone : desktop,
      colorScheme: theme,
      baseURL: product.url,
      locale: 'en-CH',
    }
    for (const who of ['person', 'newcomer', 'nobody'] as const) {
      const wanted = shots.filter(
        (shot) => (shot.as ?? 'person') === who && (size === 'desktop' || shot.sizes?.includes('mobile')),
      )
      if (wanted.length > 0)
        await visitAll(chromium, view, who, wanted, `${theme}${size === 'mobile' ? '.mobile' : ''}`)
    }
  }
}

async function visitAll(
  chromium: Browser,
  view: BrowserContextOptions,
  who: string,
  shots: readonly Shot[],
  kind: string,
): Promise<void> {
  const context = await chromium.newContext(view)
  const page = await context.newPage()
  if (who !== 'nobody') await signIn(page, who === 'newcomer' ? newcomer : person)
  for (const shot of shots) {
    await page.goto(shot.path)
    await page.waitForLoadState('networkidle')
    await shot.before?.(page)
    await page.evaluate('document.fonts.ready')
    await page.screenshot({ path: join(folder, `${shot.name}.${kind}.png`), animations: 'disabled' })
    if (shot.sizes?.includes('full') && !kind.includes('mobile')) {
      await page.screenshot({
        path: join(folder, `${shot.name}.${kind}.full.png`),
        fullPage: true,
        animations: 'disabled',
      })
    }
    console.log(`${shot.name}.${kind}`)
  }
  await context.close()
}

async function signIn(page: Page, { email, password }: typeof person): Promise<void> {
  await page.goto('/login')
  await page.locator('input[name=identifier]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview/)
}
