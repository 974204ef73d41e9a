/** Accounts as a person meets them in a browser: sign-up, second factors, passkeys, other services, sessions. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, root, startProduct } from '../lab/product.ts'
import { totpAt } from '../packages/identity/src/testing/house.ts'
import { type OtherService, openOtherService } from '../packages/identity/src/testing/other-service.ts'
import { openBrowser } from './browser.ts'
import { freePort } from './ports.ts'

const first = 'contour-line-4478'
let password = first
const email = 'nora.ammann@aarewerk.example'
/** A time step of an authenticator app: a code works once, and that of the next step works already. */
const stepMs = 30_000

let product: Product
let other: OtherService
let browser: Browser
let context: BrowserContext
let page: Page
/** What a browser complains of without a refusal that was meant. */
const troubles: string[] = []
/** Refusals of forms: each is an answer of 4xx that a story asks for. */
let refusals: string[] = []

beforeAll(async () => {
  const port = await freePort()
  const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-who-'))
  other = await openOtherService(['acme'], `http://localhost:${port}`)
  const settings = { GLACIS_LOG_LEVEL: 'warn', GLACIS_OIDC: JSON.stringify([other.options('acme', 'Acme')]) }
  product = await startProduct({ port, dataFolder, settings })
  browser = await openBrowser()
  context = await newContext()
  page = await newPage(context)
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await product?.stop()
  await other?.close()
  await rm(product.dataFolder, { recursive: true, force: true })
})

