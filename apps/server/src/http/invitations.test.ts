import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { deliverInvitation } from '#workspaces/index.ts'
import { linkToken, openTeam, reasonOf, type Team } from '#testing/team.ts'
import { testSecret } from '#testing/api.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())
let team: Team
beforeAll(async () => void (team = await openTeam(users, 'inviter')))

const accept = (person: string, payload: object) =>
  users.request({ method: 'POST', url: '/v1/invitations/accept', payload }, person)
const preview = (person: string, token: string) =>
  users.request({ method: 'POST', url: '/v1/invitations/preview', payload: { token } }, person)
const outcome = (response: Awaited<ReturnType<typeof accept>>) => [
  response.statusCode,
  reasonOf(response),
  response.json<{ message: string }>().message,
]
/** Moves the times of an invitation into the past. */
const age = (id: string, interval: string) =>
  sql`
    update invitation set sent_at = sent_at - ${interval}::interval, expires_at = expires_at - ${interval}::interval
    where id = ${id}`.execute(users.server.database.owner)

describe('an invitation', () => {
  it('makes the person with the verified address a member, once', async () => {
    const id = await team.invite('Joiner@example.ch', 'analyst')
    const token = linkToken(id)
    expect((await preview('joiner', token)).json()).toMatchObject({
      invitation: { workspaceName: "inviter Muster's workspace", role: 'analyst', invitedBy: 'inviter Muster' },
    })
    expect((await accept('joiner', { token })).json()).toEqual({
      workspaceId: team.workspace,
      workspaceName: "inviter Muster's workspace",
      role: 'analyst',
    })
    expect((await team.as('joiner', { method: 'GET', url: '/v1/targets' })).statusCode).toBe(200)
    expect(outcome(await accept('joiner', { token }))).toEqual([
      400,
      'INVITATION_USED',
      'This invitation was already used. Ask for a new one if you still need access',
    ])
  })

  it('is used once by concurrent requests', async () => {
    const token = linkToken(await team.invite('racer@example.ch'))
    const statuses = (await Promise.all([accept('racer', { token }), accept('racer', { token })])).map(
      ({ statusCode }) => statusCode,
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  it('can be accepted from the list, without the link', async () => {
    const id = await team.invite('lister@example.ch', 'viewer')
    expect((await accept('lister', { id })).statusCode).toBe(200)
    expect((await accept('outsider', { id: await team.invite('else@example.ch') })).statusCode).toBe(404)
  })

  it('grants nothing to the holder of the link with another or an unverified address', async () => {
    const token = linkToken(await team.invite('meant@example.ch'))
    expect(outcome(await accept('thief', { token }))).toEqual([
      403,
      'INVITATION_FOR_ANOTHER_ADDRESS',
      'This invitation is for m…@example.ch. Sign in with that address',
    ])
    const own = linkToken(await team.invite('unverified@example.ch'))
    expect(outcome(await accept('unverified', { token: own }))).toEqual([
      403,
      'EMAIL_NOT_VERIFIED',
      'Verify your email address unverified@example.ch first to accept this invitation',
    ])
  })

  it('has a link that cannot be guessed', async () => {
    const token = linkToken(await team.invite('forged@example.ch'))
    const forged = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await preview('forged', forged)).statusCode).toBe(404)
    expect((await preview('forged', 'nonsense')).statusCode).toBe(404)
  })

  it('expires after seven days and can be sent again', async () => {
    const id = await team.invite('late@example.ch')
    await age(id, '7 days')
    expect(outcome(await accept('late', { token: linkToken(id) }))).toEqual([
      400,
      'INVITATION_EXPIRED',
      'This invitation has expired. Ask the person who invited you to send it again',
    ])
    const resent = await team.as('inviter', { method: 'POST', url: `/v1/invitations/${id}/resend`, payload: {} })
    expect(resent.json()).toMatchObject({ invitation: { isExpired: false } })
    expect(outcome(await accept('late', { token: linkToken(id) }))[1]).toBe('INVITATION_REVOKED')
    expect((await accept('late', { token: linkToken(id, 2) })).statusCode).toBe(200)
  })

  it('stops working when it is revoked, and leaves the list', async () => {
    const id = await team.invite('dropped@example.ch')
    await team.as('inviter', { method: 'DELETE', url: `/v1/invitations/${id}` })
    expect(outcome(await accept('dropped', { token: linkToken(id) }))).toEqual([
      400,
      'INVITATION_REVOKED',
      'This invitation was revoked, or replaced by a newer email. Use the latest email or ask for a new one',
    ])
    const { invitations } = (await team.as('inviter', { method: 'GET', url: '/v1/invitations' })).json<{
      invitations: { email: string }[]
    }>()
    expect(invitations.map(({ email }) => email)).not.toContain('dropped@example.ch')
  })

  it('is rejected for a member, and for an address that already has one', async () => {
    const invite = (email: string) =>
      team.as('inviter', { method: 'POST', url: '/v1/invitations', payload: { invitation: { email, role: 'viewer' } } })
    expect(outcome(await invite('INVITER@example.ch'))).toEqual([
      409,
      'ALREADY_MEMBER',
      'INVITER@example.ch is already a member with the role owner. Change the role instead',
    ])
    await team.invite('twice@example.ch')
    expect(outcome(await invite('Twice@example.ch'))).toEqual([
      409,
      'ALREADY_INVITED',
      'Twice@example.ch already has a pending invitation. Resend or revoke it',
    ])
  })

  it('is throttled: per address, and per workspace and day', async () => {
    const id = await team.invite('patient@example.ch')
    const resent = await team.as('inviter', { method: 'POST', url: `/v1/invitations/${id}/resend`, payload: {} })
    expect([resent.statusCode, resent.json()]).toMatchObject([429, { message: expect.stringContaining('5 minutes') }])
    const waitSeconds = Number(resent.headers['retry-after'])
    expect(waitSeconds).toBeGreaterThan(0)
    expect(waitSeconds).toBeLessThanOrEqual(300)
    const crowd = await openTeam(users, 'spammer')
    await sql`
      insert into invitation (account_id, id, email, role, invited_by, created_at, sent_at, expires_at)
      select ${crowd.workspace}, new_id(), n || '@example.ch', 'viewer', '', now(), now(), now()
      from generate_series(1, 100) as n`.execute(users.server.database.owner)
    const invitation = { email: 'more@example.ch', role: 'viewer' }
    const more = await crowd.as('spammer', { method: 'POST', url: '/v1/invitations', payload: { invitation } })
    expect([more.statusCode, more.json().message]).toEqual([
      429,
      expect.stringContaining('at most 100 invitations a day'),
    ])
    expect(Number(more.headers['retry-after'])).toBeGreaterThan(86_000)
    expect(Number(more.headers['retry-after'])).toBeLessThanOrEqual(86_400)
  })

  it('is sent at most five times a day to one address, even if it is revoked each time', async () => {
    const team = await openTeam(users, 'insistent')
    for (let count = 0; count < 5; count++) {
      const id = await team.invite(count === 0 ? 'Victim@example.ch' : 'victim@example.ch')
      await team.as('insistent', { method: 'DELETE', url: `/v1/invitations/${id}` })
    }
    await expect(team.invite('victim@example.ch')).rejects.toThrow('already sent 5 invitations')
    await expect(team.invite('other@example.ch')).resolves.toBeDefined()
  })

  it('is mailed with its link, unless it was revoked in the meantime', async () => {
    const mails: { to: string; subject: string; text: string }[] = []
    const mailer = { deliver: async (mail: (typeof mails)[number]) => void mails.push(mail), close: () => undefined }
    const log = { info() {}, warn() {}, error() {} }
    const { database } = users.server
    const mailing = { database, mailer, url: 'https://glacis.example', secret: testSecret, log }
    const invitationId = await team.invite('mailed@example.ch', 'auditor')
    const data = { account: team.workspace, invitationId }
    await deliverInvitation(mailing, { data })
    await team.as('inviter', { method: 'DELETE', url: `/v1/invitations/${invitationId}` })
    await deliverInvitation(mailing, { data })
    expect(mails).toMatchObject([
      { to: 'mailed@example.ch', subject: "inviter Muster invited you to inviter Muster's workspace" },
    ])
    expect(mails[0]?.text).toContain(`https://glacis.example/invitation?token=${linkToken(invitationId)}`)
  })
})
