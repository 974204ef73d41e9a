/** Scan settings of a target: allowed hours, exclusions, and changes between scans. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'
import { open, openDialog, settle } from './page-ready.ts'

const [weakAddress, excludedAddress] = ['127.62.10.2', '127.62.10.3']
const scanMs = 300_000
const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n'

const servers: Server[] = []
/** The web server exposes its repository; connections to the excluded address are counted. */
const lab = { isGitExposed: true, unwanted: 0 }
let stage: TestEnvironment
let page: Page

async function serve(address: string): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/.git/config' && lab.isGitExposed)
      return response.setHeader('content-type', 'text/plain').end(config)
    if (request.url !== '/') return response.writeHead(404).end()
    return response.setHeader('content-type', 'text/html').end('<!doctype html><title>Aarewerk</title>')
  }).listen(8080, address)
  await once(server, 'listening')
  servers.push(server)
  return server
}

beforeAll(async () => {
  await serve(weakAddress)
  const excluded = await serve(excludedAddress)
  excluded.on('connection', () => lab.unwanted++)
  stage = await startTestEnvironment('scope')
  page = await stage.newPage(stage.visitor)
}, 120_000)
afterAll(async () => {
  await stage.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** A time of day that many hours from now, in UTC. */
function clock(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
}

async function openTarget(): Promise<void> {
  await page.goto('/scope')
  await page.getByRole('link', { name: 'Aarewerk lab' }).click()
  await page.getByRole('heading', { level: 1, name: 'Aarewerk lab' }).waitFor()
}

async function edit(): Promise<Locator> {
  await openTarget()
  await page.getByRole('button', { name: 'Edit' }).click()
  return openDialog(page.getByRole('dialog', { name: 'Edit Aarewerk lab' }))
}

it('adds a target with hours, ports, and an exclusion, and validates exclusions', async () => {
  await page.goto('/scope?create=true')
  const panel = page.getByRole('dialog', { name: 'New target' })
  await panel.getByLabel('Name').fill('Aarewerk lab')
  await panel.getByLabel('Address', { exact: true }).fill('127.62.10.0/29')
  await panel.getByText('More settings').click()
  await panel.getByLabel('Only during certain hours').check()
  await panel.getByLabel('From').fill(clock(6))
  await panel.getByLabel('To', { exact: true }).fill(clock(12))
  await panel.getByLabel('Time zone').selectOption('UTC')
  await panel.getByLabel('Ports', { exact: true }).fill('8080')
  await panel.getByLabel('Exclusions').fill('intranet.example')
  await panel.getByRole('button', { name: 'Add target' }).click()
  await panel.getByText(/is a hostname; exclude its IP addresses/).waitFor()
  await panel.getByLabel('Exclusions').fill(excludedAddress)
  await panel.getByRole('button', { name: 'Add target' }).click()
  await page.getByRole('link', { name: 'Aarewerk lab' }).waitFor()
})

it(
  'waits for the allowed hours, and starts immediately on request',
  async () => {
    await openTarget()
    await page.getByRole('button', { name: 'Start scan' }).first().click()
    await page
      .getByText(/Waiting for the allowed hours/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Start now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start now' }).click()
    await page.getByRole('button', { name: 'Start scan' }).first().waitFor({ timeout: scanMs })
    await page.getByRole('complementary', { name: 'Details' }).getByText('Completed').waitFor()
  },
  scanMs + 60_000,
)

it('never contacts or counts the excluded address', async () => {
  expect(lab.unwanted).toBe(0)
  await page.getByRole('complementary', { name: 'Details' }).getByText('1 excluded').waitFor()
  await page.getByRole('complementary', { name: 'Details' }).getByRole('link', { name: 'Completed' }).click()
  await page.getByRole('link', { name: 'Hosts', exact: true }).click()
  const table = page.getByRole('table', { name: 'Hosts' })
  await table.getByRole('link', { name: weakAddress }).waitFor()
  expect(await table.getByText(excludedAddress).count()).toBe(0)
  expect(await table.getByRole('row').count()).toBe(1 + 5)
  await page.getByRole('button', { name: /Affected 1/ }).click()
  await expect.poll(() => table.getByRole('row').count()).toBe(1 + 1)
})

it('sends only changed settings, and confirms before discarding unsaved changes', async () => {
  const panel = await edit()
  await panel.getByLabel('Daily').check()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Discard changes' }).getByRole('button', { name: 'Keep editing' }).click()
  await panel.getByLabel('Only during certain hours').uncheck()
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    panel.getByRole('button', { name: 'Save changes' }).click(),
  ])
  expect(request.postDataJSON()).toEqual({
    schedule: { period: 'PERIOD_DAILY' },
    tags: [],
    updateMask: { paths: ['schedule.period', 'schedule.allowedHours'] },
  })
  await panel.waitFor({ state: 'detached' })
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByText('Daily').waitFor()
  expect(await details.getByText(/22:00|UTC/).count()).toBe(0)
})

it(
  'shows what the next scan changed, and saves its log',
  async () => {
    lab.isGitExposed = false
    await openTarget()
    await page.getByRole('button', { name: 'Start scan' }).first().click()
    await page.getByRole('button', { name: 'Cancel scan' }).first().waitFor()
    await page.getByRole('button', { name: 'Start scan' }).first().waitFor({ timeout: scanMs })
    await page
      .getByRole('complementary', { name: 'Details' })
      .getByRole('link', { name: /1 resolved/ })
      .click()
    const resolved = page.getByRole('region', { name: 'Resolved' })
    await resolved.getByRole('link', { name: /git/i }).waitFor()
    await resolved.getByRole('link', { name: weakAddress }).waitFor()
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByText(/1 address is excluded from the scan/).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download log' }).click(),
    ])
    expect(await readFile(await download.path(), 'utf8')).toMatch(/Z INFO Completed: 1 host scanned/)
  },
  scanMs + 60_000,
)

