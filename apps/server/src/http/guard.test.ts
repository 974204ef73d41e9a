import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { createGuard } from '#http/guard.ts'

const ownOrigin = 'https://glacis.example'
type Parts = Parameters<typeof createGuard>
const guard = createGuard(
  async () => ({}) as never, // every request is signed in
  { of: async () => ({ id: 'account', name: 'Nora' }) } as unknown as Parts[1],
  [ownOrigin],
  {} as Parts[3],
)
const admit = (method: string, headers: Record<string, string>) =>
  guard.admit({ method, headers, ip: '', log: {} } as unknown as FastifyRequest).then(
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
