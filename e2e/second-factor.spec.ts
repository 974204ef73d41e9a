/** Authenticator apps, backup codes, and passkeys. */
import { describe, expect, it } from 'vitest'
import { totpAt } from '../packages/identity/src/testing/test-identity.ts'
import {
  button,
  context,
  expectNoBrowserErrors,
  field,
  fillSignIn,
  helperReady,
  newContext,
  newPage,
  nora,
  page,
  expectedClientErrors,
  saved,
  signOut,
  startAccounts,
  typeCode,
} from './accounts.ts'
import { openDialog } from './page-ready.ts'

startAccounts('factor', { isMember: true })
/** A TOTP step: each code works once, and the next step's code is accepted early. */
const stepMs = 30_000

describe('with a second factor', () => {
  let secret = ''
  const code = (aheadMs = 0) => totpAt(secret, new Date(Date.now() + aheadMs))

  it('enables an authenticator app', async () => {
    await page.goto('/profile')
    await page.getByRole('list', { name: 'Two-factor authentication' }).getByRole('button', { name: 'Set up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
    await dialog.locator('img').waitFor()
    secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(/\s/g, '')
    await typeCode(code(), page)
    await button('Turn on').click()
    await saved()
    await page.getByRole('list', { name: 'Two-factor authentication' }).getByText('On', { exact: true }).waitFor()
  })

  it('requires its code at the next sign-in from any page, and can be disabled', async () => {
    await signOut()
    await page.goto('/scope')
    await page.waitForURL(/\/login\?.*return_to=/)
    await fillSignIn(nora.email, nora.password)
    await page.getByRole('heading', { level: 1, name: 'Two-factor authentication' }).waitFor()
    // A session with one factor allows only this step.
    await page.goto('/risks/verified')
    await page.waitForURL(/\/login\?.*aal=aal2|\/login\?flow=/)
    await page.getByRole('heading', { level: 1, name: 'Two-factor authentication' }).waitFor()
    const wrong = code() === '000000' ? '111111' : '000000'
    await typeCode(wrong)
    await button('Use Authenticator').click()
    await page.getByText('The provided authentication code is invalid').waitFor()
    await typeCode(code(stepMs))
    await button('Use Authenticator').click()
    await page.waitForURL(/\/risks\/verified/)
    await page.goto('/profile')
    await page
      .getByRole('list', { name: 'Two-factor authentication' })
      .getByRole('button', { name: 'Turn off' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await saved()
  }, 120_000)

  it('signs in with a backup code', async () => {
    await page.goto('/profile')
    await button('Set up backup codes').click()
    const shown = page.getByLabel('Backup codes', { exact: true }).filter({ hasText: /\w{8}\s+\w{8}/ })
    const [backup = ''] = ((await shown.first().textContent()) ?? '').split(/\s+/)
    expect(backup).toMatch(/^[a-z0-9]{8}$/)
    await button("I've saved my codes").click()
    await saved()
    await signOut()
    await fillSignIn(nora.email, nora.password)
    await page.getByRole('heading', { level: 1, name: 'Two-factor authentication' }).waitFor()
    await field('lookup_secret').fill(backup)
    await button('Use backup recovery code').click()
    await page.waitForURL(/\/overview/)
    await page.goto('/profile')
    await button('Turn off backup codes').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await saved()
  })
})

describe('with a passkey', () => {
  it('adds a passkey, signs in with it, and removes it after confirmation', async () => {
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const authenticator = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: authenticator })
    await page.goto('/profile')
    const added = page.waitForRequest((request) => request.method() === 'POST' && /settings/.test(request.url()))
    await button('Add passkey').click()
    const body = (await added).postDataJSON()
    const made = JSON.parse(body.passkey_settings_register)
    expect([Object.keys(made), Object.keys(made.response)]).toEqual([
      ['id', 'rawId', 'type', 'response'],
      ['attestationObject', 'clientDataJSON'],
    ])
    expect(body.csrf_token).toEqual(expect.any(String))
    await saved()
    await page.getByText('Chrome on Linux').waitFor()

    // This authenticator responds immediately, so that autofill would sign in before the click.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await signOut()
    expectedClientErrors.length = 0
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /login/.test(request.url()))
    await button('Sign in with passkey').click()
    const proof = JSON.parse((await sent).postDataJSON().passkey_login)
    expect(Object.keys(proof.response)).toEqual(['authenticatorData', 'clientDataJSON', 'signature', 'userHandle'])
    for (const value of [proof.rawId, ...Object.values(proof.response)]) expect(value).toMatch(/^[\w-]+$/)
    await page.waitForURL(/\/overview/)
    expect(expectedClientErrors).toEqual([])

    await page.goto('/profile')
    await button('Remove Chrome on Linux').click()
    const dialog = await openDialog(page.getByRole('dialog', { name: 'Remove Chrome on Linux?' }))
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'I understand the consequences of this action' }).check()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await saved()
    expect(await page.getByText('Chrome on Linux').count()).toBe(0)
    await cdp.send('WebAuthn.disable')
    await cdp.detach()
  })

  it('passes the email entered at sign-up to the authenticator', async () => {
    const elsewhere = await newContext()
    const visitor = await newPage(elsewhere)
    await visitor.goto('/registration')
    await field('traits.name.first', visitor).fill('Lena')
    await field('traits.name.last', visitor).fill('Keller')
    await field('traits.email', visitor).fill('lena@aarewerk.example')
    await helperReady(visitor)
    await visitor.evaluate(`navigator.credentials.create = (options) => {
      window.asked = options.publicKey.user.displayName
      return Promise.reject(new DOMException('declined', 'NotAllowedError'))
    }`)
    await button('Sign up with passkey', visitor).click()
    await expect.poll(() => visitor.evaluate('window.asked')).toBe('lena@aarewerk.example')
    await elsewhere.close()
  })
})

expectNoBrowserErrors()
