import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { createGuard } from '#http/guard.ts'

const ours = 'https://glacis.example'
type Parts = Parameters<typeof createGuard>
const guard = createGuard(
  async () => ({}) as never, // whoever asks is signed in
  { of: async () => ({ id: 'account', name: 'Nora' }) } as unknown as Parts[1],
  [ours],
  {} as Parts[3],
)
const ask = (method: string, headers: Record<string, string>) =>
  guard.admit({ method, headers, ip: '', log: {} } as unknown as FastifyRequest).then(
    () => 'admitted',
    (error: Error) => error.message,
  )

const cookie = { cookie: 'ory_kratos_session=x' }
it.each<[string, Record<string, string>]>([
  ['from a page of ours', { ...cookie, origin: ours }],
  ['from a page of ours, as browsers say it without an origin', { ...cookie, 'sec-fetch-site': 'same-origin' }],
  ['that a person typed', { ...cookie, 'sec-fetch-site': 'none' }],
  ['of a program with a session token', { 'x-session-token': 'x' }],
  ['of a program with a session token and a jar of cookies', { ...cookie, 'x-session-token': 'x' }],
])('admits a change %s', async (_, headers) => {
  expect(await ask('POST', headers)).toBe('admitted')
})

it.each<[string, Record<string, string>]>([
  ['from another page', { ...cookie, origin: 'https://evil.example' }],
  ['from a page of no origin', { ...cookie, origin: 'null' }],
  ['from a neighbour', { ...cookie, 'sec-fetch-site': 'same-site' }],
  ['from another site, by a form', { ...cookie, 'sec-fetch-site': 'cross-site' }],
  ['with a cookie alone', cookie],
])('refuses a change %s, and still lets it read', async (_, headers) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(await ask(method, headers)).toBe('Cross-origin requests cannot change data')
  }
  expect(await ask('GET', headers)).toBe('admitted')
})

it.each<[string, Record<string, string>]>([
  ['by the name in Host', { host: 'other.example:8443', origin: 'https://other.example:8443' }],
  [
    'by the word of the browser, behind a proxy',
    { 'sec-fetch-site': 'same-origin', origin: 'https://other.example:8443' },
  ],
])('tells a page that was opened under another address where we are, recognised %s', async (_, headers) => {
  expect(await ask('POST', { ...cookie, ...headers })).toBe(
    'This page was opened as https://other.example:8443, but Glacis is configured for https://glacis.example; open that URL or set GLACIS_URL',
  )
})
