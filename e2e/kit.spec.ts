/** The page of the interface kit, as the development server shows it, in both themes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PortalConfig } from '@glacis/contract/portal-config'
import { root } from '../lab/product.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'

/** What the page wants to know before it shows anything; no server stands behind it. */
const config: PortalConfig = {
  apiUrl: '',
  portalUrl: '',
  identityUrl: '',
  apiDocsUrl: '',
  releaseNotesUrl: '',
  licenceUrl: '',
  helpUrl: '',
  supportEmail: '',
  botChallengeSiteKey: '',
  version: '0.0.0',
  billing: true,
}
let server: ChildProcess
let url: string
let browser: Browser

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}/`
  const words = ['node_modules/vite/bin/vite.js', 'apps/portal', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, [...words, '--strictPort'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  server = child
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('Local')) break
  child.stdout.resume()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  const ended = once(server, 'exit')
  server.kill()
  await ended
})

it.each(['light', 'dark'] as const)('shows every piece in %s without an error', async (colorScheme) => {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1440, height: 900 } })
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(error.message))
  await page.route('**/config.json', (route) => route.fulfill({ json: config }))
  await page.goto(`${url}kit`)
  await page.getByRole('heading', { level: 1, name: 'Interface kit' }).waitFor()
  const path = join(tmpdir(), `glacis-kit-${colorScheme}.png`)
  const picture = await page.screenshot({ fullPage: true, path })
  expect(picture.length).toBeGreaterThan(50_000)
  expect(troubles).toEqual([])
})
