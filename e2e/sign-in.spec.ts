/** Signing up and in: passwords, recovery, social sign-in, expired forms. */
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import {
  button,
  codeAfter,
  expectNoBrowserErrors,
  field,
  fillSignIn,
  mailsTo,
  newContext,
  newPage,
  nora,
  other,
  page,
  product,
  signIn,
  signOut,
  startAccounts,
  typeCode,
} from './accounts.ts'
import { noraOf } from './test-environment.ts'

startAccounts('sign-in', { isMember: false, settings: {} })
let password = noraOf('sign-in').password

describe('with a password', () => {
  it('signs up and verifies the email', async () => {
    await page.goto('/registration')
    await field('traits.name.first').fill('Nora')
    await field('traits.name.last').fill('Ammann')
    await field('traits.email').fill(nora.email)
    await field('password').fill('short')
    await button('Sign up').click()
    await page.getByText('The password must be at least 8 characters long').waitFor()
    await field('password').fill(nora.password)
    await button('Sign up').click()
    await page.waitForURL(/\/verification\?flow=/)
    await page.getByText(nora.email).waitFor()
    await page.getByText('so the email is a file on the server').waitFor()
    await typeCode(await codeAfter(nora.email, 0))
    await button('Continue').click()
    await page.getByText('You successfully verified your email address.').waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.waitForURL(/\/overview/)
    await page.goto('/profile')
    await page.getByRole('heading', { name: 'Profile settings' }).waitFor()
    expect(await page.getByText('unverified').count()).toBe(0)
  })

  it('shows password errors, and returns to a deep link after signing in', async () => {
    await signOut()
    await page.goto('/scope?create=true')
    await page.waitForURL(/\/login\?.*return_to=/)
    await fillSignIn(nora.email, 'wrong password')
    await page.getByText('The provided credentials are invalid').waitFor()
    await field('password').fill(password)
    await button('Sign in with password').click()
    await page.waitForURL(/\/scope\?create=true/)
    await page.getByRole('heading', { name: 'New target' }).waitFor()
  })

  it('recovers the account with a code and sets a new password', async () => {
    await signOut()
    const before = (await mailsTo(nora.email)).length
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.waitForURL(/\/recovery\?/)
    await field('email').fill(nora.email)
    await button('Continue').click()
    await typeCode(await codeAfter(nora.email, before))
    await button('Continue').click()
    await page.waitForURL(/\/profile\?flow=/)
    await page.getByText('You successfully recovered your account.').first().waitFor()
    await choosePassword('rampart-slope-1201') // the dialog opens automatically
    await signOut()
    await page.goto('/login')
    await fillSignIn(nora.email, nora.password)
    await page.getByText('The provided credentials are invalid').waitFor()
    await signIn(page, password)
  })

  it('changes the password: both fields must match, and errors appear in the dialog', async () => {
    await page.goto('/profile')
    await button('Change password').click()
    const dialog = page.getByRole('dialog', { name: 'Change password' })
    await dialog.getByRole('textbox', { name: 'New Password' }).fill('glacis-parapet-77')
    await dialog.getByRole('textbox', { name: 'Confirm Password' }).fill('glacis-parapet-78')
    await button('Save password').click()
    await dialog.getByText("The provided passwords don't match.").waitFor()
    await dialog.getByRole('textbox', { name: 'New Password' }).fill(password)
    await dialog.getByRole('textbox', { name: 'Confirm Password' }).fill(password)
    await button('Save password').click()
    await dialog.getByText('must be different from the old password').waitFor()
    // It opens automatically while the flow contains the error of the last attempt.
    await page.reload()
    await dialog.getByText('must be different from the old password').waitFor()
    await button('Cancel').click()
    await changePassword('glacis-parapet-77')
  })
})

async function changePassword(next: string): Promise<void> {
  await button('Change password').click()
  await choosePassword(next)
}

async function choosePassword(next: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Change password' })
  await dialog.getByRole('textbox', { name: 'New Password' }).fill(next)
  await dialog.getByRole('textbox', { name: 'Confirm Password' }).fill(next)
  await button('Save password').click()
  await expect.poll(() => dialog.count()).toBe(0)
  password = next
}

describe('with another service', () => {
  it('signs up and in with it, and shows it as linked', async () => {
    const elsewhere = await newContext()
    const visitor = await newPage(elsewhere)
    const claims = { email: 'urs@acme.example', email_verified: true, given_name: 'Urs', family_name: 'Frei' }
    other.currentUser = { subject: 'urs', claims }
    await visitor.goto('/login')
    await button('Sign in with Acme', visitor).click()
    await visitor.waitForURL(/\/overview/)
    await signOut(visitor)
    await button('Sign in with Acme', visitor).click()
    await visitor.waitForURL(/\/overview/)
    await visitor.goto('/profile')
    await visitor.getByText('urs@acme.example').first().waitFor()
    await elsewhere.close()
  })

  it('shows the error of the provider when it denies access', async () => {
    other.currentUser = null
    const elsewhere = await newContext()
    const visitor = await newPage(elsewhere)
    await visitor.goto('/login')
    await button('Sign in with Acme', visitor).click()
    await visitor.getByText('returned error "access_denied"').waitFor()
    await elsewhere.close()
  })
})

describe('with several browsers', () => {
  it('starts a new flow if the old one expired or belongs to another browser', async () => {
    const elsewhere = await newContext()
    const visitor = await newPage(elsewhere)
    await visitor.goto('/login')
    await field('identifier', visitor).waitFor()
    const id = new URL(visitor.url()).searchParams.get('flow') ?? ''
    await expire(id)
    await visitor.reload()
    await field('identifier', visitor).waitFor()
    await visitor.waitForURL((url) => ![id, null].includes(url.searchParams.get('flow')))
    const [taken] = [new URL(visitor.url()).searchParams.get('flow') ?? '']
    await expire(taken)
    await fillSignIn(nora.email, password, visitor)
    await visitor.getByText(/The login flow expired/).waitFor()
    const theirs = await newContext()
    const stranger = await newPage(theirs)
    await stranger.goto(visitor.url())
    await field('identifier', stranger).waitFor()
    expect(new URL(stranger.url()).searchParams.get('flow')).not.toBe(new URL(visitor.url()).searchParams.get('flow'))
    await theirs.close()
    await elsewhere.close()
  })
})

/** Expires a flow. */
async function expire(id: string): Promise<void> {
  const client = new pg.Client({ host: join(product.dataFolder, 'run'), user: 'glacis', database: 'glacis' })
  await client.connect()
  await client.query("update identity.flow set expires_at = now() - interval '1 minute' where id = $1", [id])
  await client.end()
}

expectNoBrowserErrors()
