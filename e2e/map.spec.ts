/** The visual map with pointer, keyboard, and as a table. */
import { readFile } from 'node:fs/promises'
import { createTarget } from '@glacis/contract/target'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scanned } from '../lab/visitor.ts'
import { startVulnerableServices, type VulnerableServices } from './vulnerable-services.ts'
import { open } from './page-ready.ts'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'

let weak: VulnerableServices
let stage: TestEnvironment
let page: Page

beforeAll(async () => {
  stage = await startTestEnvironment('map')
  weak = await startVulnerableServices('127.77.18')
  const { visitor } = stage
  page = await stage.newPage(visitor)
  await page.goto('/risks/visual')
  await page.getByRole('heading', { name: 'Nothing to map yet' }).waitFor()
  const lab = { name: 'Aarewerk lab', address: '127.77.18.0/28', schedule: { period: 'PERIOD_WEEKLY' as const } }
  const { target } = await visitor.call(createTarget, { ...lab, tags: [] })
  await scanned(visitor, target.id)
}, 240_000)
afterAll(async () => {
  await stage.close()
  await weak.stop()
})

const card = () => page.getByRole('complementary', { name: 'Selected node' })
const canvas = () => page.getByTestId('map-canvas')

it('shows verified risks, opened by menu and by shortcut', async () => {
  await page.getByRole('link', { name: 'Visual Map' }).click()
  await page.locator('canvas[data-in-sight]').waitFor()
  await open(page, '/overview')
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await page.waitForURL(/\/risks\/visual/)
  await page.locator('canvas[data-in-sight]').waitFor()
  expect(Number(await canvas().getAttribute('data-in-sight'))).toBeGreaterThan(2)
  expect(await canvas().getAttribute('data-scale')).toBe('1.000')
})

it('zooms with wheel, buttons, and keys, within its limits', async () => {
  await canvas().hover()
  await page.mouse.wheel(0, -120)
  await page.locator('canvas[data-scale="1.100"]').waitFor()
  await page.getByRole('button', { name: 'Reset view' }).click()
  for (let turn = 0; turn < 20; turn++) await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.locator('canvas[data-scale="3.000"]').waitFor()
  for (let turn = 0; turn < 30; turn++) await page.getByRole('button', { name: 'Zoom out' }).click()
  await page.locator('canvas[data-scale="0.200"]').waitFor()
  await page
    .getByRole('button', { name: /^Threat / })
    .first()
    .press('0')
  await page.locator('canvas[data-scale="1.000"]').waitFor()
})

it('opens the focused node, moves to its neighbors, and opens its page', async () => {
  await page.getByRole('button', { name: /^Threat .*git/i }).focus()
  await card().getByRole('heading', { name: /git/i }).waitFor()
  await page.keyboard.press('ArrowRight')
  await card().getByRole('heading', { name: /git/i, level: 2 }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('node=')
  await page.reload()
  await card().waitFor()
  await card().getByRole('button', { name: 'Close panel' }).click()
  await card().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Threat .*git/i }).focus()
  await card().getByRole('link', { name: 'Open risk' }).click()
  await page.getByRole('heading', { level: 1, name: /git/i }).waitFor()
  await page.goBack()
  await card().waitFor()
})

it('hides a kind with the legend, and collapses the legend', async () => {
  await page
    .getByRole('button', { name: 'Host', exact: false })
    .and(page.locator('[aria-pressed=true]'))
    .first()
    .waitFor()
  await page.getByRole('region', { name: 'Legend' }).getByRole('button', { name: /^Host/ }).click()
  await page.waitForURL(/hide=host/)
  await page.getByRole('button', { name: 'Hide legend' }).click()
  await page.getByRole('button', { name: 'Show legend' }).click()
  await page.getByRole('region', { name: 'Legend' }).getByRole('button', { name: /^Host/ }).click()
  await page.waitForURL((url) => !url.search.includes('hide'))
})

it('finds a node by name', async () => {
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('redis')
  await page.getByRole('list', { name: 'Matching nodes' }).getByRole('button').first().click()
  await card().getByRole('heading', { name: /redis/i }).waitFor()
})

it('shows the same data as a table and exports an image', async () => {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export PNG' }).click()
  const file = await readFile(await (await download).path())
  expect([...file.subarray(1, 4)].map((byte) => String.fromCodePoint(byte)).join('')).toBe('PNG')
  await page.getByRole('button', { name: 'View as table' }).click()
  await page.getByRole('region', { name: 'Most connected threats' }).waitFor()
  expect(
    await page
      .getByRole('table', { name: /Map nodes/ })
      .getByRole('row')
      .count(),
  ).toBeGreaterThan(3)
  await page.getByRole('button', { name: 'View as map' }).click()
  await canvas().waitFor()
})

it('logs no browser errors', () => {
  expect(stage.browserErrors).toEqual([])
})
