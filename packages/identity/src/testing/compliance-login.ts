/** Compliance cases 001 to 082: signing in. */
import { expect } from 'vitest'
import {
  type Chapter,
  evil,
  expectError,
  expectForm,
  expectNoSession,
  expectSentTo,
  expectWhoami,
  labelOf,
  methodNode,
  namesOf,
  notThe,
  refetch,
  start,
  withPasskey,
  withTotp,
} from '#testing/compliance-play.ts'
import {
  complete,
  enrolLookupSecrets,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  nodeWithId,
  portalUrl,
  register,
  signIn,
  valueOf,
} from '#testing/house.ts'
import {
  absent,
  aged,
  begin,
  csrfCookieOf,
  fresh,
  member,
  outsider,
  password,
  scope,
  self,
  send,
  sendForm,
  stage,
} from '#testing/play.ts'

const login = start('login')
const home = `${portalUrl}/overview`
const page = `${portalUrl}/login`

/** A sign-in form that says what is wrong, for a body that cannot be read. */
async function sendRaw(text: string) {
  const browser = fresh()
  const flow = await begin(browser, 'login')
  return browser.post(flow.ui.action, text)
}

export const loginStart: Chapter = {
  '001': async () => {
    const browser = fresh()
    const { status, body, headers } = await browser.get(login)
    const { type, refresh, requested_aal, state, organization_id, ui } = body
    expect([status, type, refresh, requested_aal, state, organization_id]).toEqual([
      200,
      'browser',
      false,
      'aal1',
      'choose_method',
      null,
    ])
    expect(Date.parse(body.expires_at) - Date.parse(body.issued_at)).toBe(3600_000)
    expect([ui.method, ui.action.endsWith(`/self-service/login?flow=${body.id}`)]).toEqual(['POST', true])
    const token = nodeOf(body, 'csrf_token')
    expect([token.group, token.attributes.type, token.attributes.required]).toEqual(['default', 'hidden', true])
    expect(token.attributes.value).not.toBe('')
    expect([nodeOf(body, 'identifier'), nodeOf(body, 'password')]).not.toContain(undefined)
    expect(methodNode(body, 'password').meta.label.id).toBe(1010022)
    const cookie = [headers['set-cookie']].flat().find((line) => String(line).startsWith('csrf_token_'))
    for (const attribute of ['HttpOnly', 'Path=/', 'SameSite=Lax']) expect(cookie).toContain(attribute)
  },
  '002': async () => {
    const browser = fresh()
    const answer = await browser.open(login)
    expectSentTo(answer, /^http:\/\/localhost:3000\/login\?flow=[0-9a-f-]{36}$/)
    const id = String(answer.headers['location']).split('=')[1]
    expect((await browser.get(`${self}/login/flows?id=${id}`)).status).toBe(200)
  },
  '003': async () => expect((await fresh().get(login, { headers: { accept: '*/*' } })).status).toBe(303),
  '004': async () => expect((await begin(fresh(), 'login', '?refresh=true')).refresh).toBe(false),
  '006': async () => expectError(await fresh().get(`${login}?aal=aal2`), 401, 'session_aal1_required'),
  '007': async () => {
    const browser = fresh()
    const answer = await browser.open(`${login}?aal=aal2`)
    expectSentTo(answer, /^http:\/\/localhost:3000\/error\?id=/)
    const id = String(answer.headers['location']).split('=')[1]
    const stored = await browser.get(`${self}/errors?id=${id}`)
    expect([stored.status, stored.body.error.id]).toEqual([200, 'session_aal1_required'])
  },
  '008': async () => {
    const { status, body } = await fresh().get(`${login}?aal=aal7`)
    expect(status).toBe(400)
    expect(body.error.reason).toMatch(/^Unable to parse AuthenticationMethod Assurance Level \(AAL\)/)
  },
  '009': async () => expectError(await (await member()).browser.get(login), 400, 'session_already_available'),
  '010': async () => expectSentTo(await (await member()).browser.open(login), home),
  '011': async () =>
    expectSentTo(await (await member()).browser.open(`${login}?return_to=${scope}`), `${portalUrl}/scope`),
  '012': async () => {
    const { browser, email } = await member()
    const answer = await browser.get(`${login}?refresh=true`)
    expectForm(answer, 200, [1010003])
    const { type, value } = nodeOf(answer.body, 'identifier').attributes
    expect([answer.body.refresh, type, value]).toEqual([true, 'hidden', email])
    expect(methodNode(answer.body, 'password').meta.label.id).toBe(1010001)
  },
  '013': async () => {
    const { email } = await withTotp()
    const browser = fresh()
    await signIn(browser, email)
    const answer = await browser.get(`${login}?aal=aal2`)
    expectForm(answer, 200, [1010004])
    expect([answer.body.requested_aal, labelOf(answer.body, 'totp_code')]).toEqual(['aal2', 1010006])
    expect(methodNode(answer.body, 'totp').meta.label.id).toBe(1010009)
    expect(namesOf(answer.body)).toEqual(['csrf_token', 'totp_code', 'method'])
  },
  '014': async () =>
    expectError(await (await withTotp()).browser.get(`${login}?aal=aal2`), 400, 'session_already_available'),
  '016': async () => {
    const answer = await fresh().get(`${login}?return_to=${evil}`)
    expectError(answer, 400, 'self_service_flow_return_to_forbidden')
    expect(answer.body.error.reason).toContain(evil)
  },
  '017': async () => {
    const { status, body } = await fresh().get(`${login}?return_to=${scope}`)
    expect([status, body.return_to]).toEqual([200, `${portalUrl}/scope`])
    expect(body.request_url).toContain(scope)
  },
  '018': async () => {
    const flow = await begin(fresh(), 'login')
    const other = fresh()
    await begin(other, 'login')
    const answer = await other.get(`${self}/login/flows?id=${flow.id}`)
    expectError(answer, 403, 'security_csrf_violation')
    expect(Object.keys(answer.body.error.details)).toEqual(['docs', 'hint'])
    expect(answer.body.error.details.hint).toMatch(
      /^The anti-CSRF cookie was found but the CSRF token was not included/,
    )
  },
  '020': async () => expectError(await fresh().get(`${self}/login/flows?id=${absent}`), 404),
  '021': async () => {
    const { browser, flow } = await aged('login', `?return_to=${scope}`)
    const answer = await browser.get(`${self}/login/flows?id=${flow.id}`)
    expectError(answer, 410, 'self_service_flow_expired')
    const { redirect_to, return_to } = answer.body.error.details
    expect(redirect_to.endsWith(`/self-service/login/browser?return_to=${scope}`)).toBe(true)
    expect(return_to).toBe(`${portalUrl}/scope`)
  },
  '023': async () => {
    const { meta } = nodeOf(await begin(fresh(), 'login'), 'identifier')
    expect(meta.label).toMatchObject({ id: 1070002, context: { name: 'traits.email', title: 'E-Mail' } })
  },
}

