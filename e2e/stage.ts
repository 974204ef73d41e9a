/** What a story plays on: the product, started anew, and browsers in which people look at it. */
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
export const desk = { width: 1440, height: 900 }

export interface Stage {
  readonly product: Product
  readonly browser: Browser
  /** Nora without a browser; nobody until she has signed up. */
  readonly visitor: Visitor
  /** What pages complained of in the browser's console, refusals of the API included. */
  readonly troubles: readonly string[]
  /** A page in a browser of its own, whose complaints are kept. */
  newPage(): Promise<Page>
  /** The same, with Nora signed in and on the overview. */
  newPageOfNora(): Promise<Page>
  close(): Promise<void>
}

/** @param name of the story, which its folder bears while it runs */
export async function openStage(name: string): Promise<Stage> {
  const dataFolder = await mkdtemp(join(tmpdir(), `glacis-${name}-`))
  const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
  const browser = await openBrowser()
  const troubles: string[] = []

  async function newPage(): Promise<Page> {
    const page = await browser.newPage({ viewport: desk, baseURL: product.url, locale: 'en-CH' })
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => message.type() === 'error' && troubles.push(`${page.url()}: ${message.text()}`))
    return page
  }

  return {
    product,
    browser,
    visitor: visit(product.url),
    troubles,
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
