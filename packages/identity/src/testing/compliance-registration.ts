/** Compliance cases 084 to 115: signing up. */
import { expect } from 'vitest'
import {
  type Chapter,
  expectError,
  expectForm,
  expectNoSession,
  expectSentTo,
  expectWhoami,
  labelOf,
  methodNode,
  namesOf,
  newestCode,
  notThe,
  refetch,
  start,
  withPasskeyAlone,
} from '#testing/compliance-play.ts'
import {
  codeIn,
  complete,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  nodeWithId,
  portalUrl,
  register,
  valueOf,
} from '#testing/house.ts'
import { aged, begin, fresh, member, password, scope, self, send, sendForm, stage, traits } from '#testing/play.ts'

const registration = start('registration')
/** A password of which the house knows that it was breached. */
export const breachedPassword = 'this-one-was-breached-4711'

async function secondStep() {
  const browser = fresh()
  const email = newAddress()
  const answer = await complete(browser, registration, { method: 'profile', traits: traits(email) })
  const choose = (body: Record<string, unknown>) => send(browser, answer.body, { traits: traits(email), ...body })
  return { browser, email, answer, choose }
}

export const registrationTwoSteps: Chapter = {
  '084': async () => {
    const { status, body } = await fresh().get(registration)
    expect([status, body.type, body.state, 'created_at' in body]).toEqual([200, 'browser', 'choose_method', false])
    expect(namesOf(body).filter((name) => name !== 'provider')).toEqual([
      'csrf_token',
      'traits.email',
      'traits.name.first',
      'traits.name.last',
      'method',
    ])
    const { group, meta } = methodNode(body, 'profile')
    expect([group, meta.label.id]).toEqual(['profile', 1040001])
  },
  '085': async () => expectSentTo(await fresh().open(registration), /^http:\/\/localhost:3000\/registration\?flow=/),
  '086': async () => expectError(await (await member()).browser.get(registration), 400, 'session_already_available'),
  '087': async () => {
    const { browser } = await member()
    expectSentTo(await browser.open(registration), `${portalUrl}/overview`)
    expectSentTo(await browser.open(`${registration}?return_to=${scope}`), `${portalUrl}/scope`)
  },
  '089': async () => {
    const { answer, email } = await secondStep()
    expectForm(answer, 400, [1040009])
    const { type, value } = nodeOf(answer.body, 'traits.email').attributes
    expect([type, value]).toEqual(['hidden', email])
    expect(namesOf(answer.body)).toEqual(expect.arrayContaining(['password', 'passkey_register', 'provider']))
    expect([valueOf(answer.body, 'screen'), labelOf(answer.body, 'screen')]).toEqual(['previous', 1040008])
  },
  '090': async () => {
    const email = newAddress()
    const { status, body } = await complete(fresh(), registration, {
      method: 'profile',
      traits: { email, name: { first: 'John' } },
    })
    expect([status, messageIdsOn(body, 'traits.name.last')]).toEqual([400, [4000002]])
    expect([valueOf(body, 'traits.email'), valueOf(body, 'traits.name.first')]).toEqual([email, 'John'])
  },
  '091': async () => {
    const answer = await complete(fresh(), registration, { method: 'profile', traits: traits('no-email') })
    expect([answer.status, messageIdsOn(answer.body, 'traits.email')]).toEqual([400, [4000040]])
    const empty = await complete(fresh(), registration, { method: 'profile', traits: traits('') })
    expect(messageIdsOn(empty.body, 'traits.email')).toContain(4000001)
  },
  '092': async () => {
    const { email, choose } = await secondStep()
    const answer = await choose({ method: 'profile', screen: 'previous' })
    expectForm(answer, 400, [])
    const { type, value } = nodeOf(answer.body, 'traits.email').attributes
    expect([type, value]).toEqual(['email', email])
  },
  '093': async () => {
    const { email, choose } = await secondStep()
    const { status, body, text } = await choose(password)
    expect([status, body.identity.traits, body.identity.schema_id]).toEqual([200, traits(email), 'default'])
    expect(body.continue_with.map(({ action }: { action: string }) => action)).toContain('redirect_browser_to')
    expect(text).not.toContain('credentials')
  },
  '094': async () => {
    const { browser, choose } = await secondStep()
    const { body } = await choose(password)
    expect(body.session.authentication_methods[0].method).toBe('password')
    await expectWhoami(browser, 200)
  },
  '095': async () => {
    const { email, choose } = await secondStep()
    const { status, body } = await choose({ ...password, password: 'short-7' })
    expect(status).toBe(400)
    const context = { min_length: 8, actual_length: 7 }
    expect(nodeOf(body, 'password').messages).toMatchObject([{ id: 4000032, context }])
    const { type, value } = nodeOf(body, 'traits.email').attributes
    expect([type, value]).toEqual(['hidden', email])
  },
  '096': async () => {
    const { email, choose } = await secondStep()
    const { body } = await choose({ ...password, password: email })
    expect(messageIdsOn(body, 'password')).toEqual([4000031])
  },
  '097': async () => {
    const { choose } = await secondStep()
    const { status, body } = await choose({ ...password, password: breachedPassword })
    expect([status, messageIdsOn(body, 'password')]).toEqual([400, [4000034]])
  },
  '099': async () => {
    const { email } = await member()
    const browser = fresh()
    expectForm(await register(browser, email.toUpperCase()), 400, [4000007])
    expectNoSession(browser)
  },
  '100': async () => {
    const { email, choose } = await secondStep()
    const { body } = await choose(password)
    expect(body.identity.verifiable_addresses).toMatchObject([
      { value: email, verified: false, via: 'email', status: 'sent' },
    ])
    expect(codeIn((await stage().mailsTo(email))[0])).toMatch(/^\d{6}$/)
  },
  '101': async () => {
    const { email, choose } = await secondStep()
    const { body } = await choose(password)
    const shown = body.continue_with.find(({ action }: { action: string }) => action === 'show_verification_ui')
    expect(shown.flow).toMatchObject({ id: expect.any(String), verifiable_address: email, url: expect.any(String) })
    const browser = fresh()
    const other = newAddress()
    const fields = { 'traits.email': other, 'traits.name.first': 'John', 'traits.name.last': 'Frost' }
    const answer = await sendForm(browser, await begin(browser, 'registration'), { ...password, ...fields })
    expectSentTo(answer, /^http:\/\/localhost:3000\/verification\?flow=/)
  },
  '102': async () => {
    const browser = fresh()
    const email = newAddress()
    const query = `?after_verification_return_to=${scope}`
    const { body } = await register(browser, email, goodPassword, query)
    const { id } = body.continue_with.find(({ action }: { action: string }) => action === 'show_verification_ui').flow
    const flow = await refetch(browser, { id }, 'verification')
    const passed = await send(browser, flow, { method: 'code', code: await newestCode(email, 1) })
    expect(nodeWithId(passed.body, 'continue').attributes.href).toBe(`${portalUrl}/scope`)
  },
  '103': async () => {
    const browser = fresh()
    const flow = await begin(browser, 'registration')
    const right = { 'traits.email': newAddress(), 'traits.name.first': 'John', 'traits.name.last': 'Frost' }
    const wrong = await sendForm(browser, flow, { method: 'profile', ...right, 'traits.email': 'no-email' })
    expectSentTo(wrong, `${portalUrl}/registration?flow=${flow.id}`, 302)
    expectSentTo(await sendForm(browser, flow, { method: 'profile', ...right }), /flow=/)
  },
  '105': async () => {
    const { browser, flow } = await aged('registration')
    const { status, body } = await send(browser, flow, { method: 'profile', traits: traits(newAddress()) })
    expect(status).toBe(410)
    expect(messageIds(await refetch(browser, { id: body.use_flow_id }, 'registration'))).toEqual([4040001])
  },
  '106': async () => {
    const flow = await begin(fresh(), 'registration')
    const other = fresh()
    await begin(other, 'registration')
    expectError(await other.get(`${self}/registration/flows?id=${flow.id}`), 403, 'security_csrf_violation')
  },
  '112': async () => {
    const { body } = (await secondStep()).answer
    const data = JSON.parse(valueOf(body, 'passkey_create_data'))
    expect([typeof data.credentialOptions.publicKey.challenge, data.displayNameFieldName]).toEqual([
      'string',
      'traits.email',
    ])
    const { onclickTrigger } = nodeOf(body, 'passkey_register_trigger').attributes
    expect([onclickTrigger, labelOf(body, 'passkey_register_trigger')]).toEqual(['oryPasskeyRegistration', 1040007])
    expect(nodeOf(body, 'passkey_register').attributes.type).toBe('hidden')
    expect(nodeWithId(body, 'webauthn_script')).toBeDefined()
  },
  '113': async () => {
    const { answer, key } = await withPasskeyAlone()
    expect(answer.status).toBe(200)
    const browser = fresh()
    const flow = await begin(browser, 'login')
    const passkey_login = key.get(JSON.parse(valueOf(flow, 'passkey_challenge')).publicKey)
    expect((await send(browser, flow, { method: 'passkey', passkey_login })).status).toBe(200)
  },
  '114': async () => {
    const { choose } = await secondStep()
    const answer = await choose({ method: 'passkey', passkey_register: '{}' })
    expectForm(answer, 400, [4000001])
    expect(answer.body.ui.messages[0].text).toMatch(/^Unable to parse WebAuthn response/)
  },
  '115': async () => {
    const email = newAddress()
    const body = { ...password, traits: traits(email), password: 'short', transient_payload: { a: 1 } }
    const answer = await complete(fresh(), registration, body)
    expect([answer.status, messageIds(answer.body)]).toEqual([400, []])
    const made = await complete(fresh(), registration, { ...body, password: goodPassword })
    expect(made.body.identity.traits).toEqual(traits(email))
  },
}

