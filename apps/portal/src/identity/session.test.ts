import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isValid, sessionKey, validSession } from '#identity/session.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'

let service: Service
const client = () => new QueryClient()
const requestCount = () => service.seen.filter(({ path }) => path === '/sessions/whoami').length

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

describe('validSession', () => {
  it('is active and expires in the future', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    const at = (expires_at: string, active = true) => isValid(sessionOf({ expires_at, active }), now)
    expect([
      at('2026-11-21T12:00:01Z'),
      at('2026-11-21T12:00:00Z'),
      at('2026-11-21T12:00:01Z', false),
      isValid(null),
    ]).toEqual([true, false, false, false])
  })

  it('is fetched once and cached', async () => {
    service.on('GET /sessions/whoami', { body: sessionOf() })
    const cache = client()
    expect((await validSession(cache))?.id).toBe('s1')
    await validSession(cache)
    expect(requestCount()).toBe(1)
  })

  it('is refetched when the cached one has expired', async () => {
    service.on('GET /sessions/whoami', { body: sessionOf({ id: 's2' }) })
    const cache = client()
    cache.setQueryData(sessionKey, sessionOf({ expires_at: '2020-01-01T00:00:00Z' }))
    expect((await validSession(cache))?.id).toBe('s2')
  })

  it('is null without a session', async () => {
    service.on('GET /sessions/whoami', { status: 401, body: { error: { message: 'no' } } })
    expect(await validSession(client())).toBeNull()
  })

  it('is null if the service returns an expired session', async () => {
    service.on('GET /sessions/whoami', { body: sessionOf({ active: false }) })
    expect(await validSession(client())).toBeNull()
  })

  it('throws if a second factor is required', async () => {
    service.on('GET /sessions/whoami', {
      status: 403,
      body: { error: { id: 'session_aal2_required', message: 'more' } },
    })
    await expect(validSession(client())).rejects.toMatchObject({ id: 'session_aal2_required' })
  })

  it.each(['first', 'last'])('requires a %s name', async (part) => {
    const session = sessionOf()
    const { [part as 'first']: _, ...name } = session.identity.traits.name
    const identity = { ...session.identity, traits: { ...session.identity.traits, name } }
    service.on('GET /sessions/whoami', { body: { ...session, identity } })
    await expect(validSession(client())).rejects.toThrow('unexpected response')
  })
})