function newContext(userAgent?: string): Promise<BrowserContext> {
  const options = { baseURL: product.url, locale: 'en-CH', viewport: { width: 1280, height: 900 } }
  return browser.newContext({ ...options, ...(userAgent && { userAgent }) })
}
async function newPage(of: BrowserContext): Promise<Page> {
  const made = await of.newPage()
  made.setDefaultTimeout(15_000)
  made.on('pageerror', (error) => troubles.push(`${made.url()}: ${error.message}`))
  made.on('console', (message) => {
    const isRefusal = /status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isRefusal) troubles.push(`${made.url()}: ${message.text()}`)
  })
  made.on('response', (response) => {
    if (response.status() >= 400) refusals.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  return made
}

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const field = (name: string, on = page) => on.locator(`input[name="${name}"]`)

async function mailsTo(address: string): Promise<string[]> {
  const files = await readdir(join(product.dataFolder, 'outbox')).catch(() => [])
  return files.filter((name) => name.includes(address) && name.endsWith('.eml')).toSorted()
}
/** The code of a mail that comes after so many. */
async function codeAfter(address: string, before: number): Promise<string> {
  await expect.poll(async () => (await mailsTo(address)).length, { timeout: 20_000 }).toBeGreaterThan(before)
  const newest = (await mailsTo(address)).at(-1) ?? ''
  const mail = await readFile(join(product.dataFolder, 'outbox', newest), 'utf8')
  return /^\s*(\d{6})\s*$/m.exec(mail)?.[1] ?? ''
}
async function typeCode(code: string, on = page): Promise<void> {
  await on.locator('fieldset input[inputmode], fieldset input[autocomplete="one-time-code"]').first().click()
  await on.keyboard.type(code)
}

async function fillSignIn(address: string, secret: string, on = page): Promise<void> {
  await field('identifier', on).fill(address)
  await field('password', on).fill(secret)
  await button('Sign in with password', on).click()
}
async function signIn(on = page): Promise<void> {
  await on.goto('/login')
  await fillSignIn(email, password, on)
  await on.waitForURL(/\/overview/)
}
async function signOut(on = page): Promise<void> {
  await on.goto('/logout')
  await on.waitForURL(/\/login/)
  await field('identifier', on).waitFor()
}
async function helperReady(on: Page): Promise<void> {
  await expect.poll(() => on.evaluate('window.__oryWebAuthnInitialized')).toBe(true)
}
async function saved(on = page): Promise<void> {
  await on.getByText('Account updated').last().waitFor()
}

describe('with a password', () => {
  it('signs up and proves the address', async () => {
    await page.goto('/registration')
    await field('traits.name.first').fill('Nora')
    await field('traits.name.last').fill('Ammann')
    await field('traits.email').fill(email)
    await field('password').fill('short')
    await button('Sign up').click()
    await page.getByText('The password must be at least 8 characters long').waitFor()
    await field('password').fill(first)
    await button('Sign up').click()
    await page.waitForURL(/\/verification\?flow=/)
    await page.getByText(email).waitFor()
    await page.getByText('mails are files in the folder outbox of its data').waitFor()
    await typeCode(await codeAfter(email, 0))
    await button('Continue').click()
    await page.getByText('You successfully verified your email address.').waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.waitForURL(/\/overview/)
    await page.goto('/profile')
    await page.getByRole('heading', { name: 'Profile settings' }).waitFor()
    expect(await page.getByText('unverified').count()).toBe(0)
  }, 60_000)

  it('says what is wrong with a password, and keeps a deep link through the sign-in', async () => {
    await signOut()
    await page.goto('/scope?create=true')
    await page.waitForURL(/\/login\?.*return_to=/)
    await fillSignIn(email, 'wrong password')
    await page.getByText('The provided credentials are invalid').waitFor()
    await field('password').fill(password)
    await button('Sign in with password').click()
    await page.waitForURL(/\/scope\?create=true/)
    await page.getByRole('heading', { name: 'New target' }).waitFor()
  }, 60_000)

  it('recovers the account by a code, and chooses a new password', async () => {
    await signOut()
    const before = (await mailsTo(email)).length
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.waitForURL(/\/recovery\?/)
    await field('email').fill(email)
    await button('Continue').click()
    await typeCode(await codeAfter(email, before))
    await button('Continue').click()
    await page.waitForURL(/\/profile\?flow=/)
    await page.getByText('You successfully recovered your account.').first().waitFor()
    await choosePassword('rampart-slope-1201') // the dialog has opened by itself
    await signOut()
    await page.goto('/login')
    await fillSignIn(email, first)
    await page.getByText('The provided credentials are invalid').waitFor()
    await signIn()
  }, 90_000)

  it('changes the password: both fields must match, and a refusal is said in the dialog', async () => {
    await page.goto('/profile')
    await button('Change password').click()
    const dialog = page.getByRole('dialog', { name: 'Change password' })
    await dialog.getByRole('textbox', { name: 'New Password' }).fill('glacis-parapet-77')
    await dialog.getByRole('textbox', { name: 'Confirm Password' }).fill('glacis-parapet-78')
    await button('Save password').click({ force: true })
    await dialog.getByText("The provided passwords don't match.").waitFor()
    await dialog.getByRole('textbox', { name: 'New Password' }).fill(password)
    await dialog.getByRole('textbox', { name: 'Confirm Password' }).fill(password)
    await button('Save password').click()
    await dialog.getByText('must be different from the old password').waitFor()
    // It opens by itself while the flow says that the last try was refused.
    await page.reload()
    await dialog.getByText('must be different from the old password').waitFor()
    await button('Cancel').click()
    await changePassword('glacis-parapet-77')
  }, 60_000)
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

describe('with a second factor', () => {
  let secret = ''
  const code = (aheadMs = 0) => totpAt(secret, new Date(Date.now() + aheadMs))

  it('turns an authenticator app on', async () => {
    await page.goto('/profile')
    await page.getByRole('list', { name: 'Two-factor authentication' }).getByRole('button', { name: 'Set up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
    await dialog.locator('img').waitFor()
    secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(/\s/g, '')
    await typeCode(code(), page)
    await button('Turn on').click()
    await saved()
    await page.getByRole('list', { name: 'Two-factor authentication' }).getByText('On', { exact: true }).waitFor()
  }, 60_000)

  it('asks for its code at the next sign-in, from wherever one comes, and is turned off', async () => {
    await signOut()
    await page.goto('/scope')
    await page.waitForURL(/\/login\?.*return_to=/)
    await fillSignIn(email, password)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    // The session of one factor opens nothing but this step.
    await page.goto('/risks/verified')
    await page.waitForURL(/\/login\?.*aal=aal2|\/login\?flow=/)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
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

  it('signs in with a back-up code', async () => {
    await page.goto('/profile')
    await button('Set up back-up codes').click()
    const shown = page.getByLabel('Back-up codes', { exact: true }).filter({ hasText: /\w{8}\s+\w{8}/ })
    const [backup = ''] = ((await shown.first().textContent()) ?? '').split(/\s+/)
    expect(backup).toMatch(/^[a-z0-9]{8}$/)
    await button('I have saved them').click()
    await saved()
    await signOut()
    await fillSignIn(email, password)
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await field('lookup_secret').fill(backup)
    await button('Use backup recovery code').click()
    await page.waitForURL(/\/overview/)
    await page.goto('/profile')
    await button('Turn off back-up codes').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await saved()
  }, 90_000)
})

describe('with a passkey', () => {
  it('adds one, signs in by it, and removes it with consent', async () => {
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
    await button('Add a passkey').click()
    // Case 240.
    const body = (await added).postDataJSON()
    const made = JSON.parse(body.passkey_settings_register)
    expect([Object.keys(made), Object.keys(made.response)]).toEqual([
      ['id', 'rawId', 'type', 'response'],
      ['attestationObject', 'clientDataJSON'],
    ])
    expect(body.csrf_token).toEqual(expect.any(String))
    await saved()
    await page.getByText('Chrome on Linux').waitFor()

    // This authenticator answers at once whatever is asked, so that the field would sign in before the click.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await signOut()
    refusals = []
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /login/.test(request.url()))
    await button('Sign in with passkey').click()
    // Case 239.
    const proof = JSON.parse((await sent).postDataJSON().passkey_login)
    expect(Object.keys(proof.response)).toEqual(['authenticatorData', 'clientDataJSON', 'signature', 'userHandle'])
    for (const value of [proof.rawId, ...Object.values(proof.response)]) expect(value).toMatch(/^[\w-]+$/)
    await page.waitForURL(/\/overview/)
    expect(refusals).toEqual([])

    await page.goto('/profile')
    await button('Remove Chrome on Linux').click()
    const dialog = page.getByRole('dialog', { name: 'Remove Chrome on Linux?' })
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'I understand the consequences of this action' }).check({ force: true })
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await saved()
    expect(await page.getByText('Chrome on Linux').count()).toBe(0)
    await cdp.send('WebAuthn.disable')
    await cdp.detach()
  }, 90_000)

  it('tells the authenticator the address that was typed at the sign-up (case 241)', async () => {
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
  }, 60_000)

  it('has a helper that starts once and defines every function under both names (cases 237 and 238)', async () => {
    const elsewhere = await newContext()
    const visitor = await newPage(elsewhere)
    await visitor.addInitScript(`window.starts = 0
      addEventListener('oryWebAuthnInitialized', () => { window.starts += 1 })`)
    await visitor.goto('/login')
    // The helper comes with the form.
    await field('identifier', visitor).waitFor()
    await helperReady(visitor)
    const names = ['WebAuthnLogin', 'WebAuthnRegistration', 'PasskeyLogin', 'PasskeyLoginAutocompleteInit']
    const all = [...names, 'PasskeyRegistration', 'PasskeySettingsRegistration']
    const read = `${JSON.stringify(all)}.flatMap((name) => ['ory', '__ory'].map((start) => typeof window[start + name]))`
    expect(new Set((await visitor.evaluate(read)) as string[])).toEqual(new Set(['function']))
    await visitor.evaluate(`window.kept = window.oryPasskeyLogin`)
    await visitor.addScriptTag({ url: '/.well-known/ory/webauthn.js' })
    expect(await visitor.evaluate('[window.starts, window.kept === window.oryPasskeyLogin]')).toEqual([1, true])
    await elsewhere.close()
  }, 60_000)
})

describe('with another service', () => {
  it('signs up and in by it, and shows it as linked', async () => {
    const elsewhere = await newContext()
    const visitor = await newPage(elsewhere)
    const claims = { email: 'urs@acme.example', email_verified: true, given_name: 'Urs', family_name: 'Frei' }
    other.present = { subject: 'urs', claims }
    await visitor.goto('/login')
    await button('Sign in with Acme', visitor).click()
    await visitor.waitForURL(/\/overview/)
    await signOut(visitor)
    await button('Sign in with Acme', visitor).click()
    await visitor.waitForURL(/\/overview/)
    await visitor.goto('/profile')
    await visitor.getByText('urs@acme.example').first().waitFor()
    await elsewhere.close()
  }, 90_000)

  it('says what the other service said where it lets nobody in', async () => {
    other.present = null
    const elsewhere = await newContext()
    const visitor = await newPage(elsewhere)
    await visitor.goto('/login')
    await button('Sign in with Acme', visitor).click()
    await visitor.getByText('returned error "access_denied"').waitFor()
    await elsewhere.close()
  }, 90_000)
})

describe('with several browsers', () => {
  it('lists the session of another browser and ends it', async () => {
    const elsewhere = await newContext(
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0',
    )
    const visitor = await newPage(elsewhere)
    await signIn(visitor)
    await page.goto('/profile')
    const list = page.getByRole('list', { name: 'Active sessions' })
    await list.getByText('This device').waitFor()
    await list.getByRole('button', { name: 'Revoke Windows, Firefox' }).click()
    await list.getByText('Windows, Firefox').waitFor({ state: 'hidden' })
    await visitor.goto('/scope')
    await visitor.waitForURL(/\/login\?.*return_to=/)
    await elsewhere.close()
  }, 60_000)

  it('starts a new form where the old one expired, or belongs to another browser', async () => {
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
    await fillSignIn(email, password, visitor)
    await visitor.getByText(/The login flow expired/).waitFor()
    const theirs = await newContext()
    const stranger = await newPage(theirs)
    await stranger.goto(visitor.url())
    await field('identifier', stranger).waitFor()
    expect(new URL(stranger.url()).searchParams.get('flow')).not.toBe(new URL(visitor.url()).searchParams.get('flow'))
    await theirs.close()
    await elsewhere.close()
  }, 60_000)
})

/** Ends a flow's time. */
async function expire(id: string): Promise<void> {
  const client = new pg.Client({ host: join(product.dataFolder, 'run'), user: 'glacis', database: 'glacis' })
  await client.connect()
  await client.query("update identity.flow set expires_at = now() - interval '1 minute' where id = $1", [id])
  await client.end()
}

it('prepares the mail that asks to delete the account', async () => {
  await page.goto('/profile')
  const href = (await page.getByRole('link', { name: 'Delete account' }).getAttribute('href')) ?? ''
  const { protocol, searchParams } = new URL(href)
  expect([protocol, searchParams.get('subject')]).toEqual(['mailto:', 'Account deletion'])
  expect(searchParams.get('body')).toContain('Nora Ammann')
}, 60_000)

it('is administered from the command line while it runs', async () => {
  const env = { ...process.env, GLACIS_DATA: product.dataFolder, TEST_DATABASE_URL: '', GLACIS_SHARED: '' }
  const glacis = async (...words: string[]) =>
    (await promisify(execFile)(process.execPath, ['apps/server/src/main.ts', 'identity', ...words], { cwd: root, env }))
      .stdout
  expect(await glacis('list')).toContain(email)
  expect(await glacis('disable', email)).toContain(`${email} is disabled.`)
  await page.goto('/overview')
  await page.waitForURL(/\/login/)
  await glacis('enable', email)
  await signIn()
}, 60_000)

it('has met no error on any page', () => {
  // A browser logs a ceremony that its person, or the next page, has broken off.
  expect(troubles.filter((text) => !/NotAllowedError|AbortError/.test(text))).toEqual([])
})
