/** The table of permissions, call by call and role by role, against the running API. */
import { hasQuery } from '@glacis/contract/endpoint'
import { type CallName, isAllowed, permissions } from '@glacis/contract/permissions'
import { type Role, roles } from '@glacis/contract/role'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { callNameOf } from '#http/calls.ts'
import { openTeam, reasonOf, type Team } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())
let team: Team
const nameOf = (role: Role) => (role === 'owner' ? 'olga' : role)
beforeAll(async () => {
  team = await openTeam(users, 'olga')
  for (const role of roles) if (role !== 'owner') await team.add(role, role)
})

const files: Readonly<Partial<Record<CallName, string>>> = {
  getScanReport: `/v1/scans/${newId()}/report`,
  exportIssues: '/v1/issues/export',
  exportProducts: '/v1/products/export',
  exportAuditEvents: '/v1/audit-events/export',
  exportWorkspace: '/v1/workspace/export',
}
/** A body that no call accepts, so that an allowed call is authorized and changes nothing. */
const invalidBody = '[]'

/** Every call with a request for it. Streams have tests of their own. */
const requests = [
  ...users.endpoints.map((endpoint) => ({
    call: callNameOf(endpoint),
    method: endpoint.method,
    url: endpoint.path.replaceAll(/:\w+/g, newId()),
    ...(!hasQuery(endpoint.method) && { payload: invalidBody, headers: { 'content-type': 'application/json' } }),
  })),
  ...Object.entries(files).map(([call, url]) => ({ call: call as CallName, method: 'GET' as const, url })),
]

it('covers every line of the table', () => {
  expect([...requests.map(({ call }) => call), 'streamEvents'].toSorted()).toEqual(Object.keys(permissions).toSorted())
})

describe.each(roles)('the role %s', (role) => {
  it.each(requests)(
    '$call',
    async ({ call, headers, ...options }: (typeof requests)[number] & { headers?: object }) => {
      const workspace = { 'glacis-workspace': team.workspace, ...headers }
      const response = await users.request({ ...options, headers: workspace }, nameOf(role))
      if (permissions[call].scope === 'installation') {
        expect([response.statusCode, reasonOf(response)]).toEqual([403, 'ADMINISTRATOR_REQUIRED'])
        return
      }
      if (isAllowed(role, call)) {
        expect(response.statusCode).not.toBe(403)
        return
      }
      expect(response.statusCode).toBe(403)
      expect(response.json()).toMatchObject({
        code: 7,
        details: [{ reason: 'ROLE_NOT_ALLOWED', metadata: { role, allowedRoles: permissions[call].roles?.join(',') } }],
      })
    },
  )
})

describe("someone else's workspace", () => {
  it.each(requests.filter(({ call }) => permissions[call].roles !== null))(
    'hides behind 404: $call',
    async (request) => {
      const { call: _, ...options } = request
      const headers = { 'glacis-workspace': team.workspace, 'content-type': 'application/json' }
      const given =
        options.method === 'GET' || options.method === 'DELETE' ? { 'glacis-workspace': team.workspace } : headers
      const response = await users.request({ ...options, headers: given }, 'outsider')
      expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
        404,
        `No workspace has the ID ${team.workspace}`,
      ])
    },
  )
})

describe('an API token', () => {
  const create = async (person: string, apiToken: object) =>
    team.as(person, { method: 'POST', url: '/v1/api-tokens', payload: { apiToken: { name: 't', ...apiToken } } })
  const bearer = async (person: string, apiToken: object) => {
    const response = await create(person, apiToken)
    return `Bearer ${response.json<{ apiToken: { token: string } }>().apiToken.token}`
  }
  const send = (authorization: string, headers: object = {}) =>
    users.app.inject({ method: 'POST', url: '/v1/tags', payload: [], headers: { authorization, ...headers } })

  it('is limited by its role, regardless of its scopes', async () => {
    const authorization = await bearer('admin', { scopes: ['SCOPE_WRITE'], role: 'viewer' })
    expect(reasonOf(await send(authorization))).toBe('ROLE_NOT_ALLOWED')
  })

  it('gets the role of its creator by default, and no role above it', async () => {
    const authorization = await bearer('analyst', { scopes: ['SCOPE_WRITE'] })
    expect((await send(authorization)).statusCode).toBe(400)
    const response = await create('analyst', { scopes: ['SCOPE_READ'], role: 'admin' })
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      400,
      "Your role is analyst, so the token can't have the role admin",
    ])
  })

  it('loses permissions with its creator, and stops working when they are removed', async () => {
    await team.add('creator', 'analyst')
    const authorization = await bearer('creator', { scopes: ['SCOPE_WRITE'] })
    await team.as('olga', { method: 'PATCH', url: '/v1/members/creator', payload: { role: 'viewer' } })
    expect(reasonOf(await send(authorization))).toBe('ROLE_NOT_ALLOWED')
    await team.as('olga', { method: 'DELETE', url: '/v1/members/creator' })
    expect((await send(authorization)).statusCode).toBe(401)
  })

  it('works only from its networks, and in its own workspace', async () => {
    const elsewhere = await bearer('olga', { scopes: ['SCOPE_WRITE'], allowedNetworks: ['192.0.2.0/24'] })
    expect((await send(elsewhere)).json()).toMatchObject({ message: "This API token can't be used from 127.0.0.1" })
    const here = await bearer('olga', { scopes: ['SCOPE_WRITE'], allowedNetworks: ['127.0.0.0/8', '::1'] })
    expect((await send(here)).statusCode).toBe(400)
    expect((await send(here, { 'glacis-workspace': newId() })).statusCode).toBe(404)
  })

  it('is revoked by its creator or an admin, not by another analyst', async () => {
    await team.add('other', 'analyst')
    const { id } = (await create('analyst', { scopes: ['SCOPE_READ'] })).json<{ apiToken: { id: string } }>().apiToken
    const revoke = (person: string) => team.as(person, { method: 'DELETE', url: `/v1/api-tokens/${id}` })
    expect(reasonOf(await revoke('other'))).toBe('ROLE_NOT_ALLOWED')
    expect((await revoke('analyst')).statusCode).toBe(200)
  })
})
