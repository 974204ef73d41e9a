import { describe, expect, it } from 'vitest'
import { bodyOf } from '#identity/body.ts'
import { loginNodes, readNodes, registrationNodes, verificationNodes } from '#lib/testing/flows.ts'

function fields(values: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) form.append(name, value)
  return form
}

describe('bodyOf', () => {
  it("contains the common fields, the method's fields, and the method", () => {
    const filled = fields({ csrf_token: 't', identifier: 'a@b.ch', password: 'p', passkey_login: '' })
    expect(bodyOf(loginNodes(), filled, { group: 'password', name: 'method', value: 'password' })).toEqual({
      csrf_token: 't',
      identifier: 'a@b.ch',
      password: 'p',
      method: 'password',
    })
  })

  it('nests dotted names', () => {
    const filled = fields({
      csrf_token: 't',
      'traits.email': 'a@b.ch',
      'traits.name.first': 'N',
      'traits.name.last': 'A',
      password: 'p',
    })
    expect(bodyOf(registrationNodes(), filled, { group: 'password', name: 'method', value: 'password' })).toMatchObject(
      {
        traits: { email: 'a@b.ch', name: { first: 'N', last: 'A' } },
        method: 'password',
      },
    )
  })

  it('sends a provider with its method, without a password or empty fields', () => {
    const filled = fields({ csrf_token: 't', identifier: '', password: 'p' })
    expect(bodyOf(loginNodes(), filled, { group: 'oidc', name: 'provider', value: 'github' })).toEqual({
      csrf_token: 't',
      provider: 'github',
      method: 'oidc',
    })
  })

  it('omits the typed code when resending', () => {
    const filled = fields({ csrf_token: 't', method: 'code', code: '123' })
    expect(bodyOf(verificationNodes(), filled, { group: 'code', name: 'email', value: 'a@b.ch' })).toEqual({
      csrf_token: 't',
      method: 'code',
      email: 'a@b.ch',
    })
  })

  it('sends a boolean for a button with the value true', () => {
    const nodes = readNodes([
      { type: 'input', group: 'totp', attributes: { name: 'totp_unlink', type: 'submit', value: 'true' } },
    ])
    expect(bodyOf(nodes, fields({}), { group: 'totp', name: 'totp_unlink', value: 'true' })).toEqual({
      totp_unlink: true,
      method: 'totp',
    })
  })

  it('sends checkboxes as booleans and numbers as numbers', () => {
    const nodes = readNodes([
      { type: 'input', group: 'default', attributes: { name: 'traits.terms', type: 'checkbox' } },
      { type: 'input', group: 'default', attributes: { name: 'traits.news', type: 'checkbox' } },
      { type: 'input', group: 'default', attributes: { name: 'traits.seats', type: 'number' } },
    ])
    const filled = fields({ 'traits.terms': 'true', 'traits.seats': '12' })
    expect(bodyOf(nodes, filled, { group: 'default', name: '', value: '' })).toEqual({
      traits: { terms: true, news: false, seats: 12 },
    })
  })

  it('includes the bot challenge token', () => {
    const filled = fields({ csrf_token: 't', 'transient_payload.captcha_turnstile_response': 'proof' })
    expect(bodyOf(loginNodes(), filled, { group: 'password', name: 'method', value: 'password' })).toMatchObject({
      transient_payload: { captcha_turnstile_response: 'proof' },
    })
  })
})
