/** Answers about other services that were recorded, and how to come by our own. */
import type { Browser, Reply } from '#testing/browser.ts'
import { complete, newAddress } from '#testing/test-identity.ts'
import { type OtherService, visit } from '#testing/other-service.ts'
import { type Case, begin, fresh, member, scope, self, send, sendForm } from '#testing/scenarios.ts'

const login = `${self}/login/browser`
const registration = `${self}/registration/browser`
const settings = `${self}/settings/browser`
const callback = `${self}/methods/oidc/callback/local-op`

let other: OtherService | undefined
/** Sets the service that people come from. */
export function comeFrom(service: OtherService): void {
  other = service
}

let people = 0
function appear(more: object = { given_name: 'John', family_name: 'Frost' }): string {
  people += 1
  const email = newAddress()
  if (other) other.present = { subject: `person-${people}`, claims: { email, email_verified: true, ...more } }
  return email
}
const goBy = async (browser: Browser, start: string, body: Record<string, unknown> = { provider: 'local-op' }) =>
  visit(browser, await complete(browser, start, body))
const formAt = (browser: Browser, kind: string, answer: Reply) =>
  browser.get(`${self}/${kind}/flows?id=${String(answer.headers.location).split('flow=')[1]}`)

async function refusedThere() {
  if (other) other.present = null
  const browser = fresh()
  return { browser, answer: await goBy(browser, login) }
}
async function newcomer() {
  appear({ given_name: 'Ada', family_name: 'Lovelace', email_verified: false })
  const browser = fresh()
  await goBy(browser, login)
  return browser
}
async function linked(provider = 'local-op') {
  const { browser } = await member()
  appear()
  return { browser, answer: await goBy(browser, settings, { link: provider }) }
}
async function withoutNames() {
  const email = appear({})
  const browser = fresh()
  return { browser, email, answer: await goBy(browser, registration) }
}

export const oidcCases: readonly Case[] = [
  ['login/oidc-start-json', 0, () => complete(fresh(), login, { provider: 'local-op' })],
  [
    'login/oidc-start-browser',
    0,
    async () => {
      const browser = fresh()
      return sendForm(browser, await begin(browser, 'login'), { provider: 'local-op' })
    },
  ],
  ['login/oidc-access-denied', 0, async () => (await refusedThere()).answer],
  [
    'login/oidc-access-denied',
    1,
    async () => {
      const { browser, answer } = await refusedThere()
      return formAt(browser, 'login', answer)
    },
  ],
  ['login/oidc-callback-without-state', 0, () => fresh().open(`${callback}?code=x&state=y`)],
  ['login/oidc-callback-without-state', 1, () => fresh().get(`${callback}?code=x&state=y`)],
  ['login/oidc-unknown-provider', 0, () => complete(fresh(), login, { provider: 'nonesuch' })],
  [
    'login/oidc-first-sign-in-from-login',
    1,
    () => {
      appear()
      return goBy(fresh(), login)
    },
  ],
  [
    'login/oidc-ok',
    1,
    async () => {
      await newcomer()
      return goBy(fresh(), `${login}?return_to=${scope}`)
    },
  ],
  ['login/oidc-refresh', 0, async () => (await linked()).browser.get(`${login}?refresh=true`)],
  ['registration/oidc-missing-traits', 1, async () => (await withoutNames()).answer],
  [
    'registration/oidc-missing-traits',
    2,
    async () => {
      const { browser, answer } = await withoutNames()
      return formAt(browser, 'registration', answer)
    },
  ],
  [
    'registration/oidc-missing-traits',
    4,
    async () => {
      const { browser, email, answer } = await withoutNames()
      const { body } = await formAt(browser, 'registration', answer)
      const traits = { email, name: { first: 'Bob', last: 'Ross' } }
      return visit(browser, await send(browser, body, { provider: 'local-op', traits }))
    },
  ],
  [
    'registration/oidc-complete',
    1,
    () => {
      appear()
      return goBy(fresh(), registration)
    },
  ],
  ['settings/oidc-link-start', 1, async () => (await linked('second-op')).answer],
  [
    'settings/oidc-link-start',
    2,
    async () => {
      const { browser } = await linked()
      return formAt(browser, 'settings', await goBy(browser, settings, { link: 'second-op' }))
    },
  ],
  ['settings/oidc-link-and-unlink-nodes', 0, async () => (await linked()).browser.get(settings)],
  ['settings/oidc-only-credential', 0, async () => (await newcomer()).get(settings)],
  ['settings/oidc-only-credential', 1, async () => complete(await newcomer(), settings, { unlink: 'local-op' })],
  [
    'settings/oidc-unlink',
    0,
    async () => {
      const { browser } = await linked()
      await goBy(browser, settings, { link: 'second-op' })
      return complete(browser, settings, { unlink: 'second-op' })
    },
  ],
]
