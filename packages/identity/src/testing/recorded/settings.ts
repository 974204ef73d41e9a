/** Recorded cases: settings. */
import { submitNewFlow, enrollSecondFactor, goodPassword } from '#testing/test-identity.ts'
import {
  type Case,
  selfService,
  encodedReturnTo,
  traits,
  newBrowser,
  startFlow,
  submitJson,
  submitForm,
  signedInUser,
  userWithSecondFactor,
  testIdentity,
} from '#testing/scenarios.ts'

export const settingsCases: readonly Case[] = [
  ['settings/init-no-session-json', 0, () => newBrowser().get(`${selfService}/settings/browser`)],
  [
    'settings/init-no-session-browser',
    0,
    () => newBrowser().open(`${selfService}/settings/browser?return_to=http%3A//localhost%3A3000/scope`),
  ],
  ['settings/init-no-session-browser', 1, () => newBrowser().open(`${selfService}/settings/browser`)],
  ['settings/init-json', 0, async () => (await signedInUser()).browser.get(`${selfService}/settings/browser`)],
  ['settings/init-json', 1, async () => (await signedInUser()).browser.open(`${selfService}/settings/browser`)],
  [
    'settings/profile-ok-json',
    0,
    async () => {
      const { browser, email } = await signedInUser()
      const body = { method: 'profile', traits: { email, name: { first: 'Jane', last: 'Frost' } } }
      return submitNewFlow(browser, `${selfService}/settings/browser`, body)
    },
  ],
  [
    'settings/profile-ok-browser-return-to',
    0,
    async () => {
      const { browser, email } = await signedInUser()
      const flow = await startFlow(browser, 'settings', `?return_to=${encodedReturnTo}`)
      return submitForm(browser, flow, {
        method: 'profile',
        'traits.email': email,
        'traits.name.first': 'Jim',
        'traits.name.last': 'Frost',
      })
    },
  ],
  [
    'settings/profile-bad-email',
    0,
    async () =>
      submitNewFlow((await signedInUser()).browser, `${selfService}/settings/browser`, {
        method: 'profile',
        traits: traits('no-email'),
      }),
  ],
  [
    'settings/profile-missing-trait',
    0,
    async () => {
      const { browser, email } = await signedInUser()
      const body = { method: 'profile', traits: { email, name: { first: 'A' } } }
      return submitNewFlow(browser, `${selfService}/settings/browser`, body)
    },
  ],
  [
    'settings/profile-taken-email',
    0,
    async () => {
      const { email } = await signedInUser()
      const { browser } = await signedInUser()
      return submitNewFlow(browser, `${selfService}/settings/browser`, { method: 'profile', traits: traits(email) })
    },
  ],
  [
    'settings/password-ok',
    0,
    async () =>
      submitNewFlow((await signedInUser()).browser, `${selfService}/settings/browser`, {
        method: 'password',
        password: 'Correct-Horse-7-Battery-new',
      }),
  ],
  ...(
    [
      ['settings/password-empty', ''],
      ['settings/password-short', 'Abcd123'],
      ['settings/password-same', goodPassword],
    ] as const
  ).map(([name, given]): Case => [
    name,
    0,
    async () =>
      submitNewFlow((await signedInUser()).browser, `${selfService}/settings/browser`, {
        method: 'password',
        password: given,
      }),
  ]),
  [
    'settings/method-unknown',
    0,
    async () => submitNewFlow((await signedInUser()).browser, `${selfService}/settings/browser`, { method: 'unknown' }),
  ],
  [
    'settings/csrf-missing',
    0,
    async () => {
      const { browser, email } = await signedInUser()
      const { ui } = await startFlow(browser, 'settings')
      return browser.post(ui.action, { method: 'profile', traits: traits(email) })
    },
  ],
  [
    'settings/privileged-1s-password',
    0,
    async () => {
      const { browser } = await signedInUser()
      testIdentity().advance(3600_001)
      return submitNewFlow(browser, `${selfService}/settings/browser`, {
        method: 'password',
        password: 'Another-Horse-8',
      })
    },
  ],
  [
    'settings/privileged-password-browser',
    0,
    async () => {
      const { browser } = await signedInUser()
      testIdentity().advance(3600_001)
      const flow = await startFlow(browser, 'settings')
      return submitForm(browser, flow, { method: 'password', password: 'Another-Horse-8' })
    },
  ],
  [
    'settings/fetch-other-identity',
    0,
    async () => {
      const flow = await startFlow((await signedInUser()).browser, 'settings')
      return (await signedInUser()).browser.get(`${selfService}/settings/flows?id=${flow.id}`)
    },
  ],
  [
    'settings/submit-other-identity',
    0,
    async () => {
      const flow = await startFlow((await signedInUser()).browser, 'settings')
      return submitJson((await signedInUser()).browser, flow, { method: 'profile' })
    },
  ],
  [
    'settings/submit-other-identity',
    1,
    async () => {
      const flow = await startFlow((await signedInUser()).browser, 'settings')
      return submitForm((await signedInUser()).browser, flow, { method: 'profile' })
    },
  ],
  [
    'settings/fetch-expired',
    0,
    async () => {
      const { browser } = await signedInUser()
      const flow = await startFlow(browser, 'settings')
      testIdentity().advance(3600_000)
      return browser.get(`${selfService}/settings/flows?id=${flow.id}`)
    },
  ],
  ...([0, 1, 2] as const).map((index): Case => [
    'settings/fetch-after-logout',
    index,
    async () => {
      const { browser } = await signedInUser()
      const flow = await startFlow(browser, 'settings')
      await browser.get((await browser.get(`${selfService}/logout/browser`)).body.logout_url)
      if (index === 0) return browser.get(`${selfService}/settings/flows?id=${flow.id}`)
      return index === 1
        ? submitJson(browser, flow, { method: 'profile' })
        : submitForm(browser, flow, { method: 'profile' })
    },
  ]),
  [
    'settings/fetch-session-cookie-only',
    0,
    async () => {
      const { browser } = await signedInUser()
      const flow = await startFlow(browser, 'settings')
      for (const name of browser.jar.keys()) if (name.startsWith('csrf_token')) browser.jar.delete(name)
      return browser.get(`${selfService}/settings/flows?id=${flow.id}`)
    },
  ],
  ...([0, 1] as const).flatMap((index): Case[] => {
    const url = `${selfService}/settings/browser${index === 0 ? '' : '?return_to=http%3A//localhost%3A3000/scope'}`
    return [
      ['settings/init-aal2-needed-json', index, async () => (await userWithSecondFactor()).browser.get(url)],
      ['settings/init-aal2-needed-browser', index, async () => (await userWithSecondFactor()).browser.open(url)],
    ]
  }),
  ...([0, 1] as const).map((index): Case => [
    'settings/submit-aal2-needed',
    index,
    async () => {
      const { browser, email } = await signedInUser()
      const flow = await startFlow(browser, 'settings')
      await enrollSecondFactor(testIdentity(), email)
      return index === 0
        ? submitJson(browser, flow, { method: 'profile' })
        : submitForm(browser, flow, { method: 'profile' })
    },
  ]),
]
