import { afterAll, expect, it } from 'vitest'
import { lockForLimit } from '#database/limit-lock.ts'
import { untilLockWait } from '#testing/concurrency.ts'
import { openTeam, reasonOf } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())

it('accepts one of two simultaneous demotions, and rejects the other because the role has changed', async () => {
  const team = await openTeam(users, 'referee')
  await team.add('red', 'admin')
  await team.add('blue', 'admin')
  const demote = (by: string, id: string) =>
    team.as(by, { method: 'PATCH', url: `/v1/members/${id}`, payload: { role: 'viewer' } })
  // Both are authorized as admins before either change is committed.
  const { requests } = await users.server.as(team.workspace, async (ctx) => {
    await lockForLimit(ctx, 'members')
    const both = [demote('red', 'blue'), demote('blue', 'red')]
    await untilLockWait(users.server, 2)
    return { requests: both }
  })
  const [won, lost] = (await Promise.all(requests)).toSorted((a, b) => a.statusCode - b.statusCode)
  expect([won?.statusCode, lost?.statusCode]).toEqual([200, 409])
  expect(lost && [reasonOf(lost), lost.json<{ message: string }>().message]).toEqual([
    'OWN_ROLE_CHANGED',
    'Your role was just changed to viewer, so nothing was changed. Reload the page',
  ])
  const { members } = (await team.as('referee', { method: 'GET', url: '/v1/members' })).json<{
    members: { id: string; role: string }[]
  }>()
  expect(
    members
      .filter(({ id }) => id !== 'referee')
      .map(({ role }) => role)
      .toSorted(),
  ).toEqual(['admin', 'viewer'])
})
