import { describe, expect, it } from 'vitest'
import { redirectTargetFor, IdentityFailure } from '#identity/failure.ts'

const here = 'https://portal.example.ch/scope?create=true#top'
const errorResponse = (id: string, redirect_browser_to?: string) =>
  new IdentityFailure(403, { error: { id, message: 'no' }, redirect_browser_to })

describe('redirectTargetFor', () => {
  it('session_inactive: login with return_to', () => {
    expect(redirectTargetFor(errorResponse('session_inactive'), here)).toEqual({
      kind: 'login',
      search: { return_to: here },
    })
  })

  it('session_already_available: profile', () => {
    expect(redirectTargetFor(errorResponse('session_already_available'), here)).toEqual({ kind: 'profile' })
  })

  it('session_aal2_required: the given URL', () => {
    const address = 'https://id.example.ch/self-service/login/browser?aal=aal2'
    expect(redirectTargetFor(errorResponse('session_aal2_required', address), here)).toEqual({
      kind: 'address',
      href: address,
    })
  })

  it('session_aal2_required: resolves a relative URL against the current host', () => {
    expect(
      redirectTargetFor(errorResponse('session_aal2_required', '/self-service/login/browser?aal=aal2'), here),
    ).toEqual({
      kind: 'address',
      href: 'https://portal.example.ch/self-service/login/browser?aal=aal2',
    })
  })

  it('session_aal2_required on the settings flow: sets return_to to the current page', () => {
    const departure = redirectTargetFor(
      errorResponse('session_aal2_required', '/login/browser?aal=aal2&return_to=x'),
      here,
      'settings',
    )
    expect(departure).toEqual({
      kind: 'address',
      href: `https://portal.example.ch/login/browser?aal=aal2&return_to=${encodeURIComponent(here)}`,
    })
  })

  it('session_aal2_required on an app page: sets return_to to that page', () => {
    expect(redirectTargetFor(errorResponse('session_aal2_required', '/login/browser?aal=aal2'), here, 'page')).toEqual({
      kind: 'address',
      href: `https://portal.example.ch/login/browser?aal=aal2&return_to=${encodeURIComponent(here)}`,
    })
  })

  it('expired session on the settings flow: login with return_to', () => {
    const ended = new IdentityFailure(401, { error: { code: 401, message: 'no session' } })
    expect(redirectTargetFor(ended, here, 'settings')).toEqual({ kind: 'login', search: { return_to: here } })
    expect(redirectTargetFor(ended, here, 'login')).toBeUndefined()
  })

  it('session_aal2_required without a URL: login with aal2', () => {
    expect(redirectTargetFor(errorResponse('session_aal2_required'), here)).toEqual({
      kind: 'login',
      search: { aal: 'aal2', return_to: here },
    })
  })

  it('any other ID: error page', () => {
    expect(redirectTargetFor(errorResponse('security_csrf_violation'), here)).toEqual({
      kind: 'error',
      id: 'security_csrf_violation',
    })
  })

  it('network_not_allowed: undefined, because the page shows the reason', () => {
    expect(redirectTargetFor(errorResponse('network_not_allowed'), here)).toBeUndefined()
  })

  it('no ID: undefined', () => {
    expect(redirectTargetFor(new IdentityFailure(500, 'oops'), here)).toBeUndefined()
    expect(redirectTargetFor(new TypeError('Failed to fetch'), here)).toBeUndefined()
  })
})

it('parses the error response', () => {
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
