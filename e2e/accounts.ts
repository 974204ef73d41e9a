/** Shared setup of the account tests: the product, an external identity provider, the user Nora, and steps on forms. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databaseFolder } from '../apps/server/src/testing/folder.ts'
import { startProduct } from '../lab/product.ts'
import { type Person, visit } from '../lab/visitor.ts'
import { type TestOidcProvider, startTestOidcProvider } from '../packages/identity/src/testing/test-oidc-provider.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'
import { sharedProduct } from './shared-product.ts'
import { noraOf } from './test-environment.ts'

export let product: { readonly url: string; readonly dataFolder: string }
export let nora: Person
export let other: TestOidcProvider
export let context: BrowserContext
export let page: Page
/** Responses with a 4xx status, which forms show as messages; tests assert them. */
export const expectedClientErrors: string[] = []
let browser: Browser
/** Browser errors other than expected 4xx responses. */
const browserErrors: string[] = []

interface AccountsOptions {
  /** Nora has an account and is signed in. */
  readonly isMember: boolean
  /** Starts a product with these settings and the identity provider Acme, instead of using the shared one. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts everything before the tests of a file. */
export function startAccounts(name: string, { isMember, settings }: AccountsOptions): void {
  const resources = new AsyncDisposableStack()
  beforeAll(async () => {
    nora = noraOf(name)
    product = settings ? await startOwnProduct(name, settings, resources) : sharedProduct()
    browser = resources.adopt(await openBrowser(), (opened) => opened.close())
    context = await newContext()
    page = await newPage(context)
    if (!isMember) return
    await visit(product.url).signUp(nora, product.dataFolder)
    await signIn()
  }, 120_000)
  afterAll(() => resources.disposeAsync())
}

async function startOwnProduct(name: string, more: Readonly<Record<string, string>>, resources: AsyncDisposableStack) {
  const port = await freePort()
  const dataFolder = await databaseFolder(`glacis-${name}-`)
  resources.defer(() => rm(dataFolder, { recursive: true, force: true }))
  other = resources.adopt(await startTestOidcProvider(['acme'], `http://localhost:${port}`), (opened) => opened.close())
  const acme = JSON.stringify([other.optionsFor('acme', 'Acme')])
  const settings = { GLACIS_LOG_LEVEL: 'warn', GLACIS_OIDC: acme, ...more }
  return resources.adopt(await startProduct({ port, dataFolder, settings }), (started) => started.stop())
}

export function newContext(userAgent?: string): Promise<BrowserContext> {
  // Playwright acts on an element once it stops moving; without animations that is immediately.
  const reducedMotion = 'reduce' as const
  const options = { baseURL: product.url, locale: 'en-CH', viewport: { width: 1280, height: 900 }, reducedMotion }
  return browser.newContext({ ...options, ...(userAgent && { userAgent }) })
}
export async function newPage(of: BrowserContext): Promise<Page> {
  const made = await of.newPage()
  made.setDefaultTimeout(30_000)
  made.on('pageerror', (error) => browserErrors.push(`${made.url()}: ${error.message}`))
  made.on('console', (message) => {
    const isRefusal = /status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isRefusal) browserErrors.push(`${made.url()}: ${message.text()}`)
  })
  made.on('response', (response) => {
    if (response.status() >= 400) expectedClientErrors.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  return made
}

export const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
export const field = (name: string, on = page) => on.locator(`input[name="${name}"]`)

export async function mailsTo(address: string): Promise<string[]> {
  const files = await readdir(join(product.dataFolder, 'outbox')).catch(() => [])
  return files.filter((name) => name.includes(address) && name.endsWith('.eml')).toSorted()
}
/** The code in the first email after the given number of emails. */
export async function codeAfter(address: string, before: number): Promise<string> {
  await expect.poll(async () => (await mailsTo(address)).length, { timeout: 30_000 }).toBeGreaterThan(before)
  const newest = (await mailsTo(address)).at(-1) ?? ''
  const mail = await readFile(join(product.dataFolder, 'outbox', newest), 'utf8')
  return /^\s*(\d{6})\s*$/m.exec(mail)?.[1] ?? ''
}
export async function typeCode(code: string, on = page): Promise<void> {
  await on.locator('fieldset input[inputmode], fieldset input[autocomplete="one-time-code"]').first().click()
  await on.keyboard.type(code)
}

export async function fillSignIn(address: string, secret: string, on = page): Promise<void> {
  await field('identifier', on).fill(address)
  await field('password', on).fill(secret)
  await button('Sign in with password', on).click()
}
export async function signIn(on = page, secret = nora.password): Promise<void> {
  await on.goto('/login')
  await fillSignIn(nora.email, secret, on)
  await on.waitForURL(/\/overview/)
}
export async function signOut(on = page): Promise<void> {
  await on.goto('/logout')
  await on.waitForURL(/\/login/)
  await field('identifier', on).waitFor()
}
export async function helperReady(on: Page): Promise<void> {
  await expect.poll(() => on.evaluate('window.__oryWebAuthnInitialized')).toBe(true)
}
export async function saved(on = page): Promise<void> {
  await on.getByText('Account updated').last().waitFor()
}

/** Add as the last test of a file. */
export function expectNoBrowserErrors(): void {
  it('logs no browser errors', () => {
    // Browsers log a passkey ceremony that the user or the next page cancels, or that they don't support.
    const expected = /NotAllowedError|AbortError|NotSupportedError/
    expect(browserErrors.filter((text) => !expected.test(text))).toEqual([])
  })
}
