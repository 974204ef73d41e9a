import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTeam, reasonOf, type Team, verifyDomain } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'

/** People in the embedded identity service, by email address. */
const known = new Map<string, { id: string; name: string }>()
const users = await openTestUsers({ findPerson: async (email) => known.get(email.toLowerCase()) ?? null })
afterAll(() => users.close())
let team: Team
let authorization: string

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

async function tokenOf(owner: Team, person = owner.owner) {
  const payload = { token: { name: 'Entra ID' } }
  const response = await owner.as(person, { method: 'POST', url: '/v1/provisioning/tokens', payload })
  return `Bearer ${response.json<{ token: { token: string } }>().token.token}`
}
beforeAll(async () => {
  team = await openTeam(users, 'olga')
  await verifyDomain(users, team.workspace, 'example.ch')
  authorization = await tokenOf(team)
})

const scim = (method: InjectOptions['method'] & string, path: string, payload?: unknown, headers: object = {}) =>
  users.app.inject({
    method: method as 'GET',
    url: `/scim/v2${path}`,
    headers: { authorization, ...(payload !== undefined && { 'content-type': 'application/scim+json' }), ...headers },
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
interface User {
  id: string
  active: boolean
  userName: string
  meta: { location: string; version: string }
  groups: { display: string }[]
}
const createUser = async (name: string, more: object = {}) => {
  const body = { schemas: [userSchema], userName: `${name}@example.ch`, ...more }
  const response = await scim('POST', '/Users', body)
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<User>()
}
const patch = (path: string, ...Operations: object[]) => scim('PATCH', path, { schemas: [patchSchema], Operations })
const open = (person: string) => team.as(person, { method: 'GET', url: '/v1/workspace' })
const roleOf = async (person: string) => (await open(person)).json<{ workspace?: { role: string } }>().workspace?.role
const actions = async () => {
  const response = await team.as('olga', { method: 'GET', url: '/v1/audit-events?pageSize=200' })
  return response.json<{ events: { action: string; actor: { name: string } }[] }>().events
}

describe('a user', () => {
  // The request of RFC 7644, section 3.3.
  const example = {
    schemas: [userSchema],
    userName: 'bjensen',
    externalId: 'bjensen',
    name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
  }

  it('is created as in RFC 7644, and found by ID, username, and external ID', async () => {
    const response = await scim('POST', '/Users', example)
    const created = response.json<User>()
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      201,
      'application/scim+json; charset=utf-8',
    ])
    expect(created).toMatchObject({ ...example, active: true, meta: { resourceType: 'User' } })
    expect([response.headers.location, response.headers['etag']]).toEqual([created.meta.location, created.meta.version])
    const filters = ['userName eq "BJENSEN"', 'externalId eq "bjensen"', `id eq "${created.id}" and active eq true`]
    for (const filter of filters) {
      const found = (await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)).json<object>()
      expect(found).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [created] })
    }
    const none = (await scim('GET', `/Users?filter=${encodeURIComponent('externalId eq "BJENSEN"')}`)).json<object>()
    expect(none).toMatchObject({ totalResults: 0, Resources: [] })
    expect((await scim('GET', `/Users/${created.id}`)).json()).toEqual(created)
    expect((await scim('DELETE', `/Users/${created.id}`)).statusCode).toBe(204)
    expect((await scim('GET', `/Users/${created.id}`)).statusCode).toBe(404)
  })

  it('becomes a member at the first sign-in with the verified address', async () => {
    await createUser('kim', { displayName: 'Kim' })
    const { provisioning } = (await team.as('olga', { method: 'GET', url: '/v1/provisioning' })).json<{
      provisioning: { pendingMembers: object[]; tokens: { lastUsedTime?: string }[] }
    }>()
    expect(provisioning.pendingMembers).toMatchObject([{ name: 'Kim', email: 'kim@example.ch', role: 'viewer' }])
    expect(provisioning.tokens[0]?.lastUsedTime).toBeTruthy()
    const listed = await users.request({ method: 'GET', url: '/v1/workspaces' }, 'kim')
    expect(listed.json()).toMatchObject({ workspaces: [{ id: team.workspace, role: 'viewer' }] })
    expect(await roleOf('kim')).toBe('viewer')
  })

  it('gets no workspace of their own before they verify the address', async () => {
    await createUser('unverified-una')
    const response = await users.request({ method: 'GET', url: '/v1/targets' }, 'unverified-una')
    expect([response.statusCode, reasonOf(response)]).toEqual([403, 'NO_WORKSPACE'])
  })

  it('stays pending with an address in a domain that the workspace has not verified', async () => {
    known.set('vera@elsewhere.example', { id: 'vera', name: 'Vera' })
    await createUser('vera', { userName: 'vera@elsewhere.example' })
    expect(await roleOf('vera')).toBeUndefined()
  })

  it('is a member immediately if someone has the verified address', async () => {
    known.set('max@example.ch', { id: 'max', name: 'Secret Name' })
    await createUser('max', { displayName: 'Max' })
    const members = (await team.as('olga', { method: 'GET', url: '/v1/members' })).json<{
      members: { id: string; name: string }[]
    }>()
    expect(members.members.find(({ id }) => id === 'max')?.name).toBe('Max')
    expect(await roleOf('max')).toBe('viewer')
  })

  it.each([
    ['Entra ID', { op: 'Replace', path: 'active', value: 'False' }, { op: 'Replace', path: 'active', value: 'True' }],
    ['Okta', { op: 'replace', value: { active: false } }, { op: 'replace', value: { active: true } }],
  ])('loses access with the next request when %s deactivates them', async (provider, off, on) => {
    const name = `leaver-${provider.split(' ')[0]}`
    const { id } = await createUser(name)
    await open(name)
    const token = { apiToken: { name: 't', scopes: ['SCOPE_READ'] } }
    expect(await roleOf(name)).toBe('viewer')
    expect((await patch(`/Users/${id}`, off)).json()).toMatchObject({ active: false })
    expect(reasonOf(await open(name))).toBe('MEMBERSHIP_ENDED')
    expect((await team.as(name, { method: 'POST', url: '/v1/api-tokens', payload: token })).statusCode).toBe(403)
    expect((await patch(`/Users/${id}`, on)).json()).toMatchObject({ active: true })
    expect(await roleOf(name)).toBe('viewer')
    const seen = await actions()
    expect(seen.find(({ action }) => action === 'member.deactivate')?.actor.name).toBe('provisioning token Entra ID')
  })

  it('stays if they are the last owner', async () => {
    known.set('olga@example.ch', { id: 'olga', name: 'Olga' })
    const { id } = await createUser('olga')
    const response = await patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
    expect([response.statusCode, response.json<{ detail: string }>().detail]).toEqual([
      409,
      'This member is the last owner. Transfer ownership to another member first',
    ])
    expect((await scim('DELETE', `/Users/${id}`)).statusCode).toBe(409)
    expect((await scim('GET', `/Users/${id}`)).json()).toMatchObject({ active: true })
    expect(await roleOf('olga')).toBe('owner')
  })

  it('is shown as inactive after they were removed here', async () => {
    const { id } = await createUser('removed')
    await open('removed')
    await team.as('olga', { method: 'DELETE', url: '/v1/members/removed' })
    expect((await scim('GET', `/Users/${id}`)).json()).toMatchObject({ active: false })
  })

  it('is replaced by PUT, which removes what is missing', async () => {
    const { id } = await createUser('put', { externalId: 'x', name: { givenName: 'P' } })
    const body = { schemas: [userSchema], userName: 'PUT@example.ch', active: true }
    const replaced = (await scim('PUT', `/Users/${id}`, body)).json<object>()
    expect(replaced).toMatchObject({ userName: 'PUT@example.ch' })
    expect(replaced).not.toHaveProperty('externalId')
    expect(replaced).not.toHaveProperty('name')
  })
})

