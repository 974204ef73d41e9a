/** Layout checks: untruncated names, header layout, layout shifts, print, and contrast themes. */
import { createAgent } from '@glacis/contract/agent'
import { updateTarget } from '@glacis/contract/target'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { open, openDialog, resize } from './page-ready.ts'
import { type ScannedEnvironment, startScannedEnvironment } from './test-environment.ts'

let stage: ScannedEnvironment
let page: Page

beforeAll(async () => {
  stage = await startScannedEnvironment('layout', '127.62.8', 'Customer portal, legacy')
  await stage.visitor.call(createAgent, { agent: { name: 'zrh-office-1-basement' } })
  page = await stage.newPage(stage.visitor)
}, 240_000)
afterAll(() => stage.close())

async function openAt(path: string, width: number, height = 900): Promise<void> {
  await page.setViewportSize({ width, height })
  await open(page, path)
}

/** Runs in the page: the names of rows, and which of them are truncated. */
const names = `(() => {
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const all = [...document.querySelectorAll('main .tbl a.cell .ttl')].filter(isSeen)
  const isCut = (element) => element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1
  const isBox = (element) => getComputedStyle(element).display !== 'inline'
  const cut = all.filter((element) => [element, ...element.querySelectorAll('*')].some((part) => isBox(part) && part.clientWidth > 1 && isCut(part) && getComputedStyle(part).overflowX !== 'visible'))
  return { all: all.length, cut: cut.map((element) => element.textContent) }
})()`

it.each(['/scope', '/agents', '/assets', '/technologies', '/scans', '/risks/verified'])(
  'does not truncate row names on %s at any width',
  async (path) => {
    await openAt(path, 834)
    for (const width of [834, 1024, 1280, 1440]) {
      await resize(page, { width, height: 900 })
      const measured = (await page.evaluate(names)) as { all: number; cut: string[] } // the script's result
      expect({ width, isEmpty: measured.all === 0, cut: measured.cut }).toEqual({ width, isEmpty: false, cut: [] })
    }
  },
)

it('keeps the header of the risks of a scan on one line at every width', async () => {
  await openAt(`/scans/${stage.scan.id}`, 390)
  const head = page.getByRole('heading', { name: 'Risks in this scan' })
  const more = page.getByRole('link', { name: 'View verified' })
  for (const width of [390, 834, 1440]) {
    await resize(page, { width, height: 900 })
    const [title, link] = [await head.boundingBox(), await more.boundingBox()]
    if (!title || !link) throw new Error('title or control missing')
    expect(title.height).toBeLessThan(30)
    expect(link.height).toBeLessThan(30)
    expect(link.x + link.width).toBeLessThanOrEqual(width)
  }
})

it.each(['', 'assignee due'])(
  'shows a touch-sized menu beside a risk on a phone, with the columns %j',
  async (columns) => {
    await openAt('/risks/verified', 390, 844)
    await page.evaluate((value) => localStorage.setItem('glacis.riskColumns', value), columns)
    await openAt('/risks/verified', 390, 844)
    await page.evaluate(() => localStorage.removeItem('glacis.riskColumns'))
    const row = page.locator('main tbody tr[data-row]').first()
    const name = await row.locator('.ttl').boundingBox()
    const menu = await row.getByRole('button', { name: /^Actions for/ }).boundingBox()
    if (!name || !menu) throw new Error('title or control missing')
    expect(Math.abs(menu.y + menu.height / 2 - (name.y + name.height / 2))).toBeLessThan(4)
    expect(Math.min(menu.width, menu.height)).toBeGreaterThanOrEqual(44)
    expect(menu.x).toBeGreaterThanOrEqual(name.x + name.width)
    expect(menu.x + menu.width).toBeLessThanOrEqual(390)
  },
)

it('validates a webhook URL on blur, not earlier', async () => {
  await openAt('/integrations', 1440)
  await page.getByRole('button', { name: 'Connect Webhook' }).click()
  const address = page.getByLabel('Webhook URL')
  await address.pressSequentially('hooks.aarewerk.example/glacis')
  const problem = page.getByText(
    'Enter a full URL that starts with https://, or leave it empty to turn the channel off.',
  )
  expect([await address.getAttribute('aria-invalid'), await problem.count()]).toEqual([null, 0])
  await address.press('Tab')
  await problem.waitFor()
  expect(await address.getAttribute('aria-invalid')).toBe('true')
  await address.fill('https://hooks.aarewerk.example/glacis')
  await problem.waitFor({ state: 'detached' })
  expect(await address.getAttribute('aria-invalid')).not.toBe('true')
})

it('does not move the risk tabs when their counts load', async () => {
  let respond = () => {}
  const later = new Promise<void>((resume) => (respond = resume))
  await page.route(/\/v1\/stats\//, async (route) => {
    await later
    await route.continue()
  })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/risks/verified')
  const place = async () => (await page.getByRole('link', { name: 'New this week' }).boundingBox())?.x
  const before = await place()
  respond()
  await page.getByRole('link', { name: /^All \d/ }).waitFor()
  expect(before).toBeGreaterThan(0)
  expect(await place()).toBe(before)
  await page.unrouteAll({ behavior: 'wait' })
})

