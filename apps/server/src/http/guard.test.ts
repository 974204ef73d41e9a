import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { Session } from '@glacis/contract/identity'
import type { Database } from '#database/index.ts'
import { createGuard } from '#http/guard.ts'

const ownOrigin = 'https://glacis.example'
const at = new Date().toISOString()
const traits = { email: 'nora@example.ch', name: { first: 'Nora', last: 'Ammann' } }
const session = { id: 's', active: true, expires_at: at, authenticated_at: at, identity: { id: 'nora', traits } }
const guard = createGuard(
  // Every request is signed in.
  async () => Session.parse(session),
  { of: async () => ({ workspace: 'workspace', role: 'owner', networks: [] }) },
  [ownOrigin],
  {} as Pick<Database, 'owner'>,
)
const admit = (method: string, headers: Record<string, string>) =>
  guard
    .admit({ method, headers, url: '/v1/targets', ip: '', log: {} } as unknown as FastifyRequest, 'listTargets')
    .then(
      () => 'admitted',
      (error: Error) => error.message,
    )

const cookie = { cookie: 'ory_kratos_session=x' }
it.each<[string, Record<string, string>]>([
  ['from our own page', { ...cookie, origin: ownOrigin }],
  ['from our own page, according to Sec-Fetch-Site', { ...cookie, 'sec-fetch-site': 'same-origin' }],
  ['from the address bar', { ...cookie, 'sec-fetch-site': 'none' }],
  ['from a program with a session token', { 'x-session-token': 'x' }],
  ['from a program with a session token and cookies', { ...cookie, 'x-session-token': 'x' }],
])('accepts a change %s', async (_, headers) => {
  expect(await admit('POST', headers)).toBe('admitted')
})

it.each<[string, Record<string, string>]>([
  ['from another origin', { ...cookie, origin: 'https://evil.example' }],
  ['from an opaque origin', { ...cookie, origin: 'null' }],
  ['from a sibling domain', { ...cookie, 'sec-fetch-site': 'same-site' }],
  ['from a form on another site', { ...cookie, 'sec-fetch-site': 'cross-site' }],
  ['with only a cookie', cookie],
])('rejects a change %s, but allows reading', async (_, headers) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(await admit(method, headers)).toBe('Cross-origin requests cannot change data')
  }
  expect(await admit('GET', headers)).toBe('admitted')
})

it.each<[string, Record<string, string>]>([
  ['the Host header', { host: 'other.example:8443', origin: 'https://other.example:8443' }],
  ['Sec-Fetch-Site behind a proxy', { 'sec-fetch-site': 'same-origin', origin: 'https://other.example:8443' }],
])('names the configured URL for a page opened under another one, detected by %s', async (_, headers) => {
  expect(await admit('POST', { ...cookie, ...headers })).toBe(
    'This page was opened as https://other.example:8443, but Glacis is configured for https://glacis.example; open that URL or set GLACIS_URL',
  )
})