/** In a house that is closed and has no passwords. */
export const loginWithoutPassword: Chapter = {
  '022': async () => {
    const answer = await fresh().get(login)
    expect([answer.status, namesOf(answer.body)]).toEqual([200, ['csrf_token']])
  },
}

export const loginPassword: Chapter = {
  '026': async () => {
    const { browser, email } = await outsider()
    const { status, body, headers } = await signIn(browser, email)
    const { active, authenticator_assurance_level: level, authentication_methods: methods } = body.session
    expect([status, active, level]).toEqual([200, true, 'aal1'])
    expect(methods).toMatchObject([{ method: 'password', aal: 'aal1' }])
    expect(body.continue_with[0].action).toBe('redirect_browser_to')
    const cookie = [headers['set-cookie']].flat().find((line) => String(line).startsWith('ory_kratos_session='))
    for (const attribute of ['HttpOnly', 'Path=/', 'SameSite=Lax']) expect(cookie).toContain(attribute)
    await expectWhoami(browser, 200)
  },
  '027': async () => {
    const { browser, email } = await outsider()
    const flow = await begin(browser, 'login', `?return_to=${scope}`)
    expectSentTo(await sendForm(browser, flow, { ...password, identifier: email }), `${portalUrl}/scope`)
    await expectWhoami(browser, 200)
  },
  '028': async () => {
    const { browser, email } = await outsider()
    expect((await signIn(browser, `  ${email.toUpperCase()} `)).status).toBe(200)
  },
  '029': async () => {
    const { browser, email } = await outsider()
    const answer = await signIn(browser, email, 'wrong password')
    expectForm(answer, 400, [4000006])
    expect(valueOf(answer.body, 'identifier')).toBe(email)
    expect(nodeOf(answer.body, 'password').attributes).not.toHaveProperty('value')
    expectNoSession(browser)
  },
  '030': async () => {
    const { browser, email } = await outsider()
    const known = await signIn(browser, email, 'wrong password')
    const unknown = await signIn(fresh(), newAddress(), 'wrong password')
    expectForm(unknown, 400, [4000006])
    expect([Object.keys(unknown.body), namesOf(unknown.body)]).toEqual([Object.keys(known.body), namesOf(known.body)])
  },
  '031': async () => {
    const { browser, email } = await outsider()
    const flow = await begin(browser, 'login')
    const answer = await sendForm(browser, flow, { ...password, identifier: email, password: 'wrong' })
    expectSentTo(answer, `${page}?flow=${flow.id}`)
    expect(messageIds(await refetch(browser, flow))).toEqual([4000006])
  },
  '032': async () => {
    const { status, body } = await signIn(fresh(), '', '')
    expect(status).toBe(400)
    for (const field of ['identifier', 'password']) {
      expect(nodeOf(body, field).messages).toMatchObject([{ id: 4000002, context: { property: field } }])
    }
  },
  '034': async () => {
    const browser = fresh()
    const { ui } = await begin(browser, 'login')
    const answer = await browser.post(ui.action, { ...password, identifier: 'a@b.test' })
    expectError(answer, 403, 'security_csrf_violation')
  },
  '035': async () => {
    const browser = fresh()
    const { ui } = await begin(browser, 'login')
    const csrf_token = valueOf(await begin(fresh(), 'login'), 'csrf_token')
    const answer = await browser.post(ui.action, { ...password, identifier: 'a@b.test', csrf_token })
    expectError(answer, 403, 'security_csrf_violation')
    expect(answer.body.error.details.reject_reason).toMatch(/do not match/)
  },
  '036': async () => {
    const browser = fresh()
    const { ui } = await begin(browser, 'login')
    const answer = await browser.submit(ui.action, { ...password, identifier: 'a@b.test', csrf_token: 'bad' })
    expectSentTo(answer, /^http:\/\/localhost:3000\/error\?id=/)
    const stored = await browser.get(`${self}/errors?${String(answer.headers['location']).split('?')[1]}`)
    expect(stored.body.error.id).toBe('security_csrf_violation')
  },
  '037': async () => {
    const { browser, email } = await outsider()
    const earlier = valueOf(await begin(browser, 'login'), 'csrf_token')
    const flow = await begin(browser, 'login')
    const body = { ...password, identifier: email, password: 'wrong' }
    expect((await browser.post(flow.ui.action, { ...body, csrf_token: earlier })).status).toBe(400)
    expect((await browser.post(flow.ui.action, { ...body, csrf_token: csrfCookieOf(browser) })).status).toBe(400)
    const [once, twice] = [await refetch(browser, flow), await refetch(browser, flow)]
    expect(valueOf(once, 'csrf_token')).toBe(valueOf(twice, 'csrf_token'))
    const inHeader = await browser.post(flow.ui.action, body, { 'x-csrf-token': earlier })
    expect(inHeader.status).toBe(403)
  },
  '038': async () => expectForm(await complete(fresh(), login, { method: 'doesnotexist' }), 400, [4010002]),
  '039': async () => {
    for (const text of ['', '[]', '{"method":']) expect((await sendRaw(text)).status).toBe(400)
  },
  '040': async () => {
    const { status, body } = await fresh().post(`${self}/login`, password)
    expect([status, body.error.reason]).toEqual([400, 'The flow query parameter is missing or malformed.'])
  },
  '041': async () => expectError(await fresh().post(`${self}/login?flow=${absent}`, password), 404),
  '042': async () => {
    const { browser, flow } = await aged('login')
    const answer = await send(browser, flow, { ...password, identifier: 'a@b.test' })
    expectError(answer, 410, 'self_service_flow_expired')
    expect(answer.body).toMatchObject({ expired_at: expect.any(String), since: expect.any(Number) })
    expectForm(await browser.get(`${self}/login/flows?id=${answer.body.use_flow_id}`), 200, [4010001])
  },
  '043': async () => {
    const { browser, flow } = await aged('login')
    const answer = await sendForm(browser, flow, { ...password, identifier: 'a@b.test' })
    expectSentTo(answer, /^http:\/\/localhost:3000\/login\?flow=/)
    const id = String(answer.headers['location']).split('=')[1] ?? ''
    expect(id).not.toBe(flow.id)
    expect(messageIds(await refetch(browser, { id }))).toEqual([4010001])
  },
  '044': async () => {
    const { browser, email } = await outsider()
    const [flow, late] = [await begin(browser, 'login'), await begin(browser, 'login')]
    await send(browser, flow, { ...password, identifier: email })
    expectForm(await send(browser, late, { ...password, identifier: email }), 400, [4000001])
  },
  '045': async () => {
    const { browser, email } = await outsider()
    const [flow, late] = [await begin(browser, 'login'), await begin(browser, 'login')]
    await send(browser, flow, { ...password, identifier: email })
    const { id } = (await expectWhoami(browser, 200)).body
    expectSentTo(await sendForm(browser, late, { ...password, identifier: email }), home)
    expect((await expectWhoami(browser, 200)).body.id).toBe(id)
  },
  '046': async () => {
    const { browser, email } = await member()
    const { body: before } = await expectWhoami(browser, 200)
    stage().advance(1000)
    const answer = await signIn(browser, email, goodPassword, '?refresh=true')
    const { body: after } = await expectWhoami(browser, 200)
    expect([answer.status, answer.body.session.id, after.issued_at]).toEqual([200, before.id, before.issued_at])
    for (const time of ['authenticated_at', 'expires_at']) {
      expect(Date.parse(after[time])).toBeGreaterThan(Date.parse(before[time]))
    }
    expect(after.authentication_methods.map(({ method }: { method: string }) => method)).toEqual([
      'password',
      'password',
    ])
  },
  '048': async () => {
    const { browser, email } = await outsider()
    const { db } = stage().database
    const owner = db.selectFrom('identity.verifiable_address').select('identity_id').where('value', '=', email)
    await db.updateTable('identity.identity').set({ state: 'inactive' }).where('id', 'in', owner).execute()
    expectForm(await signIn(browser, email), 400, [4010011])
    expectNoSession(browser)
  },
}

