import { describe, expect, it } from 'vitest'
import { openAgents } from '#testing/agents.ts'

const agents = openAgents()
const { asMe, asAgent, connected, connectWith, me, newAgent } = agents
const read = async (id: string) =>
  (await asMe<{ agent: { createdBy: string; problems?: string[]; expireTime?: string } }>('GET', `/v1/agents/${id}`))
    .body.agent
const change = (id: string, agent: object) =>
  asMe('PATCH', `/v1/agents/${id}`, { agent, updateMask: { paths: Object.keys(agent) } })
const heartbeat = (key: string) =>
  asAgent<{ message?: string }>(key, 'POST', '/v1/agent/heartbeat', { time: new Date().toISOString() })
const setRole = (role: 'admin' | 'viewer' | null, person: string) =>
  agents
    .server()
    .database.owner.updateTable('member')
    .set(role ? { role, left_at: null } : { left_at: new Date() })
    .where('identity_id', '=', person)
    .execute()

describe('an agent', () => {
  it('names its creator', async () => {
    const { id } = await newAgent()
    expect((await read(id)).createdBy).toBe(`${me()} Muster`)
  })

  it('connects only from its networks', async () => {
    const { id, key } = await connected()
    await change(id, { allowedNetworks: ['192.0.2.0/24', '2001:db8::1'] })
    expect(await heartbeat(key)).toMatchObject({
      status: 403,
      body: { message: "This agent can't connect from 127.0.0.1" },
    })
    await change(id, { allowedNetworks: ['127.0.0.0/8', '::1'] })
    expect((await heartbeat(key)).status).toBe(200)
  })

  it('rejects invalid networks and an end time in the past', async () => {
    const { id } = await newAgent()
    expect((await change(id, { allowedNetworks: ['10.0.0.0/40'] })).status).toBe(400)
    expect((await change(id, { expireTime: '2020-01-01T00:00:00Z' })).body).toMatchObject({
      message: 'The end time is in the past',
    })
  })

  it('loses access at its end time, and so does its token', async () => {
    const created = await asMe<{ agent: { id: string; token: string } }>('POST', '/v1/agents', {
      agent: { name: 'temporary', expireTime: new Date(Date.now() + 60_000).toISOString() },
    })
    const { id, token } = created.body.agent
    expect((await read(id)).expireTime).toBeTruthy()
    const end = (at: Date) =>
      agents.server().database.owner.updateTable('agent').set({ expires_at: at }).where('id', '=', id)
    await end(new Date(Date.now() - 1000)).execute()
    expect(await connectWith(token)).toMatchObject({ status: 401 })
    expect((await read(id)).problems).toEqual(['Its access has expired.'])
    await change(id, { expireTime: null })
    expect((await connectWith(token)).status).toBe(200)
  })

  it.each([['viewer' as const], [null]])(
    'ends with the right of its creator to run scans (%s), until someone takes over',
    async (role) => {
      const { id, key } = await connected()
      await setRole(role, me())
      expect(await heartbeat(key)).toMatchObject({
        status: 401,
        body: {
          message: 'The member who created this agent can no longer run scans. Rotate its token to take it over',
        },
      })
      await setRole('admin', me())
      expect((await heartbeat(key)).status).toBe(200)
      await agents
        .server()
        .database.owner.updateTable('agent')
        .set({ created_by_id: 'former' })
        .where('id', '=', id)
        .execute()
      expect((await heartbeat(key)).status).toBe(401)
      expect((await read(id)).problems?.[0]).toContain('Rotate its token to take over')
      await asMe('POST', `/v1/agents/${id}/token`, { revokeOld: false })
      expect((await heartbeat(key)).status).toBe(200)
      expect((await read(id)).problems).toEqual([])
    },
  )
})