it.each([390, 1440])('reserves space for the overview figures in a window of %i px', async (width) => {
  const cold = await stage.newPage(stage.visitor)
  await cold.setViewportSize({ width, height: 900 })
  let respond = () => {}
  const later = new Promise<void>((resume) => (respond = resume))
  await cold.route(/\/v1\/stats\/issues-by/, async (route) => {
    await later
    await route.continue()
  })
  await cold.goto('/overview')
  const busy = cold.locator('.g-hero [aria-busy=true]')
  const places = async () => {
    const heads = ['Overview', 'Open risks', 'Open risks by severity']
    const boxes = heads.map((name) => cold.getByRole('heading', { name, exact: true }).boundingBox())
    return (await Promise.all(boxes)).map((box) => box?.y)
  }
  await busy.first().waitFor()
  const before = await places()
  respond()
  await cold.getByRole('link', { name: 'Compare plans' }).waitFor()
  await busy.first().waitFor({ state: 'detached' })
  expect(before.every((place) => place && place > 0)).toBe(true)
  expect(await places()).toEqual(before)
  await cold.unrouteAll({ behavior: 'wait' })
  await cold.close()
})

/**
 * Runs in the page: horizontal overflow of the window or its dialog, and names that are truncated without a tooltip.
 */
const excess = `(() => {
  const dialog = document.querySelector('[data-floating]')
  const { right } = (dialog ?? document.documentElement).getBoundingClientRect()
  const parts = [...(dialog ?? document).querySelectorAll('input, label, legend ~ *')].filter((part) => !part.closest('.sr-only'))
  const isCut = (element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1
  const names = [...document.querySelectorAll('main :is(.ttl, .truncate)')].filter((element) => !element.closest('nav'))
  const withoutTooltip = names.filter((name) => /W{60}/.test(name.textContent) && isCut(name) && !name.closest('[title]') && !name.querySelector('[title]'))
  return {
    page: document.documentElement.scrollWidth - innerWidth,
    dialog: dialog ? Math.max(0, ...parts.map((part) => Math.round(part.getBoundingClientRect().right - right))) : 0,
    withoutTooltip: withoutTooltip.length,
  }
})()`

it('fits a name of 128 letters at every width', async () => {
  const id = stage.scan.target?.id ?? ''
  await stage.visitor.call(updateTarget, { id, name: 'W'.repeat(128), updateMask: { paths: ['name'] } })
  const findExcess = async (path: string) => {
    for (const width of [320, 1440]) {
      await resize(page, { width, height: 900 })
      expect({ path, width, found: await page.evaluate(excess) }).toEqual({
        path,
        width,
        found: { page: 0, dialog: 0, withoutTooltip: 0 },
      })
    }
  }
  for (const path of ['/overview', '/scope', `/scope/${id}`, '/scans']) {
    await openAt(path, 320)
    await findExcess(path)
  }
  await page.getByRole('button', { name: 'Start scan' }).first().click()
  await openDialog(page.getByRole('dialog'))
  await page.getByRole('radio', { name: /W{128}/ }).waitFor()
  await findExcess('the dialog of /scans')
  await page.keyboard.press('Escape')
}, 120_000)

// A window of 1440 × 900 at 200% and 400% zoom.
it.each([
  [720, 450],
  [360, 225],
])('shows a toast beside the filters without covering them in a window of %i × %i px', async (width, height) => {
  await page.route('**/v1/issues?*', (route) => route.fulfill({ status: 503, body: 'not now' }))
  await openAt('/risks/verified', width, height)
  await page.getByRole('alert').first().waitFor()
  await page.evaluate('scrollTo(0, 0)')
  const filters = page.getByRole('group', { name: 'Filters' })
  const [row, notice] = [await filters.boundingBox(), await page.getByRole('alert').first().boundingBox()]
  if (!row || !notice) throw new Error('row or notice missing')
  expect(row.y >= notice.y + notice.height || row.y + row.height <= notice.y).toBe(true)
  await page.unrouteAll({ behavior: 'wait' })
})

it('outlines the current, pressed, and focused items in a contrast theme', async () => {
  const framed = (part: string) => page.evaluate(`getComputedStyle(document.querySelector("${part}")).outlineStyle`)
  await page.emulateMedia({ forcedColors: 'active' })
  await openAt('/overview', 1440)
  expect(await framed('nav a[aria-current=page]')).toBe('solid')
  expect(await framed('nav a:not([aria-current])')).toBe('none')
  expect(await framed('main a[aria-current], main button[aria-pressed=true]')).toBe('solid')
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.locator('[role=menuitem][data-focus]').waitFor()
  expect(await framed('[role=menuitem][data-focus]')).toBe('solid')
  await page.keyboard.press('Escape')
  await page.emulateMedia({ forcedColors: 'none' })
})

it('has unique landmark names while the evidence of several hosts is open', async () => {
  await openAt('/risks/verified', 1440)
  await page.getByRole('link', { name: 'Git repository exposed (.git)' }).first().click()
  await page
    .getByRole('group', { name: /^Received/ })
    .first()
    .waitFor()
  expect(await page.getByRole('region', { name: /^(Sent|Received)/ }).count()).toBe(0)
})

it('prints dark on white in both themes, without navigation', async () => {
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
  await openAt('/risks/verified', 700)
  const color = `getComputedStyle(document.querySelector('h1')).color`
  expect(await page.evaluate(`document.documentElement.dataset.theme`)).toBe('dark')
  const dark = await page.evaluate(color)
  await page.emulateMedia({ colorScheme: 'light', media: 'print' })
  expect(await page.evaluate(color)).toBe(dark)
  for (const part of [page.getByText('Skip to content'), page.getByRole('banner')])
    expect(await part.isVisible()).toBe(false)
  await page.emulateMedia({ colorScheme: null, media: null })
})
