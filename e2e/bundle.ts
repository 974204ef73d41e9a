/** Measures the JavaScript that the built portal loads. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'

const dist = resolve(import.meta.dirname, '../apps/portal/dist')

export interface Scripts {
  readonly files: number
  /** Size with gzip. */
  readonly bytes: number
}

/** Loads `path` and counts all scripts fetched until the page has data and the network is idle. */
export async function scriptsOf(page: Page, path: string): Promise<Scripts> {
  const paths = new Set<string>()
  const note = (response: Response) => {
    const { pathname } = new URL(response.url())
    // The identity service's own script isn't part of the portal.
    if (pathname.endsWith('.js') && !pathname.startsWith('/.well-known/')) paths.add(pathname)
  }
  page.on('response', note)
  await page.goto(path)
  await page.locator('main h1').waitFor()
  await page.waitForLoadState('networkidle')
  page.off('response', note)
  const sizes = await Promise.all([...paths].map(async (path) => gzipSync(await readFile(join(dist, path))).length))
  return { files: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) }
}