describe('a group', () => {
  it('gives its members the role that it maps to, and takes it away', async () => {
    const [{ id: ann }, { id: ben }] = [await createUser('ann'), await createUser('ben')]
    await Promise.all([open('ann'), open('ben')])
    const body = { schemas: [groupSchema], displayName: 'Security', members: [{ value: ann }] }
    const { id } = (await scim('POST', '/Groups', body)).json<{ id: string }>()
    expect(await roleOf('ann')).toBe('viewer')
    const payload = {
      provisioning: { groupRoles: [{ group: 'Security', role: 'analyst' }], defaultRole: 'auditor' },
      updateMask: { paths: ['groupRoles', 'defaultRole'] },
    }
    const updated = await team.as('olga', { method: 'PATCH', url: '/v1/provisioning', payload })
    expect(updated.json()).toMatchObject({ provisioning: { groups: [{ name: 'Security', memberCount: 1 }] } })
    expect([await roleOf('ann'), await roleOf('ben'), await roleOf('olga')]).toEqual(['analyst', 'auditor', 'owner'])
    await patch(
      `/Groups/${id}`,
      { op: 'add', path: 'members', value: [{ value: ben }] },
      { op: 'remove', path: `members[value eq "${ann}"]` },
    )
    expect([await roleOf('ann'), await roleOf('ben')]).toEqual(['auditor', 'analyst'])
    expect((await scim('GET', `/Users/${ben}`)).json<User>().groups).toMatchObject([{ value: id, display: 'Security' }])
    const light = (await scim('GET', `/Groups/${id}?excludedAttributes=members`)).json<object>()
    expect(light).not.toHaveProperty('members')
    await scim('DELETE', `/Groups/${id}`)
    expect(await roleOf('ben')).toBe('auditor')
  })

  it('rejects members that do not exist', async () => {
    const body = { schemas: [groupSchema], displayName: 'X', members: [{ value: team.workspace }] }
    expect((await scim('POST', '/Groups', body)).json()).toMatchObject({ status: '400', scimType: 'invalidValue' })
  })
})

