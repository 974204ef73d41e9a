/** Owners and teams of targets, and who may permit intrusive checks. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTeam, reasonOf, type Team } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())
let team: Team
let id: string
beforeAll(async () => {
  team = await openTeam(users, 'olga')
  await team.add('ann', 'analyst')
  await team.add('adam', 'admin')
  ;({ id } = await users.target('olga'))
})
const change = (person: string, body: object, paths = Object.keys(body)) =>
  team.as(person, { method: 'PATCH', url: `/v1/targets/${id}`, payload: { ...body, updateMask: { paths } } })
const listed = async (query: string) =>
  (await team.as('ann', { method: 'GET', url: `/v1/targets?${query}` })).json<{ targets: { id: string }[] }>().targets

it('a target has an owner, by whom lists are filtered', async () => {
  const response = await change('ann', { owner: { id: 'ann' } })
  expect(response.json()).toMatchObject({ target: { owner: { id: 'ann', name: 'ann Muster' } } })
  expect(await listed('filter.ownerIds=ann')).toMatchObject([{ id }])
  expect(await listed('filter.ownerIds=adam')).toEqual([])
  expect((await change('ann', { owner: null })).json<{ target: object }>().target).not.toHaveProperty('owner')
})

it('several targets get an owner in one call', async () => {
  const payload = { ids: [id], owner: { id: 'adam' } }
  await team.as('ann', { method: 'POST', url: '/v1/targets/batch/update', payload })
  expect(await listed('filter.ownerIds=adam')).toMatchObject([{ id, owner: { id: 'adam' } }])
})

it('only members can be owners or in teams', async () => {
  for (const response of [
    await change('ann', { owner: { id: 'outsider' } }),
    await team.as('ann', {
      method: 'POST',
      url: '/v1/tags',
      payload: { tag: { name: 'x', color: 1, team: { memberIds: ['ann', 'outsider'] } } },
    }),
  ])
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      400,
      'outsider is not a member of this workspace',
    ])
})

it('a tag becomes a team and an ordinary tag again', async () => {
  const payload = { tag: { name: 'Web team', color: 3, team: { memberIds: ['ann', 'adam', 'ann'] } } }
  const created = await team.as('ann', { method: 'POST', url: '/v1/tags', payload })
  const { tag } = created.json<{ tag: { id: string } }>()
  expect(tag).toMatchObject({ name: 'Web team', team: { memberIds: ['ann', 'adam'] } })
  const update = { tag: { team: null }, updateMask: { paths: ['team'] } }
  const updated = await team.as('ann', { method: 'PATCH', url: `/v1/tags/${tag.id}`, payload: update })
  expect(updated.json()).toEqual({ tag: { id: tag.id, name: 'Web team', color: 3 } })
})

it('only owners and admins change which intrusive checks may run', async () => {
  const rejected = await change('ann', { permissions: ['logins'] })
  expect([rejected.statusCode, reasonOf(rejected)]).toEqual([403, 'ROLE_NOT_ALLOWED'])
  expect((await change('adam', { permissions: ['logins'] })).statusCode).toBe(200)
  // The same value is no change.
  expect((await change('ann', { name: 'Renamed', permissions: ['logins'] })).statusCode).toBe(200)
  expect(reasonOf(await change('ann', { permissions: [] }))).toBe('ROLE_NOT_ALLOWED')
  const payload = { name: 'N', address: '127.90.1.9', schedule: { period: 'PERIOD_DAILY' }, permissions: ['crashes'] }
  expect(reasonOf(await team.as('ann', { method: 'POST', url: '/v1/targets', payload }))).toBe('ROLE_NOT_ALLOWED')
  expect((await team.as('olga', { method: 'POST', url: '/v1/targets', payload })).statusCode).toBe(200)
})

it('a token of an admin who became an analyst cannot change them either', async () => {
  const apiToken = { name: 't', scopes: ['SCOPE_WRITE'] }
  const created = await team.as('adam', { method: 'POST', url: '/v1/api-tokens', payload: { apiToken } })
  const { token } = created.json<{ apiToken: { token: string } }>().apiToken
  const permit = (permissions: string[]) =>
    users.app.inject({
      method: 'PATCH',
      url: `/v1/targets/${id}`,
      headers: { authorization: `Bearer ${token}` },
      payload: { permissions, updateMask: { paths: ['permissions'] } },
    })
  expect((await permit(['writes'])).statusCode).toBe(200)
  await team.as('olga', { method: 'PATCH', url: '/v1/members/adam', payload: { role: 'analyst' } })
  expect(reasonOf(await permit([]))).toBe('ROLE_NOT_ALLOWED')
})
