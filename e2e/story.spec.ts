/** The main user journey: sign up, add a target, scan, triage, rescan, report. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeFor } from '../lab/visitor.ts'
import { startVulnerableServices, type VulnerableServices } from './vulnerable-services.ts'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'
import { openDialog } from './page-ready.ts'

const scanMs = 300_000
const git = /git/i
const redis = /redis/i
const apache = /Apache HTTP Server 2\.4\.49: path traversal/

let weak: VulnerableServices
let stage: TestEnvironment
let page: Page

beforeAll(async () => {
  stage = await startTestEnvironment('story', { hasAccount: false })
  weak = await startVulnerableServices('127.77.8')
  page = await stage.newPage()
}, 120_000)
afterAll(async () => {
  await stage.close()
  await weak.stop()
})

/** Opens a risk from its list and waits for its page. */
async function openRisk(list: 'verified' | 'potential', name: RegExp, tab = 'Open'): Promise<void> {
  await page.goto(`/risks/${list}`)
  if (tab !== 'Open') await page.getByRole('link', { name: new RegExp(`^${tab}`) }).click()
  await page.getByRole('link', { name }).first().click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

async function scan(): Promise<void> {
  await page.goto('/scope')
  await page.getByRole('link', { name: 'Aarewerk lab' }).click()
  await page.getByRole('button', { name: 'Start scan' }).first().click()
  await page.getByRole('button', { name: 'Cancel scan' }).first().waitFor()
  await page.getByRole('button', { name: 'Start scan' }).first().waitFor({ timeout: scanMs })
}

async function statusOf(): Promise<string> {
  return (await page.getByRole('complementary', { name: 'Details' }).innerText()).replaceAll(/\s+/g, ' ')
}

it('signs up, verifies the email with the code, and opens the overview', async () => {
  await page.goto('/registration')
  await page.getByLabel('Email').fill(stage.nora.email)
  await page.getByLabel('First name').fill('Nora')
  await page.getByLabel('Last name').fill('Ammann')
  await page.locator('input[name=password]').fill(stage.nora.password)
  await page.getByRole('button', { name: 'Sign up', exact: true }).click()
  await page.waitForURL(/\/verification\?flow=/)
  await page.locator('input[autocomplete="one-time-code"]').click()
  await page.keyboard.type(await codeFor(stage.nora.email, stage.dataFolder))
  await page
    .getByRole('button', { name: /continue|verify|submit/i })
    .first()
    .click({ timeout: 3000 })
    .catch(() => undefined)
  await page.getByRole('link', { name: /continue/i }).click()
  await page.waitForURL(/\/overview/)
})

it('adds a target', async () => {
  await page.goto('/scope?create=true')
  const panel = await openDialog(page.getByRole('dialog', { name: 'New target' }))
  await panel.getByLabel('Name').fill('Aarewerk lab')
  await panel.getByLabel('Address').fill('127.77.8.0/28')
  await panel.getByLabel('Weekly').check()
  await panel.getByRole('button', { name: 'Add target' }).click()
  await page.getByRole('link', { name: 'Aarewerk lab' }).waitFor()
})

it(
  'scans it and shows the progress',
  async () => {
    await scan()
    await page.goto('/scans')
    await page.getByRole('cell', { name: 'Completed' }).waitFor()
  },
  scanMs + 60_000,
)

it('shows a verified risk with its evidence and a potential one with its reason', async () => {
  await openRisk('verified', git)
  await page.getByText('repositoryformatversion').first().waitFor()
  await openRisk('potential', apache)
  await page
    .getByText(/2\.4\.49 matches/)
    .first()
    .waitFor()
})

it('ignores one and resolves two', async () => {
  await openRisk('verified', redis)
  await page.getByRole('button', { name: 'Ignore' }).click()
  const dialog = page.getByRole('dialog', { name: /^Ignore/ })
  await dialog.getByText('Accepted risk').click()
  await dialog.getByRole('button', { name: 'Ignore' }).click()
  await expect.poll(statusOf).toContain('Ignored')
  await openRisk('verified', git)
  await page.getByRole('button', { name: 'Resolve' }).click()
  await expect.poll(statusOf).toContain('Resolved')
})

it(
  'scans again: remaining risks regress, ignored ones stay ignored, fixed ones are resolved',
  async () => {
    weak.isApacheOld = false
    await scan()
    await openRisk('verified', git)
    expect(await statusOf()).toContain('Regressed')
    await openRisk('verified', redis, 'Ignored')
    expect(await statusOf()).toContain('Ignored')
    await openRisk('potential', apache, 'Resolved')
    expect(await statusOf()).toContain('Resolved')
  },
  scanMs + 60_000,
)

async function downloadReport(): Promise<void> {
  // The menu on the scan's own page; the list and its open menu are about to unmount.
  await page.getByRole('button', { name: 'Download report', exact: true }).click()
  await page.getByRole('menuitem', { name: 'PDF' }).click()
}

it('downloads the report', async () => {
  await page.goto('/scans')
  await page
    .getByRole('link', { name: /Completed/ })
    .or(page.getByRole('cell', { name: 'Aarewerk lab' }).getByRole('link'))
    .first()
    .click()
  const [download] = await Promise.all([page.waitForEvent('download'), downloadReport()])
  const file = await readFile(await download.path())
  expect(file.subarray(0, 5).toString()).toBe('%PDF-')
  expect(file.subarray(-6).toString()).toContain('%%EOF')
  expect(download.suggestedFilename()).toMatch(/^glacis-aarewerk-lab-\d{4}-\d\d-\d\d\.pdf$/)
})

it('logs no browser errors', () => {
  expect(stage.browserErrors).toEqual([])
})
