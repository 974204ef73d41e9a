/** The provider of a workspace with an external identity service: set up, sign-in, roles by group, and enforcement. */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Person, visit } from '../lab/visitor.ts'
import { type TestOidcProvider, startTestOidcProvider } from '../packages/identity/src/testing/test-oidc-provider.ts'
import { openBrowser } from './browser.ts'
import { type ExternalIdentity, startExternalIdentity } from './external-identity.ts'
import { noraOf } from './test-environment.ts'

const domain = 'aarewerk.example'
const nora = noraOf('external')
const lea: Person = { email: `lea.graf@${domain}`, password: 'ridge-marker-2291', first: 'Lea', last: 'Graf' }
const mia: Person = { email: `mia.frei@${domain}`, password: '', first: 'Mia', last: 'Frei' }
const tom: Person = { email: 'tom.frei@other.example', password: '', first: 'Tom', last: 'Frei' }
const button = (name: string, on: Page) => on.getByRole('button', { name, exact: true })
let environment: ExternalIdentity
let provider: TestOidcProvider
let browser: Browser
let owner: Page
let member: Page
let workspace: string

beforeAll(async () => {
  // The provider runs on a loopback address.
  environment = await startExternalIdentity('external', { GLACIS_WEBHOOK_NETWORKS: '127.0.0.0/8' })
  browser = await openBrowser()
  for (const person of [nora, lea]) await visit(environment.url).signUp(person, environment.identityFolder)
  owner = await signIn(nora)
  // The plan comes from her workspace, which her first request creates.
  await owner.getByRole('link', { name: 'Compare plans' }).waitFor()
  workspace = await verifyDomain()
  const callback = `${environment.url}/v1/sign-in-provider/${workspace}/callback`
  provider = await startTestOidcProvider(['external'], environment.url, [callback])
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await environment?.close()
  await provider?.close()
})

it('is set up by the owner, and required', async () => {
  const { issuer = '', clientId, clientSecret = '' } = provider.optionsFor('external')
  await owner.goto('/workspace')
  await owner.getByText(`/v1/sign-in-provider/${workspace}/callback`).waitFor()
  await button('Set up provider', owner).click()
  const dialog = owner.getByRole('dialog', { name: 'Set up sign-in provider' })
  await dialog.getByLabel('Name').fill('Aarewerk SSO')
  await dialog.getByLabel('Issuer').fill(issuer)
  await dialog.getByLabel('Client ID').fill(clientId)
  await dialog.getByLabel('Client secret').fill(clientSecret)
  await dialog.getByRole('button', { name: 'Add group' }).click()
  await dialog.getByLabel('Group 1', { exact: true }).fill('security')
  await dialog.getByLabel('Role of group 1').selectOption('analyst')
  await dialog.getByLabel('Require this provider').check()
  await dialog.getByRole('button', { name: 'Save provider' }).click()
  await owner.getByRole('list', { name: 'Sign-in provider' }).getByText('Required', { exact: true }).waitFor()
})

it('asks for the account first, and then signs in with the provider and gives the role of the group', async () => {
  signsInAtProvider('lea', lea.email, ['security'])
  member = await newPage()
  await member.goto('/login')
  await button('Use single sign-on', member).click()
  await member.getByLabel('Work email').fill(lea.email)
  await button('Continue', member).click()
  await member.getByText(/Sign in to your account first/).waitFor()
  await fillSignIn(member, lea)
  await member.waitForURL(/\/overview/)
  await member.goto('/workspace')
  await member.getByText(/Your role: Analyst/).waitFor()
})

it('redirects a session that signed in another way to the provider, and back to the same page', async () => {
  const other = await signIn(lea)
  await other.getByRole('heading', { name: 'Sign in again' }).waitFor()
  await other.goto('/scans')
  await other.getByRole('link', { name: 'Sign in with Aarewerk SSO' }).click()
  await other.waitForURL(/\/scans/)
  await other.getByRole('heading', { name: 'Scans' }).waitFor()
})

