/** Compliance cases of signing in with a second factor. */
import { expect } from 'vitest'
import {
  type Chapter,
  expectError,
  expectForm,
  expectSentTo,
  expectWhoami,
  namesOf,
  notThe,
  start,
  withTotp,
} from '#testing/compliance-play.ts'
import { complete, enrolLookupSecrets, goodPassword, messageIdsOn, signIn, valueOf } from '#testing/house.ts'
import { begin, fresh, member, password, scope, send, sendForm, stage } from '#testing/play.ts'

const login = start('login')

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