/** In a house that is closed. */
export const registrationClosed: Chapter = {
  '088': async () => expectError(await fresh().get(registration), 400, 'self_service_flow_disabled'),
}

/** In a house where people sign up in one step. */
export const registrationOneStep: Chapter = {
  '107': async () => {
    const flow = await begin(fresh(), 'registration')
    expect(namesOf(flow)).toEqual(expect.arrayContaining(['traits.email', 'password']))
    expect([methodNode(flow, 'password').meta.label.id, methodNode(flow, 'profile')]).toEqual([1040001, undefined])
  },
}

/** In a house where a mailed code makes an account. */
export const registrationCode: Chapter = {
  '108': async () => {
    const { email, choose } = await secondStep()
    const answer = await choose({ method: 'code' })
    expectForm(answer, 400, [1040005])
    expect([answer.body.state, labelOf(answer.body, 'code')]).toEqual(['sent_email', 1070012])
    expect(namesOf(answer.body)).toEqual(expect.arrayContaining(['resend', 'screen']))
    expect(valueOf(answer.body, 'screen')).toBe('credential-selection')
    expect(await newestCode(email, 1)).toMatch(/^\d{6}$/)
  },
  '109': async () => {
    const { browser, email, choose } = await secondStep()
    await choose({ method: 'code' })
    const answer = await choose({ method: 'code', code: await newestCode(email, 1) })
    expect([answer.status, answer.body.identity.verifiable_addresses[0].verified]).toEqual([200, true])
    await expectWhoami(browser, 200)
  },
  '111': async () => {
    const { browser, email, choose } = await secondStep()
    await choose({ method: 'code' })
    expectForm(await choose({ method: 'code', code: notThe(await newestCode(email, 1)) }), 400, [4040003])
    expectNoSession(browser)
  },
}
