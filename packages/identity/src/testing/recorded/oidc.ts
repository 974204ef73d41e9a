/** Recorded cases: external identity providers. */
import type { Browser, Reply } from '#testing/browser.ts'
import { submitNewFlow, newAddress } from '#testing/test-identity.ts'
import { type TestOidcProvider, completeAtProvider } from '#testing/test-oidc-provider.ts'
import {
  type Case,
  startFlow,
  newBrowser,
  signedInUser,
  encodedReturnTo,
  selfService,
  submitJson,
  submitForm,
} from '#testing/scenarios.ts'

const login = `${selfService}/login/browser`
const registration = `${selfService}/registration/browser`
const settings = `${selfService}/settings/browser`
const callback = `${selfService}/methods/oidc/callback/local-op`

let oidcProvider: TestOidcProvider | undefined
/** Sets the provider that the cases use. */
export function setProvider(testProvider: TestOidcProvider): void {
  oidcProvider = testProvider
}

let userCount = 0
function newProviderUser(claims: object = { given_name: 'John', family_name: 'Frost' }): string {
  userCount += 1
  const email = newAddress()
  if (oidcProvider)
    oidcProvider.currentUser = { subject: `person-${userCount}`, claims: { email, email_verified: true, ...claims } }
  return email
}
const submitAndComplete = async (
  browser: Browser,
  start: string,
  body: Record<string, unknown> = { provider: 'local-op' },
) => completeAtProvider(browser, await submitNewFlow(browser, start, body))
const fetchForm = (browser: Browser, kind: string, response: Reply) =>
  browser.get(`${selfService}/${kind}/flows?id=${String(response.headers.location).split('flow=')[1]}`)

async function deniedByProvider() {
  if (oidcProvider) oidcProvider.currentUser = null
  const browser = newBrowser()
  return { browser, response: await submitAndComplete(browser, login) }
}
async function signUpWithProvider() {
  newProviderUser({ given_name: 'Ada', family_name: 'Lovelace', email_verified: false })
  const browser = newBrowser()
  await submitAndComplete(browser, login)
  return browser
}
async function linkedUser(provider = 'local-op') {
  const { browser } = await signedInUser()
  newProviderUser()
  return { browser, response: await submitAndComplete(browser, settings, { link: provider }) }
}
async function signUpWithoutNames() {
  const email = newProviderUser({})
  const browser = newBrowser()
  return { browser, email, response: await submitAndComplete(browser, registration) }
}

export const oidcCases: readonly Case[] = [
  ['login/oidc-start-json', 0, () => submitNewFlow(newBrowser(), login, { provider: 'local-op' })],
  [
    'login/oidc-start-browser',
    0,
    async () => {
      const browser = newBrowser()
      return submitForm(browser, await startFlow(browser, 'login'), { provider: 'local-op' })
    },
  ],
  ['login/oidc-access-denied', 0, async () => (await deniedByProvider()).response],
  [
    'login/oidc-access-denied',
    1,
    async () => {
      const { browser, response } = await deniedByProvider()
      return fetchForm(browser, 'login', response)
    },
  ],
  ['login/oidc-callback-without-state', 0, () => newBrowser().open(`${callback}?code=x&state=y`)],
  ['login/oidc-callback-without-state', 1, () => newBrowser().get(`${callback}?code=x&state=y`)],
  ['login/oidc-unknown-provider', 0, () => submitNewFlow(newBrowser(), login, { provider: 'nonesuch' })],
  [
    'login/oidc-first-sign-in-from-login',
    1,
    () => {
      newProviderUser()
      return submitAndComplete(newBrowser(), login)
    },
  ],
  [
    'login/oidc-ok',
    1,
    async () => {
      await signUpWithProvider()
      return submitAndComplete(newBrowser(), `${login}?return_to=${encodedReturnTo}`)
    },
  ],
  ['login/oidc-refresh', 0, async () => (await linkedUser()).browser.get(`${login}?refresh=true`)],
  ['registration/oidc-missing-traits', 1, async () => (await signUpWithoutNames()).response],
  [
    'registration/oidc-missing-traits',
    2,
    async () => {
      const { browser, response } = await signUpWithoutNames()
      return fetchForm(browser, 'registration', response)
    },
  ],
  [
    'registration/oidc-missing-traits',
    4,
    async () => {
      const { browser, email, response } = await signUpWithoutNames()
      const { body } = await fetchForm(browser, 'registration', response)
      const traits = { email, name: { first: 'Bob', last: 'Ross' } }
      return completeAtProvider(browser, await submitJson(browser, body, { provider: 'local-op', traits }))
    },
  ],
  [
    'registration/oidc-complete',
    1,
    () => {
      newProviderUser()
      return submitAndComplete(newBrowser(), registration)
    },
  ],
  ['settings/oidc-link-start', 1, async () => (await linkedUser('second-op')).response],
  [
    'settings/oidc-link-start',
    2,
    async () => {
      const { browser } = await linkedUser()
      return fetchForm(browser, 'settings', await submitAndComplete(browser, settings, { link: 'second-op' }))
    },
  ],
  ['settings/oidc-link-and-unlink-nodes', 0, async () => (await linkedUser()).browser.get(settings)],
  ['settings/oidc-only-credential', 0, async () => (await signUpWithProvider()).get(settings)],
  [
    'settings/oidc-only-credential',
    1,
    async () => submitNewFlow(await signUpWithProvider(), settings, { unlink: 'local-op' }),
  ],
  [
    'settings/oidc-unlink',
    0,
    async () => {
      const { browser } = await linkedUser()
      await submitAndComplete(browser, settings, { link: 'second-op' })
      return submitNewFlow(browser, settings, { unlink: 'second-op' })
    },
  ],
]
