/** The OpenID Connect provider of a workspace: setup, sign-in by email address, roles by group, and enforcement. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { visit } from '../lab/visitor.ts'
import {
  type Claims,
  type TestOidcProvider,
  startTestOidcProvider,
} from '../packages/identity/src/testing/test-oidc-provider.ts'
import {
  button,
  expectNoBrowserErrors,
  fillSignIn,
  newContext,
  newPage,
  page,
  product,
  startAccounts,
} from './accounts.ts'

const domain = 'aarewerk.example'
const lea = { email: `lea.graf@${domain}`, password: 'ridge-marker-2291', first: 'Lea', last: 'Graf' }
let workspace: string
let member: Page
let provider: TestOidcProvider

// The provider runs on a loopback address.
startAccounts('single-sign-on', { isMember: true, settings: { GLACIS_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
beforeAll(async () => {
  workspace = await verifyDomain()
  provider = await startTestOidcProvider([`workspace-${workspace}`], product.url)
})
afterAll(() => provider.close())

it('offers the workspace to users with an address in its verified domain at their first sign-in', async () => {
  await visit(product.url).signUp(lea, product.dataFolder)
  member = await newPage(await newContext())
  await member.goto('/login')
  await fillSignIn(lea.email, lea.password, member)
  await member.getByRole('button', { name: /^Join / }).click()
  await member.getByRole('heading', { name: 'Overview' }).waitFor()
})

it('is set up by the owner', async () => {
  const { issuer = '', clientId, clientSecret = '' } = provider.optionsFor(`workspace-${workspace}`)
  await openSettings()
  await page.getByText(`/callback/workspace-${workspace}`).waitFor()
  await button('Set up provider').click()
  const dialog = page.getByRole('dialog', { name: 'Set up sign-in provider' })
  await dialog.getByLabel('Name').fill('Aarewerk SSO')
  await dialog.getByLabel('Issuer').fill(issuer)
  await dialog.getByLabel('Client ID').fill(clientId)
  await dialog.getByLabel('Client secret').fill(clientSecret)
  await dialog.getByRole('button', { name: 'Add group' }).click()
  await dialog.getByLabel('Group 1', { exact: true }).fill('security')
  await dialog.getByLabel('Role of group 1').selectOption('analyst')
  await dialog.getByRole('button', { name: 'Save provider' }).click()
  await page.getByRole('list', { name: 'Sign-in provider' }).getByText('Aarewerk SSO').waitFor()
})

it('gives new users the role of their group', async () => {
  const urs = await signInAs('urs', { given_name: 'Urs', family_name: 'Frei', groups: ['staff', 'security'] })
  await urs.waitForURL(/\/overview/)
  await urs.goto('/workspace')
  await urs.getByText(/Your role: Analyst/).waitFor()
})

it('rejects users whose groups are not mapped to a role', async () => {
  const guest = await signInAs('guest', { given_name: 'Gian', family_name: 'Rossi', groups: ['visitors'] })
  await guest.waitForURL(/\/overview/)
  await guest.goto('/workspace')
  await guest.getByText(/Your role: Owner/).waitFor()
  const members = guest.getByRole('list', { name: 'Members' }).getByRole('listitem')
  await expect.poll(() => members.count()).toBe(1)
})

it('rejects users with an address in another domain', async () => {
  const claims = { email: 'eve@elsewhere.example', email_verified: true, groups: ['security'] }
  const eve = await signInAs('eve', claims)
  await eve.getByText(`Aarewerk SSO can only sign in users with an address at ${domain}.`).waitFor()
})

it('offers nothing for an address in another domain', async () => {
  const visitor = await newPage(await newContext())
  await findProvider(visitor, 'eve@elsewhere.example')
  await visitor.getByText('No workspace offers single sign-on for this address.').waitFor()
})

it('can be required: a member with a password is sent to the provider, and returns to the same page', async () => {
  await openSettings()
  await button('Edit Aarewerk SSO').click()
  await page.getByLabel('Require this provider').check()
  await button('Save provider').click()
  await page.getByText('Required', { exact: true }).waitFor()
  await member.goto('/scans')
  await member.getByRole('heading', { name: 'Sign in again' }).waitFor()
  provider.currentUser = { subject: 'lea', claims: { email: lea.email, email_verified: true } }
  await member.getByRole('link', { name: 'Sign in with Aarewerk SSO' }).click()
  await member.waitForURL(/\/scans/)
  await member.getByRole('heading', { name: 'Scans' }).waitFor()
})

it('ends the sessions of the previous client when its ID changes', async () => {
  await button('Edit Aarewerk SSO').click()
  await page.getByLabel('Client ID').fill('another-client')
  await page.getByText('Everyone who signed in with this provider has to sign in again').waitFor()
  await button('Save provider').click()
  await page.getByText('Aarewerk SSO was saved').waitFor()
  await member.waitForURL(/\/login/)
})

expectNoBrowserErrors()

/** As if the domain's TXT record had been found; returns the workspace. */
async function verifyDomain(): Promise<string> {
  const client = new pg.Client({ host: join(product.dataFolder, 'run'), user: 'glacis', database: 'glacis' })
  await client.connect()
  const { rows } = await client.query<{ account_id: string }>(
    `insert into email_domain (account_id, id, domain, role, proof, created_at, verified_at)
     select id, new_id(), $1, 'viewer', 'proof', now(), now() from workspace returning account_id`,
    [domain],
  )
  await client.end()
  return rows[0]?.account_id ?? ''
}

async function openSettings(): Promise<void> {
  await page.goto('/workspace')
  await page.getByRole('heading', { name: 'Sign-in', exact: true }).waitFor()
}

/** Signs in at the provider as this subject, in a separate browser. */
async function signInAs(subject: string, claims: Claims): Promise<Page> {
  provider.currentUser = { subject, claims: { email: `${subject}@${domain}`, email_verified: true, ...claims } }
  const visitor = await newPage(await newContext())
  await findProvider(visitor, `${subject}@${domain}`)
  return visitor
}

async function findProvider(on: Page, email: string): Promise<void> {
  await on.goto('/login?refresh=true')
  await button('Use single sign-on', on).click()
  await on.getByLabel('Work email').fill(email)
  await button('Continue', on).click()
}
