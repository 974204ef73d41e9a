/** Answers of the settings endpoints that were recorded, and how to come by our own. */
import { complete, enrolSecondFactor, goodPassword } from '#testing/test-identity.ts'
import {
  type Case,
  self,
  scope,
  traits,
  fresh,
  begin,
  send,
  sendForm,
  member,
  twoFactor,
  testIdentity,
} from '#testing/scenarios.ts'

export const settingsCases: readonly Case[] = [
  ['settings/init-no-session-json', 0, () => fresh().get(`${self}/settings/browser`)],
  [
    'settings/init-no-session-browser',
    0,
    () => fresh().open(`${self}/settings/browser?return_to=http%3A//localhost%3A3000/scope`),
  ],
  ['settings/init-no-session-browser', 1, () => fresh().open(`${self}/settings/browser`)],
  ['settings/init-json', 0, async () => (await member()).browser.get(`${self}/settings/browser`)],
  ['settings/init-json', 1, async () => (await member()).browser.open(`${self}/settings/browser`)],
  [
    'settings/profile-ok-json',
    0,
    async () => {
      const { browser, email } = await member()
      const body = { method: 'profile', traits: { email, name: { first: 'Jane', last: 'Frost' } } }
      return complete(browser, `${self}/settings/browser`, body)
    },
  ],
  [
    'settings/profile-ok-browser-return-to',
    0,
    async () => {
      const { browser, email } = await member()
      const flow = await begin(browser, 'settings', `?return_to=${scope}`)
      return sendForm(browser, flow, {
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
      complete((await member()).browser, `${self}/settings/browser`, {
        method: 'profile',
        traits: traits('no-email'),
      }),
  ],
  [
    'settings/profile-missing-trait',
    0,
    async () => {
      const { browser, email } = await member()
      const body = { method: 'profile', traits: { email, name: { first: 'A' } } }
      return complete(browser, `${self}/settings/browser`, body)
    },
  ],
  [
    'settings/profile-taken-email',
    0,
    async () => {
      const { email } = await member()
      const { browser } = await member()
      return complete(browser, `${self}/settings/browser`, { method: 'profile', traits: traits(email) })
    },
  ],
  [
    'settings/password-ok',
    0,
    async () =>
      complete((await member()).browser, `${self}/settings/browser`, {
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
    async () => complete((await member()).browser, `${self}/settings/browser`, { method: 'password', password: given }),
  ]),
  [
    'settings/method-unknown',
    0,
    async () => complete((await member()).browser, `${self}/settings/browser`, { method: 'unknown' }),
  ],
  [
    'settings/csrf-missing',
    0,
    async () => {
      const { browser, email } = await member()
      const { ui } = await begin(browser, 'settings')
      return browser.post(ui.action, { method: 'profile', traits: traits(email) })
    },
  ],
  [
    'settings/privileged-1s-password',
    0,
    async () => {
      const { browser } = await member()
      testIdentity().advance(3600_001)
      return complete(browser, `${self}/settings/browser`, { method: 'password', password: 'Another-Horse-8' })
    },
  ],
  [
    'settings/privileged-password-browser',
    0,
    async () => {
      const { browser } = await member()
      testIdentity().advance(3600_001)
      const flow = await begin(browser, 'settings')
      return sendForm(browser, flow, { method: 'password', password: 'Another-Horse-8' })
    },
  ],
  [
    'settings/fetch-other-identity',
    0,
    async () => {
      const flow = await begin((await member()).browser, 'settings')
      return (await member()).browser.get(`${self}/settings/flows?id=${flow.id}`)
    },
  ],
  [
    'settings/submit-other-identity',
    0,
    async () => {
      const flow = await begin((await member()).browser, 'settings')
      return send((await member()).browser, flow, { method: 'profile' })
    },
  ],
  [
    'settings/submit-other-identity',
    1,
    async () => {
      const flow = await begin((await member()).browser, 'settings')
      return sendForm((await member()).browser, flow, { method: 'profile' })
    },
  ],
  [
    'settings/fetch-expired',
    0,
    async () => {
      const { browser } = await member()
      const flow = await begin(browser, 'settings')
      testIdentity().advance(3600_000)
      return browser.get(`${self}/settings/flows?id=${flow.id}`)
    },
  ],
  ...([0, 1, 2] as const).map((index): Case => [
    'settings/fetch-after-logout',
    index,
    async () => {
      const { browser } = await member()
      const flow = await begin(browser, 'settings')
      await browser.get((await browser.get(`${self}/logout/browser`)).body.logout_url)
      if (index === 0) return browser.get(`${self}/settings/flows?id=${flow.id}`)
      return index === 1 ? send(browser, flow, { method: 'profile' }) : sendForm(browser, flow, { method: 'profile' })
    },
  ]),
  [
    'settings/fetch-session-cookie-only',
    0,
    async () => {
      const { browser } = await member()
      const flow = await begin(browser, 'settings')
      for (const name of browser.jar.keys()) if (name.startsWith('csrf_token')) browser.jar.delete(name)
      return browser.get(`${self}/settings/flows?id=${flow.id}`)
    },
  ],
  ...([0, 1] as const).flatMap((index): Case[] => {
    const url = `${self}/settings/browser${index === 0 ? '' : '?return_to=http%3A//localhost%3A3000/scope'}`
    return [
      ['settings/init-aal2-needed-json', index, async () => (await twoFactor()).browser.get(url)],
      ['settings/init-aal2-needed-browser', index, async () => (await twoFactor()).browser.open(url)],
    ]
  }),
  ...([0, 1] as const).map((index): Case => [
    'settings/submit-aal2-needed',
    index,
    async () => {
      const { browser, email } = await member()
      const flow = await begin(browser, 'settings')
      await enrolSecondFactor(testIdentity(), email)
      return index === 0 ? send(browser, flow, { method: 'profile' }) : sendForm(browser, flow, { method: 'profile' })
    },
  ]),
]
