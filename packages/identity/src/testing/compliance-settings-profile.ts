/** Compliance cases of the settings: who may, profile and password. */
import { expect } from 'vitest'
import type { Browser } from '#testing/browser.ts'
import {
  type Chapter,
  expectError,
  expectForm,
  expectSentTo,
  expectWhoami,
  methodNode,
  refetch,
  start,
  withTotp,
} from '#testing/compliance-play.ts'
import {
  codeIn,
  complete,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  portalUrl,
  signIn,
  valueOf,
} from '#testing/house.ts'
import { begin, fresh, member, outsider, password, scope, self, send, sendForm, stage, traits } from '#testing/play.ts'

const settings = start('settings')
const hour = 3600_000
const betterPassword = `${goodPassword}-2`
const onceMore = (browser: Browser, email: string) => signIn(browser, email, goodPassword, '?refresh=true')

export const settingsAccess: Chapter = {
  '155': async () => expectError(await fresh().get(settings), 401, 'session_inactive'),
  '156': async () => {
    const answer = await fresh().open(`${settings}?return_to=${scope}`)
    expectSentTo(answer, new RegExp(`/self-service/login/browser\\?return_to=${scope}$`))
  },
  '157': async () => {
    const { browser, email } = await member()
    const { status, body } = await browser.get(settings)
    expect([status, body.state, body.identity.traits.email]).toEqual([200, 'show_form', email])
    expect([valueOf(body, 'traits.email'), nodeOf(body, 'password').attributes.autocomplete]).toEqual([
      email,
      'new-password',
    ])
    for (const method of ['profile', 'password']) expect(methodNode(body, method).meta.label.id).toBe(1070003)
  },
  '158': async () => {
    const answer = await (await halfIn()).get(settings)
    expectError(answer, 403, 'session_aal2_required')
    expect(answer.body.redirect_browser_to).toContain('aal=aal2')
  },
  '159': async () => expectSentTo(await (await halfIn()).open(settings), /\/self-service\/login\/browser\?aal=aal2/),
  '160': async () => {
    const flow = await begin((await member()).browser, 'settings')
    const answer = await (await member()).browser.get(`${self}/settings/flows?id=${flow.id}`)
    expectError(answer, 403, 'security_identity_mismatch')
  },
  '161': async () => {
    const flow = await begin((await member()).browser, 'settings')
    const { browser } = await member()
    expectError(await send(browser, flow, { ...password }), 403, 'security_identity_mismatch')
  },
  '162': async () => {
    const { browser } = await member()
    const flow = await begin(browser, 'settings')
    await browser.get((await browser.get(`${self}/logout/browser`)).body.logout_url)
    expectError(await browser.get(`${self}/settings/flows?id=${flow.id}`), 401)
  },
  '163': async () => {
    const { browser } = await member()
    const flow = await begin(browser, 'settings')
    stage().advance(hour + 1000)
    const answer = await browser.get(`${self}/settings/flows?id=${flow.id}`)
    expectError(answer, 410)
    expect(answer.body.error.details.redirect_to).toMatch(/\/self-service\/settings\/browser$/)
  },
  '165': async () => {
    const { browser } = await member()
    const { ui } = await begin(browser, 'settings')
    expectError(await browser.post(ui.action, password), 403, 'security_csrf_violation')
  },
  '166': async () => {
    const { browser } = await member()
    expectForm(await complete(browser, settings, { method: 'unknown' }), 400, [4010004])
  },
  '167': async () => expectSentTo(await fresh().open('/.well-known/change-password'), `${portalUrl}/profile`),
}

async function halfIn(): Promise<Browser> {
  const { email } = await withTotp()
  const browser = fresh()
  await signIn(browser, email)
  return browser
}

