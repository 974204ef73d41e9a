import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { deleteOldAuditEvents } from '#audit.ts'
import { createMemberships, deleteDueWorkspaces } from '#workspaces/index.ts'
import { openTeam, reasonOf, type Team } from '#testing/team.ts'
import { statementsOf } from '#testing/statements.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())
const messageOf = (response: { json: <T>() => T }) => response.json<{ message: string }>().message
const workspacesOf = async (person: string) => {
  const response = await users.request({ method: 'GET', url: '/v1/workspaces' }, person)
  return response.json<{ workspaces: { id: string; name: string; role: string; isDefault: boolean }[] }>().workspaces
}

describe('the first sign-in', () => {
  it('creates one workspace, even for concurrent requests', async () => {
    const get = () => users.request({ method: 'GET', url: '/v1/targets' }, 'newcomer')
    const statuses = (await Promise.all([get(), get(), get(), get()])).map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([200, 200, 200, 200])
    expect(await workspacesOf('newcomer')).toMatchObject([
      { name: "newcomer Muster's workspace", role: 'owner', isDefault: true },
    ])
  })

  it('creates none for an invited person, who can decide', async () => {
    const team = await openTeam(users, 'host')
    await team.invite('guest@example.ch', 'viewer')
    const response = await users.request({ method: 'GET', url: '/v1/targets' }, 'guest')
    expect([response.statusCode, reasonOf(response)]).toEqual([403, 'NO_WORKSPACE'])
    const listed = await users.request({ method: 'GET', url: '/v1/workspaces' }, 'guest')
    expect(listed.json()).toMatchObject({
      workspaces: [],
      invitations: [{ workspaceName: "host Muster's workspace", role: 'viewer', invitedBy: 'host Muster' }],
    })
    const payload = { workspace: { name: 'Own' } }
    await users.request({ method: 'POST', url: '/v1/workspaces', payload }, 'guest')
    expect((await users.request({ method: 'GET', url: '/v1/targets' }, 'guest')).statusCode).toBe(200)
  })
})

describe('a member of two workspaces', () => {
  let team: Team
  beforeAll(async () => {
    await users.target('both', 'Of their own')
    team = await openTeam(users, 'first')
    await users.target('first', 'Of the team')
    await team.add('both', 'analyst')
  })
  const targets = async (workspace?: string) => {
    const headers = workspace === undefined ? {} : { 'glacis-workspace': workspace }
    const response = await users.request({ method: 'GET', url: '/v1/targets', headers }, 'both')
    return response.json<{ targets: { name: string }[] }>().targets.map(({ name }) => name)
  }

  it('sees the data of the selected one only, and by default of the last used one', async () => {
    const own = (await workspacesOf('both')).find(({ role }) => role === 'owner')?.id
    expect(await targets(own)).toEqual(['Of their own'])
    expect(await targets(team.workspace)).toEqual(['Of the team'])
    // The time of use has a precision of a minute.
    await sql`update member set last_used_at = last_used_at - interval '2 minutes' where identity_id = 'both'`.execute(
      users.server.database.owner,
    )
    expect(await targets(own)).toEqual(['Of their own'])
    expect(await targets()).toEqual(['Of their own'])
    expect(await targets(team.workspace)).toEqual(['Of the team'])
  })

  it('can select a workspace where browsers send no header', async () => {
    const own = (await workspacesOf('both')).find(({ role }) => role === 'owner')?.id
    const url = `/v1/products/export?format=csv&workspace=${own}`
    expect((await users.request({ method: 'GET', url }, 'both')).statusCode).toBe(200)
    expect((await users.request({ method: 'GET', url }, 'first')).statusCode).toBe(404)
  })

  it("can't select a workspace with a malformed ID", async () => {
    const headers = { 'glacis-workspace': "x' or true --" }
    expect((await users.request({ method: 'GET', url: '/v1/targets', headers }, 'both')).statusCode).toBe(404)
  })
})

it('finds the membership and role of a session with one statement', async () => {
  const memberships = createMemberships(users.server.database)
  const person = { identityId: 'counted', name: 'Counted', email: 'counted@example.ch', isVerified: true }
  const { workspace } = await memberships.of(person)
  expect(await statementsOf(() => memberships.of(person))).toHaveLength(1)
  expect(await statementsOf(() => memberships.of(person, workspace))).toHaveLength(1)
})

