/** Compliance cases 155 to 203: changing one's own account. */
import { expect } from 'vitest'
import type { Browser } from '#testing/browser.ts'
import {
  type Chapter,
  expectError,
  expectForm,
  expectSentTo,
  expectWhoami,
  labelOf,
  methodNode,
  namesOf,
  notThe,
  refetch,
  start,
  withPasskey,
  withPasskeyAlone,
  withTotp,
} from '#testing/compliance-play.ts'
import {
  codeIn,
  complete,
  enrolLookupSecrets,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  nodeWithId,
  portalUrl,
  signIn,
  totpAt,
  valueOf,
} from '#testing/house.ts'
import { type OtherService, visit } from '#testing/other-service.ts'
import { begin, fresh, member, outsider, password, scope, self, send, sendForm, stage, traits } from '#testing/play.ts'

const settings = start('settings')
const hour = 3600_000
const betterPassword = `${goodPassword}-2`
const onceMore = (browser: Browser, email: string) => signIn(browser, email, goodPassword, '?refresh=true')

let other: OtherService | undefined
/** Sets the service by which people come. */
export function settleWith(service: OtherService): void {
  other = service
}

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

export const settingsSecondFactor: Chapter = {
  '182': async () => {
    const flow = await begin((await member()).browser, 'settings')
    const { src, width, height } = nodeWithId(flow, 'totp_qr').attributes
    expect([src.slice(0, 15), width, height]).toEqual(['data:image/png;', 256, 256])
    const { attributes, meta } = nodeWithId(flow, 'totp_secret_key')
    expect([attributes.text.id, attributes.text.context.secret, meta.label.id]).toEqual([
      1050006,
      attributes.text.text,
      1050017,
    ])
    expect([labelOf(flow, 'totp_code'), methodNode(flow, 'totp').meta.label.id]).toEqual([1070006, 1070003])
    expect(namesOf(flow)).not.toContain('totp_unlink')
  },
  '183': async () => {
    const { browser } = await member()
    const [flow, another] = [await begin(browser, 'settings'), await begin(browser, 'settings')]
    expect(secretOf(await refetch(browser, flow, 'settings'))).toBe(secretOf(flow))
    expect(secretOf(another)).not.toBe(secretOf(flow))
  },
  '184': async () => {
    const { browser } = await member()
    const flow = await begin(browser, 'settings')
    const totp_code = totpAt(secretOf(flow), stage().now())
    const answer = await send(browser, flow, { method: 'totp', totp_code })
    expectForm(answer, 200, [1050001])
    const names = namesOf(answer.body).filter((name) => name.startsWith('totp_'))
    expect([names, labelOf(answer.body, 'totp_unlink')]).toEqual([['totp_unlink'], 1050004])
    expect((await expectWhoami(browser, 200)).body.authenticator_assurance_level).toBe('aal2')
  },
  '185': async () => {
    const { browser } = await member()
    const flow = await begin(browser, 'settings')
    const totp_code = notThe(totpAt(secretOf(flow), stage().now()))
    const { status, body } = await send(browser, flow, { method: 'totp', totp_code })
    expect([status, messageIdsOn(body, 'totp_code'), secretOf(body)]).toEqual([400, [4000008], secretOf(flow)])
  },
  '186': async () => {
    const { browser, email } = await withTotp()
    const { status, body } = await complete(browser, settings, { method: 'totp', totp_unlink: true })
    expect([status, namesOf(body).includes('totp_code')]).toEqual([200, true])
    expect((await signIn(fresh(), email)).status).toBe(200)
  },
  '188': async () => {
    const { browser } = await member()
    const answer = await complete(browser, settings, { method: 'lookup_secret', lookup_secret_regenerate: true })
    expectForm(answer, 200, [])
    const { secrets } = nodeWithId(answer.body, 'lookup_secret_codes').attributes.text.context
    expect(secrets).toHaveLength(12)
    for (const { id, text } of secrets) expect([id, text.length]).toEqual([1050009, 8])
    expect(labelOf(answer.body, 'lookup_secret_confirm')).toBe(1050011)
  },
  '189': async () => {
    const { browser, email } = await member()
    const { body: made } = await complete(browser, settings, { lookup_secret_regenerate: true })
    const answer = await send(browser, made, { method: 'lookup_secret', lookup_secret_confirm: true })
    expectForm(answer, 200, [1050001])
    expect([labelOf(answer.body, 'lookup_secret_reveal'), labelOf(answer.body, 'lookup_secret_disable')]).toEqual([
      1050007, 1050016,
    ])
    const [code] = nodeWithId(made, 'lookup_secret_codes').attributes.text.text.split(', ')
    expect((await secondStepBy(email, code)).status).toBe(200)
  },
  '190': async () => {
    const { browser, email } = await member()
    const { body } = await complete(browser, settings, { lookup_secret_regenerate: true })
    const [code] = nodeWithId(body, 'lookup_secret_codes').attributes.text.text.split(', ')
    expect((await secondStepBy(email, code)).status).toBe(400)
  },
  '191': async () => {
    const { browser, email } = await member()
    const codes = await enrolLookupSecrets(browser)
    await secondStepBy(email, codes[3] ?? '')
    const { body } = await complete(browser, settings, { lookup_secret_reveal: true })
    const { text } = nodeWithId(body, 'lookup_secret_codes').attributes
    expect([text.context.secrets[3].id, text.text.split(', ')[3]]).toEqual([1050014, 'used'])
  },
}

