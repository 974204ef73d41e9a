/** Two tabs that save the same settings: the second save reports the first, and changes nothing. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTeam, reasonOf, type Team } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())
const server = createServer()
await once(server.listen(0, '127.0.0.1'), 'listening')
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
server.on('request', new Provider(issuer, {}).callback())
afterAll(() => void server.close())

let team: Team
beforeAll(async () => void (team = await openTeam(users, 'olga')))
const send = (method: 'PUT' | 'PATCH', url: string, payload: object) => team.as('olga', { method, url, payload })

const retention = { historyDays: null, evidenceDays: null, auditDays: null }
const groupRoles = [{ group: 'security', role: 'analyst' }]
const provider = (label: string) => ({ label, issuer, clientId: 'glacis' })

it.each<[string, (value: string) => ReturnType<typeof send>, (readonly [string, string])?]>([
  [
    'the name',
    (name: string) =>
      send('PATCH', '/v1/workspace', { ...masked({ name }), replaces: { name: "olga Muster's workspace" } }),
  ],
  [
    'the time zone',
    (timeZone: string) => send('PATCH', '/v1/workspace', { ...masked({ timeZone }), replaces: { timeZone: 'UTC' } }),
    ['Europe/Zurich', 'Europe/Oslo'],
  ],
  [
    'the retention',
    (days: string) => {
      const changed = masked({ retention: { ...retention, auditDays: Number(days) } })
      return send('PATCH', '/v1/workspace', { ...changed, replaces: { retention } })
    },
    ['30', '60'],
  ],
  [
    'the networks',
    (network: string) =>
      send('PUT', '/v1/workspace/sign-in-networks', { networks: ['127.0.0.0/8', network], replaces: [] }),
    ['192.0.2.0/24', '198.51.100.0/24'],
  ],
  [
    'the roles of groups',
    (group: string) => {
      const changed = { groupRoles: [...groupRoles, { group, role: 'viewer' }] }
      const payload = { provisioning: changed, updateMask: { paths: ['groupRoles'] }, replaces: { groupRoles: [] } }
      return send('PATCH', '/v1/provisioning', payload)
    },
  ],
  [
    'the provider',
    (label: string) => send('PUT', '/v1/sign-in-provider', { provider: provider(label), replaces: null }),
  ],
])('reports that %s changed', async (_, save, [mine, other] = ['mine', 'other']) => {
  const first = await save(mine)
  expect(first.statusCode).toBe(200)
  const second = await save(other)
  expect([second.statusCode, reasonOf(second)]).toEqual([409, 'SETTINGS_CHANGED'])
  expect(second.body).toContain('Someone else changed these settings in the meantime')
})

it('accepts a change of the current settings', async () => {
  const { updateTime } = (await team.as('olga', { method: 'GET', url: '/v1/sign-in-provider' })).json<{
    provider: { updateTime: string }
  }>().provider
  const changed = await send('PUT', '/v1/sign-in-provider', { provider: provider('Acme'), replaces: updateTime })
  expect(changed.statusCode).toBe(200)
  const { name } = (await team.as('olga', { method: 'GET', url: '/v1/workspace' })).json<{
    workspace: { name: string }
  }>().workspace
  const renamed = await send('PATCH', '/v1/workspace', { ...masked({ name: 'Acme' }), replaces: { name } })
  expect(renamed.statusCode).toBe(200)
})

it('compares concurrent changes one after the other', async () => {
  const save = (name: string) => send('PATCH', '/v1/workspace', { ...masked({ name }), replaces: { name: 'Acme' } })
  const statuses = (await Promise.all([save('A'), save('B')])).map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409])
})

function masked(workspace: object) {
  return { workspace, updateMask: { paths: Object.keys(workspace) } }
}
