/** Compliance cases of signing in with a mailed code. */
import { expect } from 'vitest'
import { type Chapter, expectForm, expectWhoami, labelOf, namesOf, notThe, start } from '#testing/compliance-play.ts'
import { complete, newAddress, nodeOf, register } from '#testing/house.ts'
import { begin, csrfCookieOf, fresh, send, stage } from '#testing/play.ts'

const login = start('login')

/** In a house where a mailed code opens an account. */
export const loginCode: Chapter = {
  '025': async () => {
    expect(namesOf(await begin(fresh(), 'login'))).toEqual([
      'provider',
      'provider',
      'csrf_token',
      'identifier',
      'webauthn_script',
      'passkey_login_trigger',
      'passkey_login',
      'passkey_challenge',
      'method',
      'password',
      'method',
    ])
    expect(nodeOf(await begin(fresh(), 'login'), 'identifier').attributes.autocomplete).toBe('username webauthn')
  },
  '064': async () => {
    const { email, sent } = await codeAsked()
    expectForm(sent, 400, [1010014])
    expect([sent.body.state, sent.body.active]).toEqual(['sent_email', 'code'])
    expect(namesOf(sent.body)).toEqual(['identifier', 'method', 'code', 'method', 'resend', 'csrf_token'])
    expect([labelOf(sent.body, 'code'), labelOf(sent.body, 'resend')]).toEqual([1070013, 1070008])
    const { type, value, autocomplete } = nodeOf(sent.body, 'identifier').attributes
    expect([type, value, autocomplete]).toEqual(['hidden', email, 'username webauthn'])
  },
  '065': async () => {
    const { browser, prove, code } = await codeAsked()
    const answer = await prove({ code: await code() })
    expect([answer.status, answer.body.session.authentication_methods[0].method]).toEqual([200, 'code'])
    const { body } = await expectWhoami(browser, 200)
    expect(body.identity.verifiable_addresses[0].verified).toBe(true)
  },
  '066': async () => {
    const { prove, code } = await codeAsked()
    const answer = await prove({ code: notThe(await code()) })
    expectForm(answer, 400, [4010008])
    expect(answer.body.state).toBe('sent_email')
  },
  '067': async () => {
    const { prove, code } = await codeAsked()
    const first = await code()
    expectForm(await prove({ resend: 'code' }), 400, [1010014])
    const second = await code(3)
    if (first !== second) expectForm(await prove({ code: first }), 400, [4010008])
    expect((await prove({ code: second })).status).toBe(200)
  },
  '068': async () => {
    const { prove, code } = await codeAsked()
    const right = await code()
    for (let time = 0; time < 5; time++) await prove({ code: notThe(right) })
    expectForm(await prove({ code: notThe(right) }), 400, [4000001])
    expectForm(await prove({ code: right }), 400, [4000001])
  },
  '069': async () => {
    const address = newAddress()
    const answer = await complete(fresh(), login, { method: 'code', identifier: address })
    // As for a known address: nobody learns who has an account.
    expectForm(answer, 400, [1010014])
    expect(await stage().mailsMeantFor(address)).toBe(0)
  },
  '070': async () => {
    const { browser, prove, code } = await codeAsked()
    const right = await code()
    await prove({ code: right })
    const { id } = (await expectWhoami(browser, 200)).body
    const again = await prove({ code: right, csrf_token: csrfCookieOf(browser) })
    expect(again.status).toBeGreaterThanOrEqual(400)
    expect((await expectWhoami(browser, 200)).body.id).toBe(id)
  },
}

async function codeAsked() {
  const email = newAddress()
  await register(fresh(), email)
  const browser = fresh()
  const flow = await begin(browser, 'login')
  const prove = (body: Record<string, unknown>) => send(browser, flow, { method: 'code', ...body })
  const sent = await prove({ identifier: email })
  const code = async (mails = 2) => {
    const found = await stage().mailsTo(email, mails)
    return /\b\d{6}\b/.exec(found.at(-1)?.text ?? '')?.[0] ?? ''
  }
  return { browser, email, prove, sent, code }
}