export const loginSecondFactor: Chapter = {
  '050': async () => {
    const { email } = await withTotp()
    const browser = fresh()
    const answer = await signIn(browser, email)
    expectError(answer, 422, 'browser_location_change_required')
    expect(answer.body.redirect_browser_to).toContain('aal=aal2')
    expect((await expectWhoami(browser, 403)).body.error.id).toBe('session_aal2_required')
  },
  '051': async () => {
    const { email } = await withTotp()
    const { body } = await signIn(fresh(), email, goodPassword, `?return_to=${scope}`)
    expect(body.redirect_browser_to).toContain(`return_to=${scope}`)
  },
  '052': async () => {
    const { email } = await withTotp()
    const browser = fresh()
    const answer = await sendForm(browser, await begin(browser, 'login'), { ...password, identifier: email })
    expectSentTo(answer, /\/self-service\/login\/browser\?aal=aal2$/)
  },
  '053': async () => {
    const { browser, half, send: prove, nextCode } = await secondStep()
    const answer = await prove({ method: 'totp', totp_code: nextCode() })
    expect([answer.status, answer.body.session.id]).toEqual([200, half])
    const { body } = await expectWhoami(browser, 200)
    expect(body.authenticator_assurance_level).toBe('aal2')
    expect(body.authentication_methods.at(-1)).toMatchObject({ method: 'totp', aal: 'aal2' })
  },
  '054': async () => {
    const { send: prove, nextCode } = await secondStep()
    const answer = await prove({ method: 'totp', totp_code: notThe(nextCode()) })
    expectForm(answer, 400, [4000008])
    expect(valueOf(answer.body, 'totp_code') ?? '').toBe('')
  },
  '055': async () => {
    const { send: prove } = await secondStep()
    const { status, body } = await prove({ method: 'totp', totp_code: '' })
    expect([status, messageIdsOn(body, 'totp_code')]).toEqual([400, [4000002]])
  },
  '056': async () => {
    const first = await secondStep()
    const totp_code = first.nextCode()
    expect((await first.send({ method: 'totp', totp_code })).status).toBe(200)
    const browser = fresh()
    await signIn(browser, first.email)
    const again = await complete(browser, `${login}?aal=aal2`, { method: 'totp', totp_code })
    expectForm(again, 400, [4000008])
  },
  '058': async () => {
    const { prove, codes } = await withBackupCodes()
    const answer = await prove(codes[0])
    expect([answer.status, answer.body.session.authenticator_assurance_level]).toEqual([200, 'aal2'])
  },
  '059': async () => {
    const { prove, codes } = await withBackupCodes()
    await prove(codes[0])
    expectForm(await prove(codes[0]), 400, [4000012])
  },
  '060': async () => {
    const { prove } = await withBackupCodes()
    expectForm(await prove('xxxxxxxx'), 400, [4000016])
  },
  '061': async () => {
    const { send: prove } = await secondStep()
    expectForm(await prove({ method: 'lookup_secret', lookup_secret: 'abcdefgh' }), 400, [4000014])
  },
  '062': async () => {
    const { browser, email } = await withTotp()
    await enrolLookupSecrets(browser)
    const other = fresh()
    await signIn(other, email)
    const names = namesOf(await begin(other, 'login', '?aal=aal2'))
    expect(names).toEqual(['csrf_token', 'totp_code', 'method', 'lookup_secret', 'method'])
  },
}

