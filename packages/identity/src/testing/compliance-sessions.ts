/** Compliance cases 205 to 236: signing out, errors, sessions and the script. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import {
  type Chapter,
  evil,
  expectError,
  expectSentTo,
  expectWhoami,
  start,
  withTotp,
} from '#testing/compliance-play.ts'
import { nodeWithId, portalUrl, signIn } from '#testing/house.ts'
import { absent, begin, fresh, member, password, scope, self, send, stage } from '#testing/play.ts'

const logout = `${self}/logout/browser`

export const signingOut: Chapter = {
  '205': async () => {
    const { status, body } = await (await member()).browser.get(logout)
    expect([status, body.logout_url.includes(`token=${body.logout_token}`)]).toEqual([200, true])
  },
  '206': async () => {
    const { body } = await (await member()).browser.get(`${logout}?return_to=${scope}`)
    expect(body.logout_url).toContain(`return_to=${scope}`)
  },
  '207': async () => expectError(await fresh().get(logout), 401, 'session_inactive'),
  '208': async () => {
    const { browser } = await member()
    const { body } = await browser.get(`${logout}?return_to=${scope}`)
    expectSentTo(await browser.open(body.logout_url), `${portalUrl}/scope`)
    expect(browser.jar.has('ory_kratos_session')).toBe(false)
    await expectWhoami(browser, 401)
  },
  '209': async () => {
    const { browser } = await member()
    const kept = new Map(browser.jar)
    expect((await browser.get((await browser.get(logout)).body.logout_url)).status).toBe(204)
    for (const [name, value] of kept) browser.jar.set(name, value)
    await expectWhoami(browser, 401)
  },
  '210': async () => {
    const { status, body } = await (await member()).browser.get(`${self}/logout`)
    expect([status, body.error.reason]).toEqual([400, 'Please include a token in the URL query.'])
  },
  '211': async () => {
    const { browser } = await member()
    expect((await browser.get(`${self}/logout?token=ory_lo_other`)).status).toBe(403)
    await expectWhoami(browser, 200)
  },
  '212': async () => {
    const { browser } = await member()
    expectError(await browser.get(`${logout}?return_to=${evil}`), 400, 'self_service_flow_return_to_forbidden')
  },
  '213': async () => {
    const { browser, email } = await member()
    const flow = await begin(browser, 'login', '?refresh=true')
    await browser.get((await browser.get(logout)).body.logout_url)
    expectError(await send(browser, flow, { ...password, identifier: email }), 403, 'security_csrf_violation')
  },
}

export const errors: Chapter = {
  '214': async () => {
    const browser = fresh()
    const sent = await browser.open(`${start('login')}?aal=aal2`)
    const { status, body } = await browser.get(`${self}/errors?${String(sent.headers['location']).split('?')[1]}`)
    expect([status, Object.keys(body)]).toEqual([200, ['id', 'error', 'created_at', 'updated_at']])
    expect(body.error).toMatchObject({ code: 401, status: 'Unauthorized', message: expect.any(String) })
  },
  '215': async () => expectError(await fresh().get(`${self}/errors?id=${absent}`), 404),
  '216': async () => expect((await fresh().get(`${self}/errors`)).status).toBe(404),
  '217': async () => {
    const phrases = new Map([
      [400, 'Bad Request'],
      [401, 'Unauthorized'],
      [404, 'Not Found'],
    ])
    const paths = [`${start('login')}?aal=aal7`, '/sessions/whoami', logout, `${self}/login/flows?id=${absent}`]
    for (const path of paths) {
      const { status, body, headers } = await fresh().get(path)
      expect([body.error.code, body.error.status]).toEqual([status, phrases.get(status)])
      expect(body.error.message).not.toBe('')
      expect(headers['content-type']).toMatch(/^application\/json/)
      expect(headers['ory-error-id']).toBe(body.error.id ?? '')
    }
  },
  '218': async () => expect((await fresh().get(`${self}/nonesuch`)).status).toBe(404),
  '219': async () => {
    const browser = fresh()
    const { ui } = await begin(browser, 'login')
    const huge = JSON.stringify({ ...password, identifier: 'x'.repeat(5 * 1024 * 1024 + 1) })
    const refusal = await browser.post(ui.action, huge).then(
      ({ status }) => status,
      // A server may close the connection before it has read all that it refuses.
      (cause: NodeJS.ErrnoException) => cause.code,
    )
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(refusal)
    expect((await fresh().get(start('login'))).status).toBe(200)
  },
}

export const sessions: Chapter = {
  '220': async () => {
    const browser = fresh()
    const { body } = await expectWhoami(browser, 401)
    expect([body.error.id, body.error.reason]).toEqual([
      undefined,
      'No valid session credentials found in the request.',
    ])
    expect(browser.jar.size).toBe(0)
  },
  '221': async () => {
    const agent = `Mozilla/5.0 ${'x'.repeat(600)}`
    const { email } = await member()
    const browser = stage().browser(agent)
    await signIn(browser, email)
    const { body, headers } = await expectWhoami(browser, 200)
    expect([body.active, Date.parse(body.expires_at) - Date.parse(body.issued_at)]).toEqual([true, 24 * 3600_000])
    expect([body.identity.traits.email, body.identity.verifiable_addresses[0].value]).toEqual([email, email])
    expect([body.devices[0].ip_address.split(':')[0], body.devices[0].user_agent]).toEqual([
      '127.0.0.1',
      agent.slice(0, 512),
    ])
    expect(headers['x-kratos-authenticated-identity-id']).toBe(body.identity.id)
  },
  '222': async () => {
    const { text } = await expectWhoami((await member()).browser, 200)
    for (const word of ['credentials', 'metadata_admin', 'token']) expect(text).not.toContain(word)
  },
  '223': async () => {
    const { browser } = await member()
    stage().advance(24 * 3600_000 + 1000)
    await expectWhoami(browser, 401)
  },
  '224': async () => {
    const { email } = await withTotp()
    const browser = fresh()
    await signIn(browser, email)
    const { body } = await expectWhoami(browser, 403)
    expect([body.error.id, body.redirect_browser_to.includes('aal=aal2')]).toEqual(['session_aal2_required', true])
  },
  '227': async () => {
    const { browsers, ids } = await threeSessions()
    const { status, body } = await browsers[0].get('/sessions')
    const listed = body.map(({ id, active, devices }: { id: string; active: boolean; devices: unknown[] }) => [
      id,
      active,
      devices.length,
    ])
    expect([status, listed]).toEqual([
      200,
      [
        [ids[2], true, 1],
        [ids[1], true, 1],
      ],
    ])
  },
  '228': async () => {
    const { status, body } = await (await member()).browser.get('/sessions')
    expect([status, body]).toEqual([200, []])
  },
  '229': async () => expectError(await fresh().get('/sessions'), 401),
  '230': async () => {
    const { browsers, ids } = await threeSessions()
    expect((await browsers[0].delete(`/sessions/${ids[1]}`)).status).toBe(204)
    await expectWhoami(browsers[1], 401)
    await expectWhoami(browsers[2], 200)
  },
  '231': async () => {
    const { browsers, ids } = await threeSessions()
    const { status, body } = await browsers[0].delete(`/sessions/${ids[0]}`)
    expect([status, body.error.message]).toEqual([400, 'cannot revoke current session'])
  },
  '232': async () => {
    const [one, two] = [(await member()).browser, (await member()).browser]
    const { id } = (await expectWhoami(two, 200)).body
    expect((await one.delete(`/sessions/${id}`)).status).toBe(204)
    await expectWhoami(two, 200)
  },
  '233': async () => expect((await (await member()).browser.delete('/sessions/not-a-uuid')).status).toBe(400),
  '234': async () => {
    const { browsers } = await threeSessions()
    const { status, body } = await browsers[0].delete('/sessions')
    expect([status, body]).toEqual([200, { count: 2 }])
    await expectWhoami(browsers[0], 200)
    await expectWhoami(browsers[1], 401)
    await expectWhoami(browsers[2], 401)
  },
}

async function threeSessions() {
  const { browser, email } = await member()
  const browsers = [browser, fresh(), fresh()] as const
  for (const other of browsers.slice(1)) {
    stage().advance(1000)
    await signIn(other, email)
  }
  const ids = await Promise.all(browsers.map(async (one) => (await one.get('/sessions/whoami')).body.id))
  return { browsers, ids }
}

export const script: Chapter = {
  '236': async () => {
    const browser = fresh()
    const { attributes } = nodeWithId(await begin(browser, 'login'), 'webauthn_script')
    const { status, text, headers } = await browser.get(attributes.src)
    expect([status, attributes.integrity]).toEqual([
      200,
      `sha512-${createHash('sha512').update(text).digest('base64')}`,
    ])
    expect(headers['content-type']).toMatch(/^text\/javascript/)
  },
}