const secretOf = (flow: Parameters<typeof nodeWithId>[0]): string =>
  nodeWithId(flow, 'totp_secret_key').attributes.text.text

async function secondStepBy(email: string, lookup_secret: string) {
  const browser = fresh()
  await signIn(browser, email)
  return complete(browser, `${start('login')}?aal=aal2`, { method: 'lookup_secret', lookup_secret })
}

export const settingsKeysAndProviders: Chapter = {
  '193': async () => {
    const flow = await begin((await member()).browser, 'settings')
    const { value, onclickTrigger } = nodeOf(flow, 'passkey_register_trigger').attributes
    const { label } = nodeOf(flow, 'passkey_register_trigger').meta
    expect([value, onclickTrigger, label.id, label.context]).toEqual([
      '',
      'oryPasskeySettingsRegistration',
      1050019,
      undefined,
    ])
    expect(nodeOf(flow, 'passkey_settings_register').attributes.type).toBe('hidden')
    const { publicKey } = JSON.parse(valueOf(flow, 'passkey_create_data'))
    expect(publicKey).toMatchObject({
      authenticatorSelection: { residentKey: 'required' },
      user: { id: expect.any(String) },
      challenge: expect.any(String),
    })
    expect(nodeWithId(flow, 'webauthn_script')).toBeDefined()
  },
  '194': async () => {
    const { added, key } = await withPasskey()
    expectForm(added, 200, [1050001])
    const node = nodeOf(added.body, 'passkey_remove')
    expect([node.attributes.value, node.meta.label.id]).toEqual([key.idInHex(), 1050020])
    const { display_name, added_at, added_at_unix } = node.meta.label.context
    expect([display_name.length > 0, typeof added_at, typeof added_at_unix]).toEqual([true, 'string', 'number'])
  },
  '195': async () => {
    const { browser, key, added } = await withPasskey()
    const passkey_remove = valueOf(added.body, 'passkey_remove')
    const { status, body } = await send(browser, added.body, { method: 'passkey', passkey_remove })
    expect([status, namesOf(body).includes('passkey_remove')]).toEqual([200, false])
    const other = fresh()
    const flow = await begin(other, 'login')
    const passkey_login = key.get(JSON.parse(valueOf(flow, 'passkey_challenge')).publicKey)
    expectForm(await send(other, flow, { method: 'passkey', passkey_login }), 400, [4000015])
  },
  '196': async () => {
    const { browser } = await withPasskeyAlone()
    expect(nodeOf(await begin(browser, 'settings'), 'passkey_remove').attributes.disabled).toBe(true)
  },
  '197': async () => {
    const { browser } = await withPasskeyAlone()
    const flow = await begin(browser, 'settings')
    const passkey_remove = valueOf(flow, 'passkey_remove')
    const { status, body } = await send(browser, flow, { method: 'passkey', passkey_remove })
    expect([status, valueOf(body, 'passkey_remove')]).toEqual([400, passkey_remove])
    expect(nodeOf(body, 'webauthn_remove').messages[0].text).toMatch(/lock you out/)
  },
  '198': async () => {
    const { browser } = await withPasskey()
    expectForm(await complete(browser, settings, { method: 'passkey', passkey_remove: 'abcdef' }), 400, [4000001])
  },
  '200': async () => {
    const { flow } = await linked()
    expect([valueOf(flow, 'link'), labelOf(flow, 'link')]).toEqual(['second-op', 1050002])
    expect([valueOf(flow, 'unlink'), labelOf(flow, 'unlink')]).toEqual(['local-op', 1050003])
  },
  '201': async () => {
    const browser = fresh()
    const { flow } = await comeBy(browser)
    expect(namesOf(flow)).not.toContain('unlink')
  },
  '202': async () => {
    const { status, body } = await complete((await member()).browser, settings, { link: 'local-op' })
    expect([status, new URL(body.redirect_browser_to).pathname]).toEqual([422, '/auth'])
  },
  '203': async () => {
    const { browser, flow } = await linked()
    const answer = await send(browser, flow, { unlink: 'local-op' })
    expectForm(answer, 200, [1050001])
    expect([valueOf(answer.body, 'link'), namesOf(answer.body).includes('unlink')]).toEqual(['local-op', false])
  },
}

let subjects = 0
function newcomer(): OtherService {
  if (!other) throw new Error('No service to come by')
  subjects += 1
  const claims = { email: newAddress(), email_verified: true, given_name: 'John', family_name: 'Frost' }
  other.present = { subject: `compliance-${subjects}`, claims }
  return other
}

/** Somebody with a password who has linked one of the two services. */
async function linked() {
  newcomer()
  const { browser } = await member()
  await visit(browser, await complete(browser, settings, { link: 'local-op' }))
  return { browser, flow: await begin(browser, 'settings') }
}

/** Somebody whose only way in is the other service. */
async function comeBy(browser: Browser) {
  newcomer()
  await visit(browser, await complete(browser, start('login'), { provider: 'local-op' }))
  return { flow: await begin(browser, 'settings') }
}
