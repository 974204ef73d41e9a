/** Answers about authenticator apps and back-up codes that were recorded, and how to come by our own. */
import type { Browser } from '#testing/browser.ts'
import { complete, enrolLookupSecrets, enrolTotp, nodeWithId, totpAt } from '#testing/test-identity.ts'
import { type Case, begin, fresh, member, password, self, send, testIdentity } from '#testing/scenarios.ts'

const settings = `${self}/settings/browser`
const stepMs = 30_000

async function holder() {
  const { browser, email } = await member()
  const secret = await enrolTotp(testIdentity(), browser)
  // A code works once: the next one that is asked for must be of a later step.
  testIdentity().advance(stepMs)
  return { browser, email, secret }
}
async function coded() {
  const { browser, email } = await member()
  const codes = await enrolLookupSecrets(browser)
  return { browser, email, codes }
}

/** Signs in by the first factor on another device and starts the second. */
async function halfway(email: string) {
  const browser = fresh()
  await complete(browser, `${self}/login/browser`, { ...password, identifier: email })
  return { browser, flow: await begin(browser, 'login', '?aal=aal2') }
}
async function submitCode(email: string, body: Record<string, unknown>) {
  const { browser, flow } = await halfway(email)
  return send(browser, flow, body)
}
const press = async (browser: Browser, button: string) =>
  complete(browser, settings, { method: 'lookup_secret', [`lookup_secret_${button}`]: true })

export const secondFactorCases: readonly Case[] = [
  ['settings/totp-setup-nodes', 0, async () => (await member()).browser.get(settings)],
  [
    'settings/totp-enrol',
    0,
    async () => {
      const { browser } = await member()
      const flow = await begin(browser, 'settings')
      const code = totpAt(nodeWithId(flow, 'totp_secret_key').attributes.text.text, testIdentity().now())
      return send(browser, flow, { method: 'totp', totp_code: code })
    },
  ],
  [
    'settings/totp-enrol',
    1,
    async () => {
      const { browser } = await member()
      await enrolTotp(testIdentity(), browser)
      return browser.get('/sessions/whoami')
    },
  ],
  ...(['000000', ''] as const).map((code, index): Case => [
    'settings/totp-wrong',
    index,
    async () => complete((await member()).browser, settings, { method: 'totp', totp_code: code }),
  ]),
  [
    'settings/totp-unlink',
    0,
    async () => complete((await holder()).browser, settings, { method: 'totp', totp_unlink: true }),
  ],
  [
    'settings/totp-code-when-enrolled',
    0,
    async () => complete((await holder()).browser, settings, { method: 'totp', totp_code: '123456' }),
  ],
  [
    'settings/totp-secret-after-other-submit',
    2,
    async () => {
      const { browser, email } = await member()
      const traits = { email, name: { first: 'Jane', last: 'Frost' } }
      const { body } = await complete(browser, settings, { method: 'profile', traits })
      const code = totpAt(nodeWithId(body, 'totp_secret_key').attributes.text.text, testIdentity().now())
      return send(browser, body, { method: 'totp', totp_code: code })
    },
  ],
  [
    'login/totp-ok',
    0,
    async () => {
      const { email, secret } = await holder()
      return submitCode(email, { method: 'totp', totp_code: totpAt(secret, testIdentity().now()) })
    },
  ],
  ['login/totp-wrong', 0, async () => submitCode((await holder()).email, { method: 'totp', totp_code: '111111' })],
  ['login/totp-empty', 0, async () => submitCode((await holder()).email, { method: 'totp', totp_code: '' })],
  [
    'login/lookup-not-enrolled',
    0,
    async () => submitCode((await holder()).email, { method: 'lookup_secret', lookup_secret: 'zzzzzzzz' }),
  ],
  ['settings/lookup-generate', 0, async () => press((await member()).browser, 'regenerate')],
  [
    'settings/lookup-confirm',
    0,
    async () => {
      const { browser } = await member()
      const { body } = await press(browser, 'regenerate')
      return send(browser, body, { method: 'lookup_secret', lookup_secret_confirm: true })
    },
  ],
  [
    'settings/lookup-confirm',
    1,
    async () => {
      const { email, codes } = await coded()
      return submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
    },
  ],
  [
    'settings/lookup-reveal',
    0,
    async () => {
      const { browser, email, codes } = await coded()
      await submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
      return press(browser, 'reveal')
    },
  ],
  [
    'login/lookup-ok',
    0,
    async () => {
      const { email, codes } = await coded()
      return submitCode(email, { method: 'lookup_secret', lookup_secret: codes[3] })
    },
  ],
  [
    'login/lookup-used',
    0,
    async () => {
      const { email, codes } = await coded()
      await submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
      return submitCode(email, { method: 'lookup_secret', lookup_secret: codes[0] })
    },
  ],
  ...(['zzzzzzzz', ''] as const).map((code, index): Case => [
    'login/lookup-unknown',
    index,
    async () => submitCode((await coded()).email, { method: 'lookup_secret', lookup_secret: code }),
  ]),
  [
    'login/lookup-unconfirmed',
    0,
    async () => {
      const { browser, email } = await member()
      await press(browser, 'regenerate')
      return complete(fresh(), `${self}/login/browser`, { ...password, identifier: email })
    },
  ],
  [
    'login/lookup-unconfirmed',
    2,
    async () => {
      const { browser, email } = await member()
      await press(browser, 'regenerate')
      return submitCode(email, { method: 'lookup_secret', lookup_secret: '16f6gc4k' })
    },
  ],
  [
    'login/init-aal2-totp-and-lookup',
    0,
    async () => {
      const { browser, email } = await holder()
      await enrolLookupSecrets(browser)
      const half = fresh()
      await complete(half, `${self}/login/browser`, { ...password, identifier: email })
      return half.get(`${self}/login/browser?aal=aal2`)
    },
  ],
  [
    'settings/privileged-other-methods',
    0,
    async () => {
      const { browser } = await member()
      testIdentity().advance(3600_001)
      return press(browser, 'regenerate')
    },
  ],
]