it('explains that the account belongs to someone else, and rejects the sign-in', async () => {
  signsInAtProvider('eve', `eve@${domain}`)
  const other = await signIn(lea)
  await other.getByRole('link', { name: 'Sign in with Aarewerk SSO' }).click()
  await other.getByText(/You signed in to Aarewerk SSO with another account/).waitFor()
  await other.goto('/scans')
  await other.getByRole('heading', { name: 'Sign in again' }).waitFor()
})

it('ends with the session', async () => {
  await member.goto('/logout')
  await member.waitForURL(/\/login/)
  await fillSignIn(member, lea)
  await member.getByRole('heading', { name: 'Sign in again' }).waitFor()
})

it("signs up with a provider of the identity service, which isn't the provider of the workspace", async () => {
  const claims = { email: mia.email, email_verified: true, given_name: mia.first, family_name: mia.last }
  environment.provider.currentUser = { subject: 'mia', claims }
  const page = await newPage()
  await page.goto('/registration')
  await button('Sign up with Acme', page).click()
  // Verified by that provider: no code is emailed.
  await page.waitForURL(/\/overview/)
  await page.goto('/workspace')
  await page.getByRole('list', { name: 'Members' }).getByText('Mia Frei (you)').waitFor()
  signsInAtProvider('mia', mia.email, ['security'])
  await page.goto(`/single-sign-on?workspace=${workspace}`)
  await page.waitForURL(/\/overview/)
  await page.goto('/workspace')
  await page.getByText(/Your role: Analyst/).waitFor()
  await page.goto('/logout')
  await page.waitForURL(/\/login/)
  await button('Sign in with Acme', page).click()
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  await page.getByRole('link', { name: 'Sign in with Aarewerk SSO' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

it('asks for the name that a provider of the identity service does not report', async () => {
  const claims = { email: tom.email, email_verified: true, given_name: tom.first }
  environment.provider.currentUser = { subject: 'tom', claims }
  const page = await newPage()
  await page.goto('/login')
  await button('Sign in with Acme', page).click()
  await page.locator('input[name="traits.name.last"]').fill(tom.last)
  await page.getByRole('button', { name: /^(Continue|Sign up with Acme)$/ }).click()
  await page.waitForURL(/\/overview/)
})

it('never locks out the owner', async () => {
  const other = await signIn(nora)
  await other.getByRole('heading', { name: 'Overview' }).waitFor()
  await expect.poll(() => other.url()).toContain('/overview')
})

function signsInAtProvider(subject: string, email: string, groups: readonly string[] = []): void {
  provider.currentUser = { subject, claims: { email, email_verified: true, groups } }
}

async function newPage(): Promise<Page> {
  const page = await browser.newPage({
    baseURL: environment.url,
    locale: 'en-CH',
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  })
  page.setDefaultTimeout(30_000)
  return page
}

async function signIn(person: Person): Promise<Page> {
  const page = await newPage()
  await page.goto('/login')
  await fillSignIn(page, person)
  return page
}

async function fillSignIn(page: Page, { email, password }: Person): Promise<void> {
  await page.locator('input[name="identifier"]').fill(email)
  await page.locator('input[name="password"]').fill(password)
  await button('Sign in with password', page).click()
}

/** As if the domain's TXT record had been found; returns the workspace. */
async function verifyDomain(): Promise<string> {
  const folder = join(environment.product.dataFolder, 'run')
  const client = new pg.Client({ host: folder, user: 'glacis', database: 'glacis' })
  await client.connect()
  const { rows } = await client.query<{ account_id: string }>(
    `insert into email_domain (account_id, id, domain, role, proof, created_at, verified_at)
     select id, new_id(), $1, 'viewer', 'proof', now(), now() from workspace returning account_id`,
    [domain],
  )
  await client.end()
  return rows[0]?.account_id ?? ''
}
