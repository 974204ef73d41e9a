import { describe, expect, it } from 'vitest'
import { departureFor, IdentityFailure } from '#identity/failure.ts'

const here = 'https://portal.example.ch/scope?create=true#top'
const refusal = (id: string, redirect_browser_to?: string) =>
  new IdentityFailure(403, { error: { id, message: 'no' }, redirect_browser_to })

describe('where a refusal leads', () => {
  it('session_inactive: to the login page, and back', () => {
    expect(departureFor(refusal('session_inactive'), here)).toEqual({ kind: 'login', search: { return_to: here } })
  })

  it('session_already_available: to the profile', () => {
    expect(departureFor(refusal('session_already_available'), here)).toEqual({ kind: 'profile' })
  })

  it('session_aal2_required: to the given address', () => {
    const address = 'https://id.example.ch/self-service/login/browser?aal=aal2'
    expect(departureFor(refusal('session_aal2_required', address), here)).toEqual({ kind: 'address', href: address })
  })

  it('session_aal2_required: a relative address belongs to the present host', () => {
    expect(departureFor(refusal('session_aal2_required', '/self-service/login/browser?aal=aal2'), here)).toEqual({
      kind: 'address',
      href: 'https://portal.example.ch/self-service/login/browser?aal=aal2',
    })
  })

  it('session_aal2_required on the settings flow: back to the present address afterwards', () => {
    const departure = departureFor(
      refusal('session_aal2_required', '/login/browser?aal=aal2&return_to=x'),
      here,
      'settings',
    )
    expect(departure).toEqual({
      kind: 'address',
      href: `https://portal.example.ch/login/browser?aal=aal2&return_to=${encodeURIComponent(here)}`,
    })
  })

  it('session_aal2_required on a page of the product: back to that page afterwards', () => {
    expect(departureFor(refusal('session_aal2_required', '/login/browser?aal=aal2'), here, 'page')).toEqual({
      kind: 'address',
      href: `https://portal.example.ch/login/browser?aal=aal2&return_to=${encodeURIComponent(here)}`,
    })
  })

  it('a settings flow whose session has ended: to the login page, and back', () => {
    const ended = new IdentityFailure(401, { error: { code: 401, message: 'no session' } })
    expect(departureFor(ended, here, 'settings')).toEqual({ kind: 'login', search: { return_to: here } })
    expect(departureFor(ended, here, 'login')).toBeUndefined()
  })

  it('session_aal2_required without an address: to the login page for the second factor', () => {
    expect(departureFor(refusal('session_aal2_required'), here)).toEqual({
      kind: 'login',
      search: { aal: 'aal2', return_to: here },
    })
  })

  it('any other id: to the error page', () => {
    expect(departureFor(refusal('security_csrf_violation'), here)).toEqual({
      kind: 'error',
      id: 'security_csrf_violation',
    })
  })

  it('nothing with a meaning: nowhere', () => {
    expect(departureFor(new IdentityFailure(500, 'oops'), here)).toBeUndefined()
    expect(departureFor(new TypeError('Failed to fetch'), here)).toBeUndefined()
  })
})

it('reads what the service says', () => {
  const failure = new IdentityFailure(410, {
    error: { id: 'self_service_flow_expired', message: 'too late', reason: 'expired 3 minutes ago' },
    use_flow_id: 'next',
  })
  expect(failure).toMatchObject({
    status: 410,
    message: 'too late',
    reason: 'expired 3 minutes ago',
    useFlowId: 'next',
  })
})
