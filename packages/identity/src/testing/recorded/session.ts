/** Recorded cases: sessions, logout, and stored errors. */
import {
  type Case,
  selfService,
  unknownId,
  encodedReturnTo,
  newBrowser,
  signedInUser,
  userWithSecondFactor,
} from '#testing/scenarios.ts'

export const sessionCases: readonly Case[] = [
  ['logout/init-json', 0, async () => (await signedInUser()).browser.get(`${selfService}/logout/browser`)],
  ['logout/init-no-session', 0, () => newBrowser().get(`${selfService}/logout/browser`)],
  ['logout/init-no-session', 1, () => newBrowser().open(`${selfService}/logout/browser`)],
  [
    'logout/init-return-to',
    0,
    async () => (await signedInUser()).browser.get(`${selfService}/logout/browser?return_to=${encodedReturnTo}`),
  ],
  ['logout/no-token', 0, async () => (await signedInUser()).browser.get(`${selfService}/logout`)],
  ['logout/no-token', 1, async () => (await signedInUser()).browser.open(`${selfService}/logout`)],
  [
    'logout/ok-json',
    0,
    async () => {
      const { browser } = await signedInUser()
      return browser.get((await browser.get(`${selfService}/logout/browser`)).body.logout_url)
    },
  ],
  [
    'logout/ok-browser',
    1,
    async () => {
      const { browser } = await signedInUser()
      return browser.open(
        (await browser.get(`${selfService}/logout/browser?return_to=${encodedReturnTo}`)).body.logout_url,
      )
    },
  ],
  [
    'logout/ok-browser',
    3,
    async () => {
      const { browser } = await signedInUser()
      return browser.open((await browser.get(`${selfService}/logout/browser`)).body.logout_url)
    },
  ],
  ['logout/other-token', 0, async () => (await signedInUser()).browser.get(`${selfService}/logout?token=ory_lo_other`)],
  [
    'logout/other-token',
    2,
    async () => (await signedInUser()).browser.open(`${selfService}/logout?token=ory_lo_other`),
  ],
  [
    'logout/return-to-forbidden',
    0,
    async () => (await signedInUser()).browser.get(`${selfService}/logout/browser?return_to=https://evil.example/`),
  ],
  ['errors/envelopes', 0, () => newBrowser().get('/sessions/whoami', { headers: { 'x-request-id': 'abc-123' } })],
  ['errors/no-id', 0, () => newBrowser().get(`${selfService}/errors`)],
  ['errors/no-id', 1, () => newBrowser().get(`${selfService}/errors?id=not-a-uuid`)],
  ['errors/stored', 3, () => newBrowser().get(`${selfService}/errors?id=stub:500`)],
  ['errors/unknown', 0, () => newBrowser().get(`${selfService}/errors?id=${unknownId}`)],
  [
    'errors/unknown-path',
    1,
    () => newBrowser().ask('PUT', `${selfService}/login?flow=x`, { headers: { accept: 'application/json' } }),
  ],
  ['errors/unknown-path', 2, () => newBrowser().get(`${selfService}/login?flow=${unknownId}`)],
  ['sessions/whoami-none', 0, () => newBrowser().get('/sessions/whoami')],
  ['sessions/whoami-ok', 0, async () => (await signedInUser()).browser.get('/sessions/whoami')],
  ...([0, 1] as const).map((index): Case => [
    'sessions/whoami-aal2-required',
    index,
    async () => (await userWithSecondFactor()).browser.get(index === 0 ? '/sessions/whoami' : '/sessions'),
  ]),
  ['sessions/list-empty', 0, async () => (await signedInUser()).browser.get('/sessions')],
  ['sessions/list-none', 0, () => newBrowser().get('/sessions')],
  [
    'sessions/revoke-own',
    0,
    async () => {
      const { browser } = await signedInUser()
      return browser.delete(`/sessions/${(await browser.get('/sessions/whoami')).body.id}`)
    },
  ],
  ['sessions/revoke-of-other-user', 1, async () => (await signedInUser()).browser.delete(`/sessions/${unknownId}`)],
  ['misc/schemas', 3, () => newBrowser().get('/schemas/unknown')],
]
