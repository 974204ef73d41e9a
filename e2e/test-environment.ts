/** Test environment: a user of the shared product, with browsers. */
import { join } from 'node:path'
import { createTarget } from '@glacis/contract/target'
import { getWorkspace } from '@glacis/contract/workspace'
import type { Scan } from '@glacis/contract/scan'
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { type Person, scanned, type Visitor, visit } from '../lab/visitor.ts'
import { openBrowser } from './browser.ts'
import { sharedProduct } from './shared-product.ts'
import { startVulnerableServices, type VulnerableServices } from './vulnerable-services.ts'

export const desktop = { width: 1440, height: 900 }

export interface TestEnvironment {
  readonly url: string
  readonly dataFolder: string
  readonly browser: Browser
  readonly nora: Person
  /** API client of Nora. */
  readonly visitor: Visitor
  /** Errors in the browser console, including failed API calls. */
  readonly browserErrors: readonly string[]
  /** A page in a separate browser with its errors recorded, signed in with a visitor's session if one is given. */
  newPage(visitor?: Visitor): Promise<Page>
  close(): Promise<void>
}

/** @param name of the test; part of the email address, because all tests share the product */
export function noraOf(name: string): Person {
  const email = `nora.ammann.${name}@aarewerk.example`
  return { email, password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
}

/** @param hasAccount whether Nora has signed up */
export async function startTestEnvironment(name: string, { hasAccount = true } = {}): Promise<TestEnvironment> {
  const { url, dataFolder } = sharedProduct()
  const nora = noraOf(name)
  const visitor = visit(url)
  if (hasAccount) await visitor.signUp(nora, dataFolder)
  const browser = await openBrowser()
  const troubles: string[] = []
  return {
    url,
    dataFolder,
    browser,
    nora,
    visitor,
    browserErrors: troubles,
    async newPage(user) {
      // Playwright acts on an element once it stops moving; without animations that is immediately.
      const context = { viewport: desktop, baseURL: url, locale: 'en-CH', reducedMotion: 'reduce' as const }
      const page = await browser.newPage(context)
      if (user) await page.context().addCookies(cookiesOf(user, url))
      page.setDefaultTimeout(30_000)
      // A violation of the Content-Security-Policy or of Trusted Types, even if the page looks right.
      await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
        console.error('policy violation', event.violatedDirective, event.blockedURI, event.sourceFile, event.sample))`)
      page.on('pageerror', (error) => troubles.push(error.message))
      page.on('console', (message) => message.type() === 'error' && troubles.push(`${page.url()}: ${message.text()}`))
      return page
    },
    close: () => browser.close(),
  }
}

export interface ScannedEnvironment extends TestEnvironment {
  readonly weak: VulnerableServices
  readonly scan: Scan
}

/**
 * The same, with a finished scan of vulnerable services.
 *
 * @param network first three octets of their addresses
 */
export async function startScannedEnvironment(
  name: string,
  network: string,
  targetName = 'Aarewerk lab',
): Promise<ScannedEnvironment> {
  const [environment, weak] = await Promise.all([startTestEnvironment(name), startVulnerableServices(network)])
  const schedule = { period: 'PERIOD_WEEKLY' as const }
  const input = { name: targetName, address: `${network}.0/29`, schedule, tags: [] }
  const { target } = await environment.visitor.call(createTarget, input)
  const scan = await scanned(environment.visitor, target.id)
  return {
    ...environment,
    weak,
    scan,
    async close() {
      await environment.close()
      await weak.stop()
    },
  }
}

/** Lets Nora administer the installation. */
export async function grantAdministration({ visitor, nora, dataFolder }: TestEnvironment): Promise<void> {
  // The first request creates her workspace.
  await visitor.call(getWorkspace, {})
  const client = new pg.Client({ host: join(dataFolder, 'run'), user: 'glacis', database: 'glacis' })
  await client.connect()
  const insert = 'insert into installation_admin (identity_id) select identity_id from member where email = $1'
  await client.query(`${insert} on conflict do nothing`, [nora.email])
  await client.end()
}

function cookiesOf(visitor: Visitor, url: string) {
  const pairs = visitor
    .cookie()
    .split('; ')
    .map((pair) => pair.split(/=(.*)/))
  return pairs.map(([name = '', value = '']) => ({ name, value, url }))
}