export const settingsProfile: Chapter = {
  '168': async () => {
    const { browser, email } = await member()
    const named = { email, name: { first: 'Jane', last: 'Frost' } }
    const answer = await complete(browser, settings, { method: 'profile', traits: named })
    expectForm(answer, 200, [1050001])
    const { state, ui, identity, continue_with, id } = answer.body
    expect([state, ui.messages[0].type, identity.traits]).toEqual(['success', 'success', named])
    expect(continue_with[0]).toEqual({
      action: 'redirect_browser_to',
      redirect_browser_to: `${portalUrl}/profile?flow=${id}`,
    })
  },
  '169': async () => {
    const { browser, email } = await member()
    const flow = await begin(browser, 'settings', `?return_to=${scope}`)
    const fields = { 'traits.email': email, 'traits.name.first': 'Jane', 'traits.name.last': 'Frost' }
    expectSentTo(await sendForm(browser, flow, { method: 'profile', ...fields }), `${portalUrl}/scope`)
  },
  '170': async () => {
    const { browser, email } = await member()
    const { status, body } = await complete(browser, settings, { method: 'profile', traits: traits('no-email') })
    expect([status, messageIdsOn(body, 'traits.email')]).toEqual([400, [4000040]])
    expect((await expectWhoami(browser, 200)).body.identity.traits.email).toBe(email)
  },
  '171': async () => {
    const { browser } = await member()
    const moved = newAddress()
    const { status, body } = await complete(browser, settings, { method: 'profile', traits: traits(moved) })
    expect(status).toBe(200)
    expect(body.identity.verifiable_addresses).toMatchObject([{ value: moved, verified: false }])
    expect(codeIn((await stage().mailsTo(moved))[0])).toMatch(/^\d{6}$/)
  },
  '172': async () => {
    const { browser } = await aging()
    const flow = await begin(browser, 'settings')
    const answer = await send(browser, flow, { method: 'profile', traits: traits(newAddress()) })
    expectError(answer, 403, 'session_refresh_required')
    const { searchParams } = new URL(answer.body.redirect_browser_to)
    expect([searchParams.get('refresh'), searchParams.get('return_to')]).toEqual(['true', flow.ui.action])
  },
  '173': async () => {
    const { browser, email } = await aging()
    const named = { email, name: { first: 'Jane', last: 'Frost' } }
    expect((await complete(browser, settings, { method: 'profile', traits: named })).status).toBe(200)
  },
  '174': async () => {
    const { browser, email } = await aging()
    const flow = await begin(browser, 'settings')
    const change = { method: 'password', password: betterPassword }
    expectError(await send(browser, flow, change), 403, 'session_refresh_required')
    await onceMore(browser, email)
    expect((await send(browser, flow, change)).status).toBe(200)
  },
  '175': async () => {
    const { browser, email } = await aging()
    const flow = await begin(browser, 'settings')
    const paused = await sendForm(browser, flow, { method: 'password', password: betterPassword })
    expectSentTo(paused, /\/self-service\/login\/browser\?refresh=true/)
    const login = await browser.open(String(paused.headers['location']))
    const id = String(login.headers['location']).split('=')[1] ?? ''
    const form = await refetch(browser, { id })
    const back = await sendForm(browser, form, { ...password, identifier: email })
    expectSentTo(back, flow.ui.action)
    await browser.open(String(back.headers['location']))
    expect((await signIn(fresh(), email, betterPassword)).status).toBe(200)
  },
  '176': async () => {
    const { email: taken } = await outsider()
    const { browser, email } = await member()
    expectForm(await complete(browser, settings, { method: 'profile', traits: traits(taken) }), 400, [4000007])
    expect((await expectWhoami(browser, 200)).body.identity.traits.email).toBe(email)
  },
  '177': async () => {
    const { browser, email } = await member()
    const answer = await complete(browser, settings, { method: 'password', password: betterPassword })
    expectForm(answer, 200, [1050001])
    expect((await signIn(fresh(), email)).status).toBe(400)
    expect((await signIn(fresh(), email, betterPassword)).status).toBe(200)
    await expectWhoami(browser, 200)
  },
  '178': async () => {
    const { browser } = await member()
    const { status, body } = await complete(browser, settings, { method: 'password', password: 'short' })
    expect([status, messageIdsOn(body, 'password')]).toEqual([400, [4000032]])
  },
  '179': async () => {
    const { browser } = await member()
    const { status, body } = await complete(browser, settings, password)
    expect([status, messageIdsOn(body, 'password')]).toEqual([400, [4000039]])
  },
  '180': async () => {
    const { browser } = await member()
    const { status, body } = await complete(browser, settings, { method: 'password', password: '' })
    expect([status, messageIdsOn(body, 'password')]).toEqual([400, [4000002]])
  },
  '181': async () => {
    const { browser, email } = await member()
    const { body: flow } = await complete(browser, settings, { method: 'profile', traits: traits(email) })
    const answer = await send(browser, flow, { method: 'profile', traits: traits('no-email') })
    expect([answer.status, messageIdsOn(answer.body, 'traits.email')]).toEqual([400, [4000040]])
    expect([messageIds(answer.body), answer.body.state]).toEqual([[], 'show_form'])
  },
}

/** Somebody who signed in longer ago than changes may wait. */
async function aging() {
  const { browser, email } = await member()
  stage().advance(hour + 1000)
  return { browser, email }
}
