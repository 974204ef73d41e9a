/** Test environment: a fresh instance of the product and browsers for its users. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Product, startProduct } from '../lab/product.ts'
import { type Person, type Visitor, visit } from '../lab/visitor.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'
import { signIn } from './screens.ts'

export const nora: Person = {
  email: 'nora.ammann@aarewerk.example',
  password: 'contour-line-4478',
  first: 'Nora',
  last: 'Ammann',
}
export const desktop = { width: 1440, height: 900 }

export interface TestEnvironment {
  readonly product: Product
  readonly browser: Browser
  /** API client of Nora; without a session until she has signed up. */
  readonly visitor: Visitor
  /** Errors in the browser console, including failed API calls. */
  readonly browserErrors: readonly string[]
  /** A page in a separate browser, with its errors recorded. */
  newPage(): Promise<Page>
  /** The same, with Nora signed in and on the overview. */
  newPageOfNora(): Promise<Page>
  close(): Promise<void>
}

/** @param name of the test, used in the name of its data folder */
export async function startTestEnvironment(name: string): Promise<TestEnvironment> {
  const dataFolder = await mkdtemp(join(tmpdir(), `glacis-${name}-`))
  const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
  const browser = await openBrowser()
  const troubles: string[] = []

  async function newPage(): Promise<Page> {
    // Playwright acts on an element once it stops moving; without animations that is immediately.
    const context = { viewport: desktop, baseURL: product.url, locale: 'en-CH', reducedMotion: 'reduce' as const }
    const page = await browser.newPage(context)
    page.setDefaultTimeout(15_000)
    // A violation of the Content-Security-Policy or of Trusted Types, even if the page looks right.
    await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
      console.error('policy violation', event.violatedDirective, event.blockedURI, event.sourceFile, event.sample))`)
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => message.type() === 'error' && troubles.push(`${page.url()}: ${message.text()}`))
    return page
  }

  return {
    product,
    browser,
    visitor: visit(product.url),
    browserErrors: troubles,
    newPage,
    async newPageOfNora() {
      const page = await newPage()
      await signIn(page, nora)
      return page
    },
    async close() {
      await browser.close()
      await product.stop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
