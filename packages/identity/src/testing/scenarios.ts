/** Scenarios of the recorded cases: users, browsers and flows in the states that a case begins with. */
import type { Browser, Reply } from '#testing/browser.ts'
import {
  type TestIdentity,
  codeIn,
  enrolSecondFactor,
  goodPassword,
  newAddress,
  portalUrl,
  register,
  valueOf,
} from '#testing/test-identity.ts'

let current: TestIdentity | undefined
/** Sets the service that the scenarios use. */
export function setIdentity(identity: TestIdentity): void {
  current = identity
}
/** The service that the scenarios use. */
export function testIdentity(): TestIdentity {
  if (!current) throw new Error('setIdentity was not called')
  return current
}

export const self = '/self-service'
export const absent = '3f5bb9cb-bd15-4a4b-9d19-0d1a8f1f6a2c'
export const scope = encodeURIComponent(`${portalUrl}/scope`)
export const traits = (email: string) => ({ email, name: { first: 'John', last: 'Frost' } })

export const fresh = () => testIdentity().browser()
export const begin = async (browser: Browser, kind: string, query = '') =>
  (await browser.get(`${self}/${kind}/browser${query}`)).body
export const send = (browser: Browser, flow: Reply['body'], body: Record<string, unknown>) =>
  browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })
export const sendForm = (browser: Browser, flow: Reply['body'], body: Record<string, string>) =>
  browser.submit(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })

export async function member() {
  const browser = fresh()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}
export async function outsider() {
  const { email } = await member()
  return { browser: fresh(), email }
}
export async function twoFactor() {
  const { browser, email } = await member()
  await enrolSecondFactor(testIdentity(), email)
  return { browser, email }
}
export async function aged(kind: string, query = '') {
  const browser = fresh()
  const flow = await begin(browser, kind, query)
  testIdentity().advance(3600_000 + 300_000)
  return { browser, flow }
}
export async function codeSent(kind: 'verification' | 'recovery' = 'verification') {
  const { browser, email } = await outsider()
  const flow = await begin(browser, kind)
  const sent = await send(browser, flow, { method: 'code', email })
  const mails = await testIdentity().mailsTo(email, 2)
  return { browser, email, flow, sent, code: codeIn(mails.at(-1)) }
}
export async function passed(kind: 'verification' | 'recovery' = 'verification') {
  const { browser, flow, code } = await codeSent(kind)
  const answer = await send(browser, flow, { method: 'code', code })
  return { browser, flow, code, answer }
}
export async function wrongTimes(times: number, kind: 'verification' | 'recovery' = 'verification') {
  const { browser, flow } = await codeSent(kind)
  let answer = await send(browser, flow, { method: 'code', code: 'x' })
  for (let time = 1; time < times; time++) answer = await send(browser, flow, { method: 'code', code: 'x' })
  return { browser, answer }
}
export const csrfCookieOf = ({ jar }: Browser) => [...jar].find(([name]) => name.startsWith('csrf_token'))?.[1]
export const password = { method: 'password', password: goodPassword }

export type Case = readonly [recording: string, exchange: number, play: () => Promise<Reply>]
