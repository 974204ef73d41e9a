/** The visual map, as a person uses it: with the pointer, with the keyboard, as a table. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createTarget } from '@glacis/contract/target'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scanned } from '../lab/visitor.ts'
import { startWeak, type Weak } from './weak.ts'
import { open } from './settled.ts'
import { nora, openStage, type Stage } from './stage.ts'

let weak: Weak
let stage: Stage
let page: Page

beforeAll(async () => {
  stage = await openStage('map')
  weak = await startWeak('127.77.18')
  const { visitor } = stage
  await visitor.signUp(nora, stage.product.dataFolder)
  page = await stage.newPageOfNora()
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

it('shows what the scan proved, by the menu and by its keys', async () => {
  await page.getByRole('link', { name: 'Visual Map' }).click()
  await page.locator('canvas[data-in-sight]').waitFor()
  await page.goto('/overview')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await page.waitForURL(/\/risks\/visual/)
  await page.locator('canvas[data-in-sight]').waitFor()
  expect(Number(await canvas().getAttribute('data-in-sight'))).toBeGreaterThan(2)
  expect(await canvas().getAttribute('data-scale')).toBe('1.000')
})

it('zooms by wheel, buttons and keys, within its bounds', async () => {
  await canvas().hover()
  await page.mouse.wheel(0, -120)
  await page.locator('canvas[data-scale="1.100"]').waitFor()
  await page.getByRole('button', { name: 'Back to the largest cluster' }).click()
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

it('opens a node that is focused, walks to its neighbours and on to its page', async () => {
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

it('hides a kind from the legend, and the legend itself', async () => {
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

it('finds a node by its name', async () => {
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('redis')
  await page.getByRole('list', { name: 'Found nodes' }).getByRole('button').first().click()
  await card().getByRole('heading', { name: /redis/i }).waitFor()
})

it('shows the same as a table and as a picture', async () => {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export PNG' }).click()
  const file = await readFile(await (await download).path())
  expect([...file.subarray(1, 4)].map((byte) => String.fromCodePoint(byte)).join('')).toBe('PNG')
  await page.getByRole('button', { name: 'View as table' }).click()
  await page.getByRole('region', { name: 'Most connected threats' }).waitFor()
  expect(
    await page
      .getByRole('table', { name: /Nodes of the map/ })
      .getByRole('row')
      .count(),
  ).toBeGreaterThan(3)
  await page.getByRole('button', { name: 'View as map' }).click()
  await canvas().waitFor()
})

it.each([
  ['light', 1440],
  ['dark', 390],
] as const)('meets WCAG 2.2 AA in %s at %i px, as map and as table', async (colorScheme, width) => {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 900 })
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  for (const path of ['/risks/visual', '/risks/visual?view=table']) {
    await open(page, path)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await page.evaluate(axe)
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const script = `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(values)} } })`
    const { violations } = (await page.evaluate(script)) as AxeResults // what axe.run resolves to
    expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} on ${node.target.join(' ')}`))).toEqual([])
  }
})

it('troubles the browser with nothing', () => {
  expect(stage.troubles).toEqual([])
})
