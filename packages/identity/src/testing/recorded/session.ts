/** Answers of the session endpoints that were recorded, and how to come by our own. */
import { type Case, self, absent, scope, fresh, member, twoFactor } from '#testing/scenarios.ts'

export const sessionCases: readonly Case[] = [
  ['logout/init-json', 0, async () => (await member()).browser.get(`${self}/logout/browser`)],
  ['logout/init-no-session', 0, () => fresh().get(`${self}/logout/browser`)],
  ['logout/init-no-session', 1, () => fresh().open(`${self}/logout/browser`)],
  ['logout/init-return-to', 0, async () => (await member()).browser.get(`${self}/logout/browser?return_to=${scope}`)],
  ['logout/no-token', 0, async () => (await member()).browser.get(`${self}/logout`)],
  ['logout/no-token', 1, async () => (await member()).browser.open(`${self}/logout`)],
  [
    'logout/ok-json',
    0,
    async () => {
      const { browser } = await member()
      return browser.get((await browser.get(`${self}/logout/browser`)).body.logout_url)
    },
  ],
  [
    'logout/ok-browser',
    1,
    async () => {
      const { browser } = await member()
      return browser.open((await browser.get(`${self}/logout/browser?return_to=${scope}`)).body.logout_url)
    },
  ],
  [
    'logout/ok-browser',
    3,
    async () => {
      const { browser } = await member()
      return browser.open((await browser.get(`${self}/logout/browser`)).body.logout_url)
    },
  ],
  ['logout/other-token', 0, async () => (await member()).browser.get(`${self}/logout?token=ory_lo_other`)],
  ['logout/other-token', 2, async () => (await member()).browser.open(`${self}/logout?token=ory_lo_other`)],
  [
    'logout/return-to-forbidden',
    0,
    async () => (await member()).browser.get(`${self}/logout/browser?return_to=https://evil.example/`),
  ],
  ['errors/envelopes', 0, () => fresh().get('/sessions/whoami', { headers: { 'x-request-id': 'abc-123' } })],
  ['errors/no-id', 0, () => fresh().get(`${self}/errors`)],
  ['errors/no-id', 1, () => fresh().get(`${self}/errors?id=not-a-uuid`)],
  ['errors/stored', 3, () => fresh().get(`${self}/errors?id=stub:500`)],
  ['errors/unknown', 0, () => fresh().get(`${self}/errors?id=${absent}`)],
  [
    'errors/unknown-path',
    1,
    () => fresh().ask('PUT', `${self}/login?flow=x`, { headers: { accept: 'application/json' } }),
  ],
  ['errors/unknown-path', 2, () => fresh().get(`${self}/login?flow=${absent}`)],
  ['sessions/whoami-none', 0, () => fresh().get('/sessions/whoami')],
  ['sessions/whoami-ok', 0, async () => (await member()).browser.get('/sessions/whoami')],
  ...([0, 1] as const).map((index): Case => [
    'sessions/whoami-aal2-required',
    index,
    async () => (await twoFactor()).browser.get(index === 0 ? '/sessions/whoami' : '/sessions'),
  ]),
  ['sessions/list-empty', 0, async () => (await member()).browser.get('/sessions')],
  ['sessions/list-none', 0, () => fresh().get('/sessions')],
  [
    'sessions/revoke-own',
    0,
    async () => {
      const { browser } = await member()
      return browser.delete(`/sessions/${(await browser.get('/sessions/whoami')).body.id}`)
    },
  ],
  ['sessions/revoke-of-other-user', 1, async () => (await member()).browser.delete(`/sessions/${absent}`)],
  ['misc/schemas', 3, () => fresh().get('/schemas/unknown')],
]
