import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApi } from '#testing/api.ts'
import { startTestServer } from '#testing/test-server.ts'
import { reasonOf } from '#testing/team.ts'

const origin = 'http://localhost:3000'
const dns = createSocket('udp4')
const records = new Map<string, string>()
const server = await startTestServer()
const resolver = new Resolver({ timeout: 2000, tries: 1 })
const api = await openTestApi(server, origin, { resolveTxt: (name) => resolver.resolveTxt(name) })

beforeAll(async () => {
  dns.on('message', (query, { port, address }) => dns.send(answer(query), port, address))
  dns.bind(0, '127.63.12.1')
  await once(dns, 'listening')
  resolver.setServers([`127.63.12.1:${dns.address().port}`])
})
afterAll(async () => {
  await api.close()
  dns.close()
  await server.close()
})

/** Answers a TXT query from `records`, or that the name doesn't exist (RFC 1035, section 4.1). */
function answer(query: Buffer): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const question = query.subarray(12, at + 5)
  const value = records.get(labels.join('.').toLowerCase())
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(value === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(value === undefined ? 0 : 1, 6)
  header.writeUInt32BE(0, 8)
  if (value === undefined) return Buffer.concat([header, question])
  const text = Buffer.from(value)
  const fixed = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, text.length + 1, text.length])
  return Buffer.concat([header, question, fixed, text])
}

const send = (person: string, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
  api.app.inject({ method, url, headers: { origin, 'x-person': person }, ...(payload && { payload }) })

it('admits users with a verified address in a verified domain as viewers', async () => {
  const emailDomain = { domain: 'Example.CH', role: 'viewer' }
  const created = await send('owner', 'POST', '/v1/email-domains', { emailDomain })
  const { id, recordName, recordValue } = created.json<{ emailDomain: Record<string, string> }>().emailDomain
  expect(recordName).toBe('_glacis.example.ch')
  const joinable = async (person: string) =>
    (await send(person, 'GET', '/v1/workspaces')).json<{ joinable: { id: string }[] }>().joinable
  const verify = () => send('owner', 'POST', `/v1/email-domains/${id}/verify`, {})

  expect((await verify()).json()).toMatchObject({ message: expect.stringContaining('was not found') })
  records.set('_glacis.example.ch', 'glacis-domain-verification=wrong')
  expect((await verify()).json()).toMatchObject({ message: expect.stringContaining('has another value') })
  expect(await joinable('colleague')).toEqual([])

  records.set('_glacis.example.ch', recordValue ?? '')
  expect((await verify()).json()).toMatchObject({ emailDomain: { isVerified: true } })
  expect(await joinable('unverified')).toEqual([])
  const [workspace] = await joinable('colleague')
  expect(workspace).toMatchObject({ name: "owner Muster's workspace", domain: 'example.ch', role: 'viewer' })
  const joined = await send('colleague', 'POST', `/v1/workspaces/${workspace?.id}/join`, {})
  expect(joined.json()).toMatchObject({ workspace: { id: workspace?.id, role: 'viewer' } })
  expect(await joinable('colleague')).toEqual([])
  expect(reasonOf(await send('colleague', 'POST', '/v1/tags', {}))).toBe('ROLE_NOT_ALLOWED')
})

it('creates no workspace for users who can join one, before they choose', async () => {
  expect(reasonOf(await send('newcomer', 'GET', '/v1/workspace'))).toBe('NO_WORKSPACE')
  expect(reasonOf(await send('unverified', 'GET', '/v1/workspace'))).toBe('NO_WORKSPACE')
})

it('defers to a sign-in provider that gives roles only to groups', async () => {
  const { owner } = server.database
  const { account_id } = await owner.selectFrom('email_domain').select('account_id').executeTakeFirstOrThrow()
  const provider = { label: 'Acme', issuer: 'https://id.example', client_id: 'glacis', groups_claim: 'groups' }
  const roles = { group_roles: '[]', default_role: null, is_required: false, updated_at: new Date() }
  await owner
    .insertInto('sign_in_provider')
    .values({ account_id, ...provider, ...roles })
    .execute()
  const listed = await send('newcomer', 'GET', '/v1/workspaces')
  expect(listed.json()).toMatchObject({ workspaces: [], joinable: [] })
  await owner.deleteFrom('sign_in_provider').execute()
})

it('admits no removed members, and no one after the domain was removed', async () => {
  const listed = await send('owner', 'GET', '/v1/email-domains')
  const [domain] = listed.json<{ emailDomains: { id: string }[] }>().emailDomains
  const [workspace] = (await send('removed', 'GET', '/v1/workspaces')).json<{ joinable: { id: string }[] }>().joinable
  const join = (person: string) => send(person, 'POST', `/v1/workspaces/${workspace?.id}/join`, {})
  await join('removed')
  await send('owner', 'DELETE', '/v1/members/removed')
  expect((await join('removed')).statusCode).toBe(404)
  await send('owner', 'DELETE', `/v1/email-domains/${domain?.id}`)
  expect((await join('late')).statusCode).toBe(404)
})