async function secondStep() {
  const { email, nextCode } = await withTotp()
  const browser = fresh()
  await signIn(browser, email)
  const flow = await begin(browser, 'login', '?aal=aal2')
  const { rows } = await stage()
    .database.db.selectFrom('identity.session as session')
    .innerJoin('identity.verifiable_address as address', 'address.identity_id', 'session.identity_id')
    .select('session.id')
    .where('address.value', '=', email)
    .where('session.aal', '=', 'aal1')
    .execute()
    .then((found) => ({ rows: found }))
  return {
    browser,
    email,
    nextCode,
    /** The session of one factor. */
    half: rows[0]?.id,
    send: (body: Record<string, unknown>) => send(browser, flow, body),
  }
}

async function withBackupCodes() {
  const { browser, email } = await member()
  const codes = await enrolLookupSecrets(browser)
  const prove = async (lookup_secret: string | undefined) => {
    const other = fresh()
    await signIn(other, email)
    return complete(other, `${login}?aal=aal2`, { method: 'lookup_secret', lookup_secret })
  }
  return { codes, prove }
}

export const loginKeysAndProviders: Chapter = {
  '071': async () => {
    const flow = await begin(fresh(), 'login')
    const { publicKey } = JSON.parse(valueOf(flow, 'passkey_challenge'))
    expect([publicKey.rpId, typeof publicKey.challenge]).toEqual(['localhost', 'string'])
    expect(nodeOf(flow, 'passkey_login').attributes.onloadTrigger).toBe('oryPasskeyLoginAutocompleteInit')
    const { type, onclickTrigger } = nodeOf(flow, 'passkey_login_trigger').attributes
    expect([type, onclickTrigger, labelOf(flow, 'passkey_login_trigger')]).toEqual([
      'button',
      'oryPasskeyLogin',
      1010021,
    ])
    expect(nodeWithId(flow, 'webauthn_script').attributes).toMatchObject({
      src: expect.any(String),
      integrity: expect.stringMatching(/^sha512-/),
      async: true,
      crossorigin: 'anonymous',
      referrerpolicy: 'no-referrer',
      type: 'text/javascript',
    })
  },
  '072': async () => {
    const { key } = await withPasskey()
    const { status, body } = await signInByKey(key)
    expect(status).toBe(200)
    expect(body.session.authentication_methods).toMatchObject([{ method: 'passkey', aal: 'aal1' }])
  },
  '073': async () => {
    const answer = await complete(fresh(), login, { method: 'passkey', passkey_login: 'not json' })
    expectForm(answer, 400, [4000001])
    expect(answer.body.ui.messages[0].text).toBe('Unable to parse WebAuthn response.')
  },
  '074': async () => {
    const { key } = await withPasskey()
    const userHandle = Buffer.from('nobody').toString('base64url')
    expectForm(await signInByKey(key, { userHandle }), 400, [4000015])
  },
  '075': async () => {
    const { key } = await withPasskey()
    const challenge = JSON.parse(valueOf(await begin(fresh(), 'login'), 'passkey_challenge')).publicKey.challenge
    expectForm(await signInByKey(key, { challenge }), 400, [4000008])
  },
  '079': async () => {
    const node = nodeOf(await begin(fresh(), 'login'), 'provider')
    expect([node.group, node.attributes.type, node.attributes.value]).toEqual(['oidc', 'submit', 'local-op'])
    expect(node.meta.label).toMatchObject({ id: 1010002, context: { provider: 'Local OP', provider_id: 'local-op' } })
  },
  '080': async () => {
    const { status, body } = await complete(fresh(), login, { provider: 'local-op' })
    expect(status).toBe(422)
    const { searchParams } = new URL(body.redirect_browser_to)
    expect([...searchParams.keys()]).toEqual(expect.arrayContaining(['client_id', 'redirect_uri', 'state']))
    expect(searchParams.get('response_type')).toBe('code')
  },
  '081': async () => {
    const browser = fresh()
    expectSentTo(await sendForm(browser, await begin(browser, 'login'), { provider: 'local-op' }), /\/auth\?.*state=/)
  },
  '082': async () => {
    const browser = fresh()
    const flow = await begin(browser, 'login')
    const { body } = await send(browser, flow, { provider: 'local-op' })
    const state = new URL(body.redirect_browser_to).searchParams.get('state')
    const callback = `${self}/methods/oidc/callback/local-op?error=access_denied&error_description=no&state=${state}`
    expectSentTo(await browser.open(callback), `${page}?flow=${flow.id}`)
    expect(messageIds(await refetch(browser, flow))).toEqual([4000001])
  },
}

type Key = Awaited<ReturnType<typeof withPasskey>>['key']
async function signInByKey(key: Key, twist = {}) {
  const browser = fresh()
  const flow = await begin(browser, 'login')
  const passkey_login = key.get(JSON.parse(valueOf(flow, 'passkey_challenge')).publicKey, twist)
  return send(browser, flow, { method: 'passkey', passkey_login })
}

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