it('changes targets in bulk, and lists those skipped', async () => {
  await page.goto('/scope')
  await page
    .getByRole('row', { name: /Aarewerk lab/ })
    .getByRole('checkbox')
    .check()
  const bar = page.getByRole('group', { name: 'Selected targets' })
  await bar.getByRole('button', { name: 'Pause' }).click()
  await page
    .getByRole('row', { name: /Aarewerk lab/ })
    .getByText('Paused')
    .waitFor()
  await bar.getByRole('button', { name: 'Start scan' }).click()
  await page.getByText(/skipped: This target is paused/).waitFor()
  await bar.getByRole('button', { name: 'Resume' }).click()
  await page
    .getByRole('row', { name: /Aarewerk lab/ })
    .getByText('Daily')
    .waitFor()
})

it('stores the owner of an asset and shows its timeline', async () => {
  await page.goto('/assets?q=port:8080')
  await page.getByRole('link', { name: weakAddress }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const panel = await openDialog(page.getByRole('dialog', { name: `Edit ${weakAddress}` }))
  await panel.getByLabel('Owner').fill('Web team')
  await panel.getByLabel('High').check()
  await panel.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('complementary', { name: 'Details' }).getByText('Web team').waitFor()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Risk resolved').waitFor()
  await timeline.getByText('8080/tcp').waitFor()
})

it('navigates a target with the keyboard', async () => {
  await openTarget()
  await settle(page)
  await page.keyboard.press('4')
  await page.waitForURL(/\/assets$/)
  await settle(page)
  await page.keyboard.press('1')
  await page.waitForURL(/\/scope\/[\w-]+$/)
  await settle(page)
  await page.keyboard.press('e')
  await page.getByRole('dialog', { name: 'Edit Aarewerk lab' }).getByRole('button', { name: 'Cancel' }).click()
  await open(page, '/scope')
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'New target' }).getByLabel('Name').waitFor()
})

it('creates targets from a pasted list, and keeps invalid lines', async () => {
  await page.goto('/scope?create=true')
  await page.getByRole('dialog', { name: 'New target' }).getByRole('button', { name: 'Paste a list' }).click()
  const panel = await openDialog(page.getByRole('dialog', { name: 'New targets' }))
  await panel.getByLabel('Addresses').fill('127.62.40.0/30, münchen.localhost\nintranet!\n127.62.10.0/29')
  await panel.getByText('4 addresses: 2 new, 1 already in scope, 1 invalid.').waitFor()
  await panel.getByText('The target “Aarewerk lab” already has this address.').waitFor()
  await panel.getByRole('radio', { name: 'Monthly' }).check()
  await panel.getByRole('button', { name: 'Add 2 targets' }).click()
  await panel.getByText('2 targets were added. The remaining addresses are listed below.').waitFor()
  expect(await panel.getByLabel('Addresses').inputValue()).toBe('intranet!')
  await panel.getByLabel('Addresses').fill('')
  await panel.getByRole('button', { name: 'Cancel' }).click()
  const row = page.getByRole('row', { name: /münchen\.localhost/ })
  await row.getByText('Monthly').waitFor()
  await row.getByRole('link', { name: /münchen/ }).click()
  await page.getByRole('complementary', { name: 'Details' }).getByText('xn--mnchen-3ya.localhost').waitFor()
})

it('logs no browser errors', () => {
  // The rejected exclusion is intended.
  expect(stage.browserErrors.filter((line) => !line.includes('status of 400'))).toEqual([])
})
