/** Compliance cases 116 to 154: proving an address, and getting back into an account. */
import { expect } from 'vitest'
import type { Reply } from '#testing/browser.ts'
import {
  type Chapter,
  expectError,
  expectForm,
  expectSentTo,
  expectWhoami,
  labelOf,
  methodNode,
  namesOf,
  newestCode,
  notThe,
  refetch,
  start,
  withTotp,
} from '#testing/compliance-play.ts'
import {
  complete,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  nodeWithId,
  portalUrl,
  signIn,
  valueOf,
} from '#testing/house.ts'
import {
  aged,
  begin,
  codeSent,
  fresh,
  member,
  outsider,
  passed,
  scope,
  self,
  send,
  sendForm,
  stage,
} from '#testing/play.ts'

const verification = start('verification')
const recovery = start('recovery')

async function addressOf(email: string) {
  const browser = fresh()
  const { body } = await signIn(browser, email)
  return body.session.identity.verifiable_addresses[0]
}
/** Follows where a fetch would go. */
async function follow(browser: ReturnType<typeof fresh>, answer: Reply): Promise<Reply> {
  expect(answer.status).toBe(303)
  return browser.get(String(answer.headers['location']))
}

export const verifying: Chapter = {
  '116': async () => {
    for (const browser of [fresh(), (await member()).browser]) {
      const { status, body } = await browser.get(verification)
      expect([status, body.state, body.active]).toEqual([200, 'choose_method', 'code'])
      const { type, required } = nodeOf(body, 'email').attributes
      expect([type, required, labelOf(body, 'email')]).toEqual(['email', true, 1070007])
      expect(methodNode(body, 'code').meta.label.id).toBe(1070009)
      expect(namesOf(body)).toContain('csrf_token')
    }
  },
  '118': async () => {
    const { status, body } = await complete(fresh(), verification, { method: 'code' })
    expect([status, messageIdsOn(body, 'email')]).toEqual([400, [4000002]])
  },
  '119': async () => {
    const { sent, email, code } = await codeSent()
    expectForm(sent, 200, [1080003])
    expect([sent.body.state, labelOf(sent.body, 'code')]).toEqual(['sent_email', 1070011])
    expect([valueOf(sent.body, 'email'), labelOf(sent.body, 'email')]).toEqual([email, 1070008])
    expect(code).toMatch(/^\d{6}$/)
  },
  '120': async () => {
    const { sent } = await codeSent()
    const stranger = newAddress()
    const answer = await complete(fresh(), verification, { method: 'code', email: stranger })
    expectForm(answer, 200, [1080003])
    expect([Object.keys(answer.body), namesOf(answer.body)]).toEqual([Object.keys(sent.body), namesOf(sent.body)])
    expect(await stage().mailsMeantFor(stranger)).toBe(0)
  },
  '121': async () => {
    const { browser, email, flow, code } = await codeSent()
    const answer = await send(browser, flow, { method: 'code', code })
    expectForm(answer, 200, [1080002])
    const { state, ui } = answer.body
    expect([state, ui.messages[0].type, ui.method]).toEqual(['passed_challenge', 'success', 'GET'])
    expect(nodeWithId(answer.body, 'continue').attributes.href).toBe(`${portalUrl}/overview`)
    await expectWhoami(browser, 401)
    expect(await addressOf(email)).toMatchObject({
      verified: true,
      status: 'completed',
      verified_at: expect.any(String),
    })
  },
  '122': async () => {
    const { browser, flow, code } = await codeSent()
    expectSentTo(await sendForm(browser, flow, { method: 'code', code }), `${portalUrl}/verification?flow=${flow.id}`)
  },
  '123': async () => {
    const { browser, flow, code } = await codeSent()
    const answer = await send(browser, flow, { method: 'code', code: notThe(code) })
    expectForm(answer, 200, [4070006])
    expect(answer.body.state).toBe('sent_email')
  },
  '125': async () => {
    const { browser, flow, code } = await codeSent()
    for (let time = 0; time < 5; time++) await send(browser, flow, { method: 'code', code: notThe(code) })
    const answer = await send(browser, flow, { method: 'code', code: notThe(code) })
    expectError(answer, 410, 'self_service_flow_replaced')
    expect(answer.body.use_flow_id).toEqual(expect.any(String))
  },
  '126': async () => {
    const { browser, flow, code } = await codeSent()
    expect((await browser.post(flow.ui.action, { method: 'code', code })).status).toBe(200)
  },
  '128': async () => {
    const { browser, email, flow, code } = await codeSent()
    const visitor = fresh()
    const link = `${self}/verification?code=${code}&flow=${flow.id}`
    expectSentTo(await visitor.get(link), `${portalUrl}/verification?flow=${flow.id}`)
    expect(valueOf(await refetch(visitor, flow, 'verification'), 'code')).toBe(code)
    expect((await browser.get(`${self}/verification/flows?id=${flow.id}`)).status).toBe(403)
    expect((await addressOf(email)).verified).toBe(false)
  },
  '129': async () => {
    const { browser, flow, code } = await passed()
    const answer = await send(browser, flow, { method: 'code', code })
    expectError(answer, 410, 'self_service_flow_replaced')
    expect(messageIds(await refetch(browser, { id: answer.body.use_flow_id }, 'verification'))).toEqual([4070002])
  },
  '130': async () => {
    const { browser, email, flow, code } = await codeSent()
    expect((await send(browser, flow, { method: 'code', email })).status).toBe(200)
    const newest = await newestCode(email, 3)
    if (newest !== code) expectForm(await send(browser, flow, { method: 'code', code }), 200, [4070006])
    expectForm(await send(browser, flow, { method: 'code', code: newest }), 200, [1080002])
  },
  '131': async () => {
    const { browser, flow } = await aged('verification')
    expectForm(await follow(browser, await send(browser, flow, { method: 'code', code: '123456' })), 200, [4070005])
  },
  '132': async () => {
    const { browser, email } = await outsider()
    const flow = await begin(browser, 'verification', `?return_to=${scope}`)
    await send(browser, flow, { method: 'code', email })
    const { body } = await send(browser, flow, { method: 'code', code: await newestCode(email, 2) })
    expect(nodeWithId(body, 'continue').attributes.href).toBe(`${portalUrl}/scope`)
  },
  '133': async () => {
    const [a, b] = [await codeSent(), await codeSent()]
    if (a.code === b.code) return
    expectForm(await send(b.browser, b.flow, { method: 'code', code: a.code }), 200, [4070006])
    expect([(await addressOf(a.email)).verified, (await addressOf(b.email)).verified]).toEqual([false, false])
  },
}