describe('the protocol', () => {
  it('pages, and treats values below the minimum as the minimum', async () => {
    const total = (await scim('GET', '/Users?count=0')).json<{ totalResults: number; Resources: User[] }>()
    expect(total.Resources).toEqual([])
    const all = (await scim('GET', '/Users?startIndex=-3')).json<{ Resources: User[] }>().Resources
    expect(all).toHaveLength(total.totalResults)
    const second = (await scim('GET', '/Users?startIndex=2&count=1')).json<{ Resources: User[]; startIndex: number }>()
    expect([second.startIndex, second.Resources.map(({ id }) => id)]).toEqual([2, [all[1]?.id]])
  })

  it.each([
    ['no token', 'GET', '/Users', undefined, { authorization: '' }, 401, undefined],
    ['a wrong token', 'GET', '/Users', undefined, { authorization: `Bearer gls_${'x'.repeat(43)}` }, 401, undefined],
    ['an invalid filter', 'GET', '/Users?filter=userName%20is%20x', undefined, {}, 400, 'invalidFilter'],
    ['a filter by another attribute', 'GET', '/Users?filter=title%20eq%20%22x%22', undefined, {}, 400, 'invalidFilter'],
    ['a filter by an inherited name', 'GET', '/Users?filter=constructor%20pr', undefined, {}, 400, 'invalidFilter'],
    ['a non-numeric count', 'GET', '/Users?count=many', undefined, {}, 400, 'invalidValue'],
    ['no username', 'POST', '/Users', { schemas: [userSchema] }, {}, 400, 'invalidValue'],
    ['another schema', 'POST', '/Users', { schemas: [groupSchema], userName: 'x' }, {}, 400, 'invalidSyntax'],
    ['a list', 'POST', '/Users', [], {}, 400, 'invalidSyntax'],
    ['a NUL character', 'POST', '/Users', { schemas: [userSchema], userName: 'a\0b' }, {}, 400, 'invalidSyntax'],
    ['a malformed id', 'GET', '/Users/nonsense', undefined, {}, 404, undefined],
    ['an unknown path', 'GET', '/Devices', undefined, {}, 404, undefined],
    ['another method', 'DELETE', '/Users', undefined, {}, 405, undefined],
    ['a bulk request', 'POST', '/Bulk', {}, {}, 501, undefined],
  ])('responds to %s with a SCIM error', async (_, method, path, body, headers, status, scimType) => {
    const response = await scim(method, path, body, headers)
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      status,
      'application/scim+json; charset=utf-8',
    ])
    expect(response.json()).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType && { scimType }),
    })
  })

  it('finds nothing by a text that no resource can have', async () => {
    for (const value of ['"\\u0000"', '"\\ud800"']) {
      const response = await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq ${value}`)}`)
      expect([response.statusCode, response.json<{ totalResults: number }>().totalResults]).toEqual([200, 0])
    }
  })

  it('rejects a username that is already in use', async () => {
    await createUser('twin')
    const response = await scim('POST', '/Users', { schemas: [userSchema], userName: 'TWIN@example.ch' })
    expect(response.json()).toMatchObject({ status: '409', scimType: 'uniqueness' })
  })

  it('detects concurrent changes by version', async () => {
    const { id, meta } = await createUser('etag')
    const same = await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': meta.version })
    expect(same.statusCode).toBe(304)
    const body = { schemas: [userSchema], userName: 'etag2@example.ch' }
    expect((await scim('PUT', `/Users/${id}`, body, { 'if-match': 'W/"other"' })).statusCode).toBe(412)
    expect((await scim('PUT', `/Users/${id}`, body, { 'if-match': meta.version })).statusCode).toBe(200)
    expect((await scim('DELETE', `/Users/${id}`, undefined, { 'if-match': meta.version })).statusCode).toBe(412)
  })

  it('describes itself without a token', async () => {
    for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/ResourceTypes/User', `/Schemas/${groupSchema}`])
      expect((await scim('GET', path, undefined, { authorization: '' })).statusCode).toBe(200)
  })
})

