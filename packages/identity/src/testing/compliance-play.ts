/** What the compliance cases have in common. */
import { expect } from 'vitest'
import { Authenticator } from '#testing/authenticator.ts'
import type { Browser, Reply } from '#testing/browser.ts'
import { codeIn, enrolTotp, messageIds, newAddress, nodeOf, register, totpAt, valueOf } from '#testing/house.ts'
import { begin, fresh, self, send, stage, traits } from '#testing/play.ts'

/** The cases of a chapter by their number. */
export type Chapter = Readonly<Record<string, () => Promise<unknown>>>

export const start = (kind: string) => `${self}/${kind}/browser`
export const evil = 'https://evil.example/'

/** A form that says exactly these messages. */
export function expectForm(reply: Reply, status: number, ids: readonly number[]): void {
  expect([reply.status, messageIds(reply.body)]).toEqual([status, ids])
}
/** An envelope of a status, with its id or without any. */
export function expectError(reply: Reply, status: number, id?: string): void {
  expect([reply.status, reply.body.error?.id]).toEqual([status, id])
}
export function expectSentTo(reply: Reply, location: string | RegExp, status = 303): void {
  expect(reply.status).toBe(status)
  expect(reply.headers['location']).toMatch(typeof location === 'string' ? exactly(location) : location)
}
function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)
}

/** The labels of a form's nodes of a name. */
export function labelOf(flow: Reply['body'], name: string): number | undefined {
  return nodeOf(flow, name)?.meta.label?.id
}
/** What a form asks, in its order, without what is not seen. */
export function namesOf(flow: Reply['body']): string[] {
  return flow.ui.nodes.map((node: Reply['body']) => node.attributes.name ?? node.attributes.id)
}
/** The form's button of a method. */
export function methodNode(flow: Reply['body'], value: string) {
  return flow.ui.nodes.find(
    ({ attributes: { name, type, ...more } }: Reply['body']) =>
      name === 'method' && type === 'submit' && more.value === value,
  )
}
export function expectNoSession({ jar }: Browser): void {
  expect(jar.has('ory_kratos_session')).toBe(false)
}
export async function expectWhoami(browser: Browser, status: number): Promise<Reply> {
  const answer = await browser.get('/sessions/whoami')
  expect(answer.status).toBe(status)
  return answer
}
export const refetch = async (browser: Browser, { id }: { id: string }, kind = 'login') =>
  (await browser.get(`${self}/${kind}/flows?id=${id}`)).body

/** Somebody with an authenticator app, signed in with both factors, and how to make a new code. */
export async function withTotp() {
  const browser = fresh()
  const email = newAddress()
  await register(browser, email)
  const secret = await enrolTotp(stage(), browser)
  // A code works once, so the next one comes from the next time step.
  const nextCode = () => {
    stage().advance(31_000)
    return totpAt(secret, stage().now())
  }
  return { browser, email, secret, nextCode }
}

/** The code of the newest of so many mails. */
export async function newestCode(email: string, mails: number): Promise<string> {
  return codeIn((await stage().mailsTo(email, mails)).at(-1))
}
export const notThe = (code: string) => (code === '000000' ? '111111' : '000000')

/** Somebody with a passkey and a password, signed in. */
export async function withPasskey() {
  const browser = fresh()
  const email = newAddress()
  await register(browser, email)
  const key = new Authenticator()
  const flow = await begin(browser, 'settings')
  const made = key.create(JSON.parse(valueOf(flow, 'passkey_create_data')).publicKey)
  const added = await send(browser, flow, { method: 'passkey', passkey_settings_register: made })
  return { browser, email, key, added }
}

/** Somebody whose only way in is a passkey. */
export async function withPasskeyAlone() {
  const browser = fresh()
  const email = newAddress()
  const first = await begin(browser, 'registration')
  const { body: flow } = await send(browser, first, { method: 'profile', traits: traits(email) })
  const key = new Authenticator()
  const passkey_register = key.create(JSON.parse(valueOf(flow, 'passkey_create_data')).credentialOptions.publicKey)
  const answer = await send(browser, flow, { method: 'passkey', passkey_register, traits: traits(email) })
  return { browser, email, key, answer }
}