export const recovering: Chapter = {
  '135': async () => {
    const { status, body } = await fresh().get(recovery)
    expect([status, body.state, body.active]).toEqual([200, 'choose_method', 'code'])
    expect(namesOf(body)).toEqual(['csrf_token', 'email', 'method'])
    expect([labelOf(body, 'email'), methodNode(body, 'code').meta.label.id]).toEqual([1070007, 1070009])
  },
  '137': async () => expectError(await (await member()).browser.get(recovery), 400, 'session_already_available'),
  '138': async () => {
    const { browser } = await member()
    for (const query of ['', `?return_to=${scope}`]) {
      expectSentTo(await browser.open(`${recovery}${query}`), `${portalUrl}/overview`, 302)
    }
  },
  '139': async () => {
    const { status, body } = await complete(fresh(), recovery, { method: 'code' })
    expect([status, messageIdsOn(body, 'email')]).toEqual([400, [4000002]])
  },
  '140': async () => {
    const { sent, code } = await codeSent('recovery')
    expectForm(sent, 200, [1060003])
    const { pattern, maxlength } = nodeOf(sent.body, 'code').attributes
    expect([sent.body.state, pattern, maxlength]).toEqual(['sent_email', '[0-9]+', 6])
    expect(labelOf(sent.body, 'code')).toBe(1070010)
    expect(code).toMatch(/^\d{6}$/)
  },
  '141': async () => {
    const { sent } = await codeSent('recovery')
    const stranger = newAddress()
    const answer = await complete(fresh(), recovery, { method: 'code', email: stranger })
    expectForm(answer, 200, [1060003])
    expect([Object.keys(answer.body), namesOf(answer.body)]).toEqual([Object.keys(sent.body), namesOf(sent.body)])
    expect(await stage().mailsMeantFor(stranger)).toBe(0)
  },
  '142': async () => {
    const { browser, flow, code } = await codeSent('recovery')
    expectForm(await send(browser, flow, { method: 'code', code: notThe(code) }), 200, [4060006])
    await expectWhoami(browser, 401)
  },
  '143': async () => {
    const { browser, answer } = await passed('recovery')
    expectError(answer, 422, 'browser_location_change_required')
    expect(answer.body.redirect_browser_to).toMatch(/^http:\/\/localhost:3000\/profile\?flow=/)
    const { body } = await expectWhoami(browser, 200)
    expect(body.authentication_methods[0].method).toBe('code_recovery')
    const id = answer.body.redirect_browser_to.split('=')[1]
    const settings = await refetch(browser, { id }, 'settings')
    expect(settings.ui.messages).toMatchObject([{ id: 1060001, type: 'success' }])
  },
  '144': async () => {
    const { browser, flow, code } = await codeSent('recovery')
    expectSentTo(await sendForm(browser, flow, { method: 'code', code }), /^http:\/\/localhost:3000\/profile\?flow=/)
    await expectWhoami(browser, 200)
  },
  '145': async () => {
    const { browser, flow, code } = await passed('recovery')
    const { id } = (await expectWhoami(browser, 200)).body
    const token = { csrf_token: valueOf(await begin(browser, 'verification'), 'csrf_token') }
    const answer = await browser.post(flow.ui.action, { method: 'code', code, ...token })
    const { body } = await follow(browser, answer)
    expect(body.ui.messages).toMatchObject([
      { id: 4000001, text: 'The code was already used. Please request another code.' },
    ])
    expect((await expectWhoami(browser, 200)).body.id).toBe(id)
  },
  '146': async () => {
    const { browser, flow, code } = await codeSent('recovery')
    for (let time = 0; time < 6; time++) await send(browser, flow, { method: 'code', code: notThe(code) })
    const token = { csrf_token: valueOf(await begin(browser, 'recovery'), 'csrf_token') }
    const { body } = await follow(browser, await browser.post(flow.ui.action, { method: 'code', code, ...token }))
    expect(body.ui.messages[0].text).toMatch(/^The request was submitted too often/)
    await expectWhoami(browser, 401)
  },
  '147': async () => {
    const { browser, email, flow, code } = await codeSent('recovery')
    expect((await send(browser, flow, { method: 'code', email })).status).toBe(200)
    const newest = await newestCode(email, 3)
    if (newest !== code) expectForm(await send(browser, flow, { method: 'code', code }), 200, [4060006])
    expect((await send(browser, flow, { method: 'code', code: newest })).status).toBe(422)
  },
  '149': async () => {
    const { browser, settings } = await recovered(`?return_to=${scope}`)
    const { body } = await send(browser, settings, { method: 'password', password: `${goodPassword}!` })
    const onward = body.continue_with.find(({ action }: { action: string }) => action === 'redirect_browser_to')
    expect(onward.redirect_browser_to).toBe(`${portalUrl}/scope`)
  },
  '150': async () => {
    const { email } = await withTotp()
    const browser = fresh()
    const flow = await begin(browser, 'recovery')
    await send(browser, flow, { method: 'code', email })
    const answer = await send(browser, flow, { method: 'code', code: await newestCode(email, 2) })
    const id = answer.body.redirect_browser_to.split('=')[1]
    expectError(await browser.get(`${self}/settings/flows?id=${id}`), 403, 'session_aal2_required')
  },
  '151': async () => {
    const { browser, settings } = await recovered()
    expect((await send(browser, settings, { method: 'password', password: `${goodPassword}!` })).status).toBe(200)
  },
  '153': async () => {
    const { browser } = await recovered()
    const { body } = await expectWhoami(browser, 200)
    expect(body.identity.verifiable_addresses[0].verified).toBe(true)
  },
  '154': async () => {
    const { browser, flow } = await aged('recovery')
    expectForm(await follow(browser, await send(browser, flow, { method: 'code', code: '123456' })), 200, [4060005])
  },
}

async function recovered(query = '') {
  const { browser, email } = await outsider()
  const flow = await begin(browser, 'recovery', query)
  await send(browser, flow, { method: 'code', email })
  const { body } = await send(browser, flow, { method: 'code', code: await newestCode(email, 2) })
  const id = body.redirect_browser_to.split('=')[1]
  return { browser, settings: await refetch(browser, { id }, 'settings') }
}

/** In a house that is closed. */
export const addressesClosed: Chapter = {
  '117': async () => {
    const { status, body } = await fresh().get(verification)
    expect([status, body.error.reason]).toEqual([400, 'Verification is not allowed because it was disabled.'])
  },
  '136': async () => {
    const { status, body } = await fresh().get(recovery)
    expect([status, body.error.id, body.error.reason]).toEqual([
      400,
      undefined,
      'Recovery is not allowed because it was disabled.',
    ])
  },
}