it('adds only the membership to the statements of a request', async () => {
  const team = await openTeam(users, 'hot')
  await team.as('hot', { method: 'GET', url: '/v1/tags' })
  const statements = await statementsOf(() => team.as('hot', { method: 'GET', url: '/v1/tags' }))
  expect(
    statements.map(({ text }) => /^\s*(\w+)[^]*?(?: from "?(\w+)|$)/.exec(text)?.slice(1, 3).join(' ').trim()),
  ).toEqual(['select member', 'begin', 'select', 'select tag', 'commit'])
})

describe('the last owner', () => {
  it.each([
    ['leave', { method: 'POST', url: '/v1/workspace/leave', payload: {} }, 'You are'],
    ['be demoted', { method: 'PATCH', url: '/v1/members/alone', payload: { role: 'admin' } }, 'You are'],
    ['be removed', { method: 'DELETE', url: '/v1/members/alone' }, 'You are'],
  ] as const)("can't %s", async (_, options, who) => {
    const response = await users.request(options, 'alone')
    expect([response.statusCode, reasonOf(response), messageOf(response)]).toEqual([
      409,
      'LAST_OWNER',
      `${who} the last owner. Transfer ownership to another member first`,
    ])
  })

  it('can transfer the ownership and then leave', async () => {
    const team = await openTeam(users, 'retiring')
    await team.add('successor', 'analyst')
    const payload = { memberId: 'successor' }
    const response = await team.as('retiring', { method: 'POST', url: '/v1/workspace/transfer', payload })
    const { members } = response.json<{ members: { id: string; role: string }[] }>()
    expect(members.map(({ id, role }) => [id, role])).toEqual([
      ['retiring', 'admin'],
      ['successor', 'owner'],
    ])
    const left = await team.as('retiring', { method: 'POST', url: '/v1/workspace/leave', payload: {} })
    expect(left.statusCode).toBe(200)
    expect(reasonOf(await team.as('retiring', { method: 'GET', url: '/v1/targets' }))).toBe('MEMBERSHIP_ENDED')
  })

  it('remains when two owners demote each other simultaneously', async () => {
    const team = await openTeam(users, 'left')
    await team.add('right', 'owner')
    const demote = (by: string, id: string) =>
      team.as(by, { method: 'PATCH', url: `/v1/members/${id}`, payload: { role: 'viewer' } })
    const responses = await Promise.all([demote('left', 'right'), demote('right', 'left')])
    expect(responses.map(({ statusCode }) => statusCode).filter((status) => status === 200)).toHaveLength(1)
    const { rows } = await sql<{ owners: number }>`
      select count(*)::int as owners from member where account_id = ${team.workspace} and role = 'owner'`.execute(
      users.server.database.owner,
    )
    expect(rows[0]?.owners).toBe(1)
  })
})

describe('members', () => {
  it('who are removed get a clear message, and keep their name in the history', async () => {
    const team = await openTeam(users, 'keeper')
    await team.add('gone', 'analyst')
    await team.as('keeper', { method: 'DELETE', url: '/v1/members/gone' })
    const response = await team.as('gone', { method: 'GET', url: '/v1/issues' })
    expect([response.statusCode, reasonOf(response), messageOf(response)]).toEqual([
      403,
      'MEMBERSHIP_ENDED',
      'You are no longer a member of this workspace. Ask an owner or admin to invite you again',
    ])
    expect(reasonOf(await users.request({ method: 'GET', url: '/v1/targets' }, 'gone'))).toBe('NO_WORKSPACE')
    await team.add('gone', 'viewer')
    expect((await team.as('gone', { method: 'GET', url: '/v1/issues' })).statusCode).toBe(200)
  })

  it('of admins: only owners change owners', async () => {
    const team = await openTeam(users, 'boss')
    await team.add('deputy', 'admin')
    const responses = await Promise.all([
      team.as('deputy', { method: 'PATCH', url: '/v1/members/deputy', payload: { role: 'owner' } }),
      team.as('deputy', { method: 'DELETE', url: '/v1/members/boss' }),
      team.as('deputy', {
        method: 'POST',
        url: '/v1/invitations',
        payload: { invitation: { email: 'x@example.ch', role: 'owner' } },
      }),
    ])
    expect(responses.map((response) => [response.statusCode, reasonOf(response)])).toEqual(
      Array(3).fill([403, 'ROLE_NOT_ALLOWED']),
    )
  })

  it('are audited with address and user agent', async () => {
    const team = await openTeam(users, 'audited')
    await team.add('promoted', 'viewer')
    const headers = { 'glacis-workspace': team.workspace, 'user-agent': 'Portal/1' }
    const payload = { role: 'auditor' }
    await users.request({ method: 'PATCH', url: '/v1/members/promoted', payload, headers }, 'audited')
    const url = '/v1/audit-events?filter.action=member.role&filter.actorId=audited'
    const { events } = (await team.as('promoted', { method: 'GET', url })).json<{ events: object[] }>()
    expect(events).toMatchObject([
      {
        actor: { kind: 'person', name: 'audited Muster', id: 'audited' },
        ip: '127.0.0.1',
        userAgent: 'Portal/1',
        resource: { kind: 'member', id: 'promoted' },
        detail: { from: 'viewer', to: 'auditor' },
      },
    ])
  })
})

describe('the settings of a workspace', () => {
  it('change as named, and reject an unknown time zone', async () => {
    const patch = (workspace: object) =>
      users.request(
        {
          method: 'PATCH',
          url: '/v1/workspace',
          payload: { workspace, updateMask: { paths: Object.keys(workspace) } },
        },
        'settler',
      )
    const retention = { historyDays: 90, evidenceDays: null, auditDays: 400 }
    const response = await patch({ name: 'Acme', timeZone: 'Europe/Zurich', retention })
    expect(response.json()).toMatchObject({ workspace: { name: 'Acme', timeZone: 'Europe/Zurich', retention } })
    expect(messageOf(await patch({ timeZone: 'Mars/Olympus' }))).toBe(
      "'Mars/Olympus' is not a time zone. Use an IANA name such as Europe/Zurich",
    )
  })
})

describe('the deletion of a workspace', () => {
  const schedule = (name: string) =>
    users.request({ method: 'POST', url: '/v1/workspace/deletion', payload: { name } }, 'quitter')
  const sweep = () => deleteDueWorkspaces(users.server.database, { info() {}, warn() {}, error() {} })

  it('needs the typed name, waits seven days, and can be canceled', async () => {
    const team = await openTeam(users, 'quitter')
    expect([messageOf(await schedule('quitter muster'))]).toEqual([
      "Type the name of the workspace, quitter Muster's workspace, to confirm its deletion",
    ])
    const { workspace } = (await schedule("quitter Muster's workspace")).json<{ workspace: { deleteTime: string } }>()
    const days = (Date.parse(workspace.deleteTime) - Date.now()) / 86_400_000
    expect(days).toBeCloseTo(7, 2)
    await sweep()
    expect((await team.as('quitter', { method: 'GET', url: '/v1/targets' })).statusCode).toBe(200)
    const kept = await team.as('quitter', { method: 'DELETE', url: '/v1/workspace/deletion' })
    expect(kept.json<{ workspace: object }>().workspace).not.toHaveProperty('deleteTime')
    expect((await team.as('quitter', { method: 'DELETE', url: '/v1/workspace/deletion' })).statusCode).toBe(400)
  })

  it('happens when the seven days are over, and is recorded', async () => {
    const team = await openTeam(users, 'quitter')
    await schedule("quitter Muster's workspace")
    const { owner } = users.server.database
    await owner
      .updateTable('workspace')
      .set({ deletes_at: new Date(0) })
      .where('id', '=', team.workspace)
      .execute()
    await sweep()
    expect((await team.as('quitter', { method: 'GET', url: '/v1/targets' })).statusCode).toBe(404)
    const recorded = await owner
      .selectFrom('deletion')
      .select('action')
      .where('former_account', '=', team.workspace)
      .execute()
    expect(recorded).toEqual([{ action: 'account.delete' }])
  })
})

describe('the audit log', () => {
  it('is exported as CSV and JSON Lines, which is itself recorded', async () => {
    const team = await openTeam(users, 'exporter')
    const payload = { workspace: { name: '=cmd()' }, updateMask: { paths: ['name'] } }
    await team.as('exporter', { method: 'PATCH', url: '/v1/workspace', payload })
    const get = (query: string) => team.as('exporter', { method: 'GET', url: `/v1/audit-events/export?${query}` })
    const lines = (await get('format=jsonl&filter.action=workspace.update')).body.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { action: 'workspace.update', actor: { id: 'exporter' }, detail: { name: '=cmd()' } },
    ])
    const csv = await get('format=csv&filter.action=audit.export')
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    const [head, row] = csv.body.split('\r\n')
    expect(head).toBe('time,actor,actorKind,actorId,action,resourceKind,resourceId,ip,userAgent,detail')
    expect(row).toContain(',exporter Muster,person,exporter,audit.export,workspace,')
  })

  it('filters by time, and deletes events older than its retention', async () => {
    const team = await openTeam(users, 'archivist')
    const list = async (query: string) =>
      (await team.as('archivist', { method: 'GET', url: `/v1/audit-events${query}` })).json<{ events: object[] }>()
        .events
    const payload = { workspace: { name: 'x' }, updateMask: { paths: ['name'] } }
    await team.as('archivist', { method: 'PATCH', url: '/v1/workspace', payload })
    const { database } = users.server
    await sql`update audit_event set at = at - interval '40 days' where account_id = ${team.workspace}`.execute(
      database.owner,
    )
    const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString()
    expect([await list(`?filter.before=${monthAgo}`), await list(`?filter.after=${monthAgo}`)]).toMatchObject([
      [{}],
      [],
    ])
    await deleteOldAuditEvents(database, new Date())
    expect(await list('')).toHaveLength(1)
    await database.owner.updateTable('workspace').set({ audit_days: 30 }).where('id', '=', team.workspace).execute()
    await deleteOldAuditEvents(database, new Date())
    expect(await list('')).toEqual([])
  })
})
