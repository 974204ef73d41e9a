/** The page of the interface kit, as the development server shows it, in both themes. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { type Kit, startKit } from './kit.ts'

let kit: Kit
let browser: Browser

beforeAll(async () => {
  kit = await startKit()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await kit.stop()
})

it.each(['light', 'dark'] as const)('shows every piece in %s without an error', async (colorScheme) => {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1440, height: 900 } })
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  await kit.show(page)
  for (const name of ['Charts', 'Tabs', 'Toasts']) await page.getByRole('heading', { name }).waitFor()
  const path = join(tmpdir(), `glacis-kit-${colorScheme}.png`)
  const picture = await page.screenshot({ fullPage: true, path })
  expect(picture.length).toBeGreaterThan(50_000)
  expect(troubles).toEqual([])
})
