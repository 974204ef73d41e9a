/** Initial states for the recorded cases: users, browsers, and flows. */
import type { Browser, Reply } from '#testing/browser.ts'
import {
  type TestIdentity,
  codeIn,
  enrollSecondFactor,
  goodPassword,
  newAddress,
  portalUrl,
  register,
  valueOf,
} from '#testing/test-identity.ts'

let current: TestIdentity | undefined
/** Sets the service under test. */
export function setIdentity(identity: TestIdentity): void {
  current = identity
}
/** The service under test. */
export function testIdentity(): TestIdentity {
  if (!current) throw new Error('setIdentity was not called')
  return current
}

export const selfService = '/self-service'
export const unknownId = '3f5bb9cb-bd15-4a4b-9d19-0d1a8f1f6a2c'
export const encodedReturnTo = encodeURIComponent(`${portalUrl}/scope`)
export const traits = (email: string) => ({ email, name: { first: 'John', last: 'Frost' } })

export const newBrowser = () => testIdentity().browser()
export const startFlow = async (browser: Browser, kind: string, query = '') =>
  (await browser.get(`${selfService}/${kind}/browser${query}`)).body
export const submitJson = (browser: Browser, flow: Reply['body'], body: Record<string, unknown>) =>
  browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })
export const submitForm = (browser: Browser, flow: Reply['body'], body: Record<string, string>) =>
  browser.submit(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })

export async function signedInUser() {
  const browser = newBrowser()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}
export async function signedOutUser() {
  const { email } = await signedInUser()
  return { browser: newBrowser(), email }
}
export async function userWithSecondFactor() {
  const { browser, email } = await signedInUser()
  await enrollSecondFactor(testIdentity(), email)
  return { browser, email }
}
export async function expiredFlow(kind: string, query = '') {
  const browser = newBrowser()
  const flow = await startFlow(browser, kind, query)
  testIdentity().advance(3600_000 + 300_000)
  return { browser, flow }
}
export async function codeSent(kind: 'verification' | 'recovery' = 'verification') {
  const { browser, email } = await signedOutUser()
  const flow = await startFlow(browser, kind)
  const sent = await submitJson(browser, flow, { method: 'code', email })
  const mails = await testIdentity().mailsTo(email, 2)
  return { browser, email, flow, sent, code: codeIn(mails.at(-1)) }
}
export async function passedFlow(kind: 'verification' | 'recovery' = 'verification') {
  const { browser, flow, code } = await codeSent(kind)
  const response = await submitJson(browser, flow, { method: 'code', code })
  return { browser, flow, code, response }
}
export async function submitWrongCodes(times: number, kind: 'verification' | 'recovery' = 'verification') {
  const { browser, flow } = await codeSent(kind)
  let response = await submitJson(browser, flow, { method: 'code', code: 'x' })
  for (let time = 1; time < times; time++) response = await submitJson(browser, flow, { method: 'code', code: 'x' })
  return { browser, response }
}
export const csrfCookieOf = ({ jar }: Browser) => [...jar].find(([name]) => name.startsWith('csrf_token'))?.[1]
export const password = { method: 'password', password: goodPassword }

export type Case = readonly [recording: string, exchange: number, run: () => Promise<Reply>]
