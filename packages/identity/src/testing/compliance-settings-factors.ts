/** Compliance cases of the settings: second factors, keys and other services. */
import { expect } from 'vitest'
import type { Browser } from '#testing/browser.ts'
import {
  type Chapter,
  expectForm,
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
  complete,
  enrolLookupSecrets,
  messageIdsOn,
  newAddress,
  nodeOf,
  nodeWithId,
  signIn,
  totpAt,
  valueOf,
} from '#testing/house.ts'
import { type OtherService, visit } from '#testing/other-service.ts'
import { begin, fresh, member, send, stage } from '#testing/play.ts'

const settings = start('settings')

let other: OtherService | undefined
/** Sets the service by which people come. */
export function settleWith(service: OtherService): void {
  other = service
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
