/** Compliance cases of signing in: the form, and whom it is shown to. */
import { expect } from 'vitest'
import {
  type Chapter,
  evil,
  expectError,
  expectForm,
  expectSentTo,
  labelOf,
  methodNode,
  namesOf,
  start,
  withTotp,
} from '#testing/compliance-play.ts'
import { nodeOf, portalUrl, signIn } from '#testing/house.ts'
import { absent, aged, begin, fresh, member, scope, self } from '#testing/play.ts'

const login = start('login')
const home = `${portalUrl}/overview`

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
