/** Recorded cases: starting and fetching a login flow. */
import {
  type Case,
  selfService,
  unknownId,
  encodedReturnTo,
  newBrowser,
  startFlow,
  signedInUser,
  userWithSecondFactor,
  expiredFlow,
} from '#testing/scenarios.ts'

export const loginStartCases: readonly Case[] = [
  ['login/init-json', 0, () => newBrowser().get(`${selfService}/login/browser`)],
  [
    'login/init-json',
    1,
    async () => {
      const browser = newBrowser()
      return browser.get(`${selfService}/login/flows?id=${(await startFlow(browser, 'login')).id}`)
    },
  ],
  ['login/init-browser', 0, () => newBrowser().open(`${selfService}/login/browser`)],
  ['login/init-refresh-without-session', 0, () => newBrowser().get(`${selfService}/login/browser?refresh=true`)],
  ['login/init-aal-unknown', 0, () => newBrowser().get(`${selfService}/login/browser?aal=aal7`)],
  ['login/init-aal2-without-session-json', 0, () => newBrowser().get(`${selfService}/login/browser?aal=aal2`)],
  ['login/init-aal2-without-session-browser', 0, () => newBrowser().open(`${selfService}/login/browser?aal=aal2`)],
  [
    'login/init-aal2-without-session-browser',
    1,
    async () => {
      const browser = newBrowser()
      const { headers } = await browser.open(`${selfService}/login/browser?aal=aal2`)
      return browser.get(`${selfService}/errors?id=${String(headers.location).split('=')[1]}`)
    },
  ],
  [
    'login/init-return-to-forbidden',
    0,
    () => newBrowser().get(`${selfService}/login/browser?return_to=https://evil.example/`),
  ],
  [
    'login/init-return-to',
    0,
    () => newBrowser().get(`${selfService}/login/browser?return_to=${encodedReturnTo}%3Fcreate%3Dtrue`),
  ],
  [
    'login/init-identity-schema-unknown',
    0,
    () => newBrowser().get(`${selfService}/login/browser?identity_schema=nonesuch`),
  ],
  [
    'login/init-identity-schema-unknown',
    1,
    () => newBrowser().get(`${selfService}/login/browser?identity_schema=default`),
  ],
  ['login/return-to-variants', 0, () => newBrowser().get(`${selfService}/login/browser?return_to=%2Fscope`)],
  [
    'login/return-to-variants',
    3,
    () => newBrowser().get(`${selfService}/login/browser?return_to=%2F%2Fevil.example%2F`),
  ],
  [
    'login/return-to-variants',
    4,
    () => newBrowser().get(`${selfService}/login/browser?return_to=javascript%3Aalert%281%29`),
  ],
  [
    'login/return-to-variants',
    5,
    () => newBrowser().get(`${selfService}/login/browser?return_to=http%3A%2F%2Flocalhost%3A3001%2F`),
  ],
  [
    'login/return-to-variants',
    6,
    () => newBrowser().get(`${selfService}/login/browser?return_to=http%3A%2F%2Flocalhost%3A4433%2Fx`),
  ],
  ['login/init-with-session-json', 0, async () => (await signedInUser()).browser.get(`${selfService}/login/browser`)],
  [
    'login/init-with-session-browser',
    0,
    async () => (await signedInUser()).browser.open(`${selfService}/login/browser`),
  ],
  [
    'login/init-with-session-return-to-browser',
    0,
    async () => (await signedInUser()).browser.open(`${selfService}/login/browser?return_to=${encodedReturnTo}`),
  ],
  [
    'login/init-refresh',
    0,
    async () => (await signedInUser()).browser.get(`${selfService}/login/browser?refresh=true`),
  ],
  ['login/fetch-unknown', 0, () => newBrowser().get(`${selfService}/login/flows?id=${unknownId}`)],
  ['login/fetch-unknown', 1, () => newBrowser().get(`${selfService}/login/flows?id=not-a-uuid`)],
  ['login/fetch-unknown', 2, () => newBrowser().get(`${selfService}/login/flows`)],
  [
    'login/fetch-other-browser',
    0,
    async () => {
      const flow = await startFlow(newBrowser(), 'login')
      const other = newBrowser()
      await startFlow(other, 'login')
      return other.get(`${selfService}/login/flows?id=${flow.id}`)
    },
  ],
  [
    'login/fetch-expired',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('login', `?return_to=${encodedReturnTo}`)
      return browser.get(`${selfService}/login/flows?id=${flow.id}`)
    },
  ],
  [
    'login/init-aal2',
    0,
    async () => (await userWithSecondFactor()).browser.get(`${selfService}/login/browser?aal=aal2`),
  ],
]