describe('a provisioning token', () => {
  it('reaches only its own workspace', async () => {
    const { id } = await createUser('hidden')
    const other = await openTeam(users, 'otto')
    const headers = { authorization: await tokenOf(other) }
    expect((await scim('GET', `/Users/${id}`, undefined, headers)).statusCode).toBe(404)
    expect((await scim('DELETE', `/Users/${id}`, undefined, headers)).statusCode).toBe(404)
    expect((await scim('GET', '/Users', undefined, headers)).json()).toMatchObject({ totalResults: 0 })
  })

  it('stops working when it is revoked, and while its creator is neither owner nor admin', async () => {
    await team.add('adam', 'admin')
    const headers = { authorization: await tokenOf(team, 'adam') }
    expect((await scim('GET', '/Users', undefined, headers)).statusCode).toBe(200)
    await team.as('olga', { method: 'PATCH', url: '/v1/members/adam', payload: { role: 'analyst' } })
    expect((await scim('GET', '/Users', undefined, headers)).statusCode).toBe(401)
    await team.as('olga', { method: 'PATCH', url: '/v1/members/adam', payload: { role: 'admin' } })
    const listed = await team.as('olga', { method: 'GET', url: '/v1/provisioning' })
    const { tokens } = listed.json<{ provisioning: { tokens: { id: string; createdBy: string }[] } }>().provisioning
    const revoked = tokens.find(({ createdBy }) => createdBy.startsWith('adam'))
    await team.as('olga', { method: 'DELETE', url: `/v1/provisioning/tokens/${revoked?.id}` })
    expect((await scim('GET', '/Users', undefined, headers)).statusCode).toBe(401)
  })
})
