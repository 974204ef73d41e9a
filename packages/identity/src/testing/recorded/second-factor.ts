/** Recorded cases: authenticator apps and backup codes. */
import type { Browser } from '#testing/browser.ts'
import { submitNewFlow, enrollLookupSecrets, enrollTotp, nodeWithId, totpAt } from '#testing/test-identity.ts'
import {
  type Case,
  startFlow,
  newBrowser,
  signedInUser,
  password,
  selfService,
  submitJson,
  testIdentity,
} from '#testing/scenarios.ts'

const settings = `${selfService}/settings/browser`
const stepMs = 30_000

async function userWithTotp() {
  const { browser, email } = await signedInUser()
  const secret = await enrollTotp(testIdentity(), browser)
  // A code works once, so the next one must be from a later time step.
  testIdentity().advance(stepMs)
  return { browser, email, secret }
}
async function userWithLookupSecrets() {
  const { browser, email } = await signedInUser()
  const codes = await enrollLookupSecrets(browser)
  return { browser, email, codes }
}

/** Signs in with the first factor in another browser and starts the second one. */
async function startSecondFactor(email: string) {
  const browser = newBrowser()
  await submitNewFlow(browser, `${selfService}/login/browser`, { ...password, identifier: email })
  return { browser, flow: await startFlow(browser, 'login', '?aal=aal2') }
}
async function submitCode(email: string, body: Record<string, unknown>) {
  const { browser, flow } = await startSecondFactor(email)
  return submitJson(browser, flow, body)
}
const submitButton = async (browser: Browser, button: string) =>
  submitNewFlow(browser, settings, { method: 'lookup_secret', [`lookup_secret_${button}`]: true })

export const secondFactorCases: readonly Case[] = [
  ['settings/totp-setup-nodes', 0, async () => (await signedInUser()).browser.get(settings)],
  [
    'settings/totp-enrol',
    0,
    async () => {
      const { browser } = await signedInUser()
      const flow = await startFlow(browser, 'settings')
      const code = totpAt(nodeWithId(flow, 'totp_secret_key').attributes.text.text, testIdentity().now())
      return submitJson(browser, flow, { method: 'totp', totp_code: code })
    },
  ],
  [
    'settings/totp-enrol',
    1,
    async () => {
      const { browser } = await signedInUser()
      await enrollTotp(testIdentity(), browser)
      return browser.get('/sessions/whoami')
    },
  ],
  ...(['000000', ''] as const).map((code, index): Case => [
    'settings/totp-wrong',
    index,
    async () => submitNewFlow((await signedInUser()).browser, settings, { method: 'totp', totp_code: code }),
  ]),
  [
    'settings/totp-unlink',
    0,
    async () => submitNewFlow((await userWithTotp()).browser, settings, { method: 'totp', totp_unlink: true }),
  ],
  [
    'settings/totp-code-when-enrolled',
    0,
    async () => submitNewFlow((await userWithTotp()).browser, settings, { method: 'totp', totp_code: '123456' }),
  ],
  [
    'settings/totp-secret-after-other-submit',
    2,
    async () => {
      const { browser, email } = await signedInUser()
      const traits = { email, name: { first: 'Jane', last: 'Frost' } }
      const { body } = await submitNewFlow(browser, settings, { method: 'profile', traits })
      const code = totpAt(nodeWithId(body, 'totp_secret_key').attributes.text.text, testIdentity().now())
      return submitJson(browser, body, { method: 'totp', totp_code: code })
    },
  ],
  [
    'login/totp-ok',
    0,
    async () => {
      const { email, secret } = await userWithTotp()
      return submitCode(email, { method: 'totp', totp_code: totpAt(secret, testIdentity().now()) })
    },
  ],
  [
    'login/totp-wrong',
    0,
    async () => submitCode((await userWithTotp()).email, { method: 'totp', totp_code: '111111' }),
  ],
  ['login/totp-empty', 0, async () => submitCode((await userWithTotp()).email, { method: 'totp', totp_code: '' })],
  [
    'login/lookup-not-enrolled',
    0,
    async () => submitCode((await userWithTotp()).email, { method: 'lookup_secret', lookup_secret: 'zzzzzzzz' }),
  ],
  ['settings/lookup-generate', 0, async () => submitButton((await signedInUser()).browser, 'regenerate')],
  [
    'settings/lookup-confirm',
    0,
    async () => {
      const { browser } = await signedInUser()
      const { body } = await submitButton(browser, 'regenerate')
      return submitJson(browser, body, { method: 'lookup_secret', lookup_secret_confirm: true })
    },
  ],
  [
    'settings/lookup-confirm',
    1,
    async () => {
      const { email, codes } = await userWithLookupSecrets()
      return submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
    },
  ],
  [
    'settings/lookup-reveal',
    0,
    async () => {
      const { browser, email, codes } = await userWithLookupSecrets()
      await submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
      return submitButton(browser, 'reveal')
    },
  ],
  [
    'login/lookup-ok',
    0,
    async () => {
      const { email, codes } = await userWithLookupSecrets()
      return submitCode(email, { method: 'lookup_secret', lookup_secret: codes[3] })
    },
  ],
  [
    'login/lookup-used',
    0,
    async () => {
      const { email, codes } = await userWithLookupSecrets()
      await submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
      return submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
    },
  ],
  ...(['zzzzzzzz', ''] as const).map((code, index): Case => [
    'login/lookup-unknown',
    index,
    async () => submitCode((await userWithLookupSecrets()).email, { method: 'lookup_secret', lookup_secret: code }),
  ]),
  [
    'login/lookup-unconfirmed',
    0,
    async () => {
      const { browser, email } = await signedInUser()
      await submitButton(browser, 'regenerate')
      return submitNewFlow(newBrowser(), `${selfService}/login/browser`, { ...password, identifier: email })
    },
  ],
  [
    'login/lookup-unconfirmed',
    2,
    async () => {
      const { browser, email } = await signedInUser()
      await submitButton(browser, 'regenerate')
      return submitCode(email, { method: 'lookup_secret', lookup_secret: '16f6gc4k' })
    },
  ],
  [
    'login/init-aal2-totp-and-lookup',
    0,
    async () => {
      const { browser, email } = await userWithTotp()
      await enrollLookupSecrets(browser)
      const secondBrowser = newBrowser()
      await submitNewFlow(secondBrowser, `${selfService}/login/browser`, { ...password, identifier: email })
      return secondBrowser.get(`${selfService}/login/browser?aal=aal2`)
    },
  ],
  [
    'settings/privileged-other-methods',
    0,
    async () => {
      const { browser } = await signedInUser()
      testIdentity().advance(3600_001)
      return submitButton(browser, 'regenerate')
    },
  ],
]
