/**
 * Captures every screen with findings of the lab, in both themes and at phone width. `npm run screenshots [folder]`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createAgent } from '@glacis/contract/agent'
import { listIssues, setIssueStatus } from '@glacis/contract/issue'
import { createTag } from '@glacis/contract/tag'
import { createTarget } from '@glacis/contract/target'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startProduct } from '../lab/product.ts'
import { startLab } from '../lab/servers.ts'
import { scanned, type Visitor, visit } from '../lab/visitor.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'
import { type Ids, idsOf, isVisibleTo, type Screen, screens, show, signIn } from './screens.ts'
import { openDialog } from './page-ready.ts'

const folder = resolve(process.argv[2] ?? 'screenshots')
const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const newcomer = { email: 'new@aarewerk.example', password: 'contour-line-4478', first: 'Lena', last: 'Keller' }
const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

/** Screens that change stored data; each theme creates one more. */
const changing: readonly Screen[] = [
  { name: '13-agent-created', path: '/agents?create=true', before: createOne },
  { name: '22c-passkey-remove', path: '/profile', before: addPasskey },
]

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-screenshots-'))
const lab = await startLab()
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
const browser = await openBrowser()
let ids: Ids
try {
  await mkdir(folder, { recursive: true })
  const visitor = visit(product.url)
  await visitor.signUp(person, dataFolder)
  await visit(product.url).signUp(newcomer, dataFolder)
  await createTestData(visitor)
  ids = await idsOf(visitor)
  for (const theme of ['light', 'dark'] as const) await photograph(browser, [...screens, ...changing], theme)
} finally {
  await browser.close()
  await product.stop()
  await lab.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

/** Runs two scans with a fix in between, and makes decisions on the findings. */
async function createTestData(visitor: Visitor): Promise<void> {
  const { tag } = await visitor.call(createTag, { tag: { name: 'production', color: 0 } })
  for (const name of ['lab-frauenfeld', 'bern-dmz-1']) await visitor.call(createAgent, { agent: { name } })
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
  if (host && weakness) lab.fix(host.name, weakness)
  for (const targetId of ids.slice(0, 2)) await scanned(visitor, targetId)
}

async function createOne(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('zrh-office-2')
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByText('Waiting for the first connection').waitFor()
}

/** Uses a virtual authenticator instead of a device. */
async function addPasskey(page: Page): Promise<void> {
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  await devices.send('WebAuthn.addVirtualAuthenticator', { options })
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page
    .getByRole('button', { name: /^Remove / })
    .first()
    .click()
  const dialog = await openDialog(page.getByRole('dialog'))
  await dialog.getByRole('checkbox', { name: 'I understand the consequences of this action' }).check()
}

async function photograph(chromium: Browser, shots: readonly Screen[], theme: 'light' | 'dark'): Promise<void> {
  for (const size of ['desktop', 'mobile'] as const) {
    const view = {
      viewport: size === 'mobile' ? phone : desktop,
      colorScheme: theme,
      baseURL: product.url,
      locale: 'en-CH',
    }
    for (const who of ['person', 'newcomer', 'anonymous'] as const) {
      const isPhone = size === 'mobile'
      const wanted = shots.filter(
        (shot) => isVisibleTo(shot, who, view.viewport.width) && (!isPhone || shot.phone === true),
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
  shots: readonly Screen[],
  kind: string,
): Promise<void> {
  const context = await chromium.newContext(view)
  const page = await context.newPage()
  if (who !== 'anonymous') await signIn(page, who === 'newcomer' ? newcomer : person)
  for (const shot of shots) {
    await show(page, shot, ids)
    await page.screenshot({ path: join(folder, `${shot.name}.${kind}.png`), animations: 'disabled' })
    if (shot.whole && !kind.includes('mobile'))
      await photographWhole(page, join(folder, `${shot.name}.${kind}.full.png`))
    console.log(`${shot.name}.${kind}`)
  }
  await context.close()
}

/** Uses a window as high as the page, so that sticky elements are at the ends of the page. */
async function photographWhole(page: Page, path: string): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  await page.setViewportSize({ ...desktop, height })
  await page.screenshot({ path, animations: 'disabled' })
  await page.setViewportSize(desktop)
}
