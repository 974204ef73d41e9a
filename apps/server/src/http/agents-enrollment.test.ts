import { getAgent, listAgentConnections } from '@glacis/contract/agent'
import { runnerProtocol } from '@glacis/contract/runner'
import { describe, expect, it } from 'vitest'
import { disconnectLost, openAgents, silentLog } from '#testing/agents.ts'

const { server, asMe, asAgent, newAgent, connectWith, connected, ageLeasesAndHeartbeats } = openAgents()

describe('enrollment', () => {
  it('SEC-F1 shows the token once, exchanges it for a key once, and stores neither', async () => {
    const { id, token } = await newAgent()
    expect((await asMe('GET', `/v1/agents/${id}`)).body).not.toHaveProperty('agent.token')
    const first = await connectWith(token)
    expect(first).toMatchObject({ status: 200, body: { agentId: id, heartbeatInterval: '20s' } })
    expect((await connectWith(token)).status).toBe(401)
    expect((await connectWith(first.body.key)).body).not.toHaveProperty('key')
    const rows = await server().database.owner.selectFrom('agent_key').selectAll().where('agent_id', '=', id).execute()
    expect(JSON.stringify(rows)).not.toContain(first.body.key)
    expect(rows.map((row) => row.kind)).toEqual(['KEY'])
  })

  it('SEC-F1 allows a token only to connect, and only for a day', async () => {
    const { id, token } = await newAgent()
    expect((await asAgent(token, 'GET', '/v1/agent/jobs')).status).toBe(401)
    await server()
      .database.owner.updateTable('agent_key')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('agent_id', '=', id)
      .execute()
    expect((await connectWith(token)).status).toBe(401)
  })

  it('SEC-F1 issues one key if the same token is used concurrently', async () => {
    const { token } = await newAgent()
    const responses = await Promise.all([connectWith(token), connectWith(token)])
    expect(responses.filter((item) => item.status === 200)).toHaveLength(1)
  })

  it.each(['', 'gla_short', `glk_${'A'.repeat(43)}`])('rejects the secret "%s"', async (secret) => {
    expect((await connectWith(secret)).status).toBe(401)
    expect((await asAgent(secret, 'GET', '/v1/agent/jobs')).status).toBe(401)
  })

  it('reports which side of an incompatible protocol is too old', async () => {
    const { token } = await newAgent()
    const { status, body } = await connectWith(token, { protocol: runnerProtocol + 1 })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 9, message: expect.stringContaining('The server is too old') })
    expect((await connectWith(token)).status).toBe(200)
  })

  it('SEC-F1 rotation keeps the old key valid until the new token is exchanged, unless it is revoked', async () => {
    const { id, key } = await connected()
    const rotated = await asMe<{ agent: { token: string } }>('POST', `/v1/agents/${id}/token`, {})
    expect((await connectWith(key)).status).toBe(200)
    const renewed = await connectWith(rotated.body.agent.token)
    expect((await connectWith(key)).status).toBe(401)
    await asMe('POST', `/v1/agents/${id}/token`, { revokeOld: true })
    expect((await connectWith(renewed.body.key)).status).toBe(401)
    const { body } = await asMe('GET', `/v1/agents/${id}/connections`)
    expect(listAgentConnections.result.parse(body).connections[0]).toMatchObject({ reason: 'REASON_REVOKED' })
  })

  it('is limited by the plan', async () => {
    for (let number = 0; number < 10; number++) await newAgent(`agent ${number}`)
    const rejected = await asMe('POST', '/v1/agents', { agent: { name: 'one more' } })
    expect(rejected).toMatchObject({
      status: 429,
      body: { code: 8, details: [{ violations: [{ subject: 'agents' }] }] },
    })
  })
})

describe('connection state', () => {
  const readAgent = async (id: string) => getAgent.result.parse((await asMe('GET', `/v1/agents/${id}`)).body).agent

  it('changes from never seen to connected with latency, then to lost after three missed heartbeats', async () => {
    const { id, token } = await newAgent()
    expect(await readAgent(id)).toMatchObject({ status: 'STATUS_DISCONNECTED', tokenExpireTime: expect.anything() })
    expect(await readAgent(id)).not.toHaveProperty('lastSeenTime')
    const { key } = (await connectWith(token)).body
    await asAgent(key, 'POST', '/v1/agent/heartbeat', { latency: '0.042s', time: new Date().toISOString() })
    expect(await readAgent(id)).toMatchObject({ status: 'STATUS_CONNECTED', latency: '0.042s', problems: [] })
    await ageLeasesAndHeartbeats(61)
    expect(await readAgent(id)).toMatchObject({ status: 'STATUS_DISCONNECTED' })
    expect(await readAgent(id)).not.toHaveProperty('latency')
    await disconnectLost(server().database, silentLog)
    const { connections } = listAgentConnections.result.parse((await asMe('GET', `/v1/agents/${id}/connections`)).body)
    expect(connections).toMatchObject([{ reason: 'REASON_LOST' }])
    expect((await asAgent(key, 'POST', '/v1/agent/heartbeat', { time: new Date().toISOString() })).status).toBe(409)
    expect((await connectWith(key)).status).toBe(200)
  })

  it('was lost at its last heartbeat, even if it reconnects before that is recorded', async () => {
    const { id, key } = await connected()
    await ageLeasesAndHeartbeats(61)
    const { lastSeenTime } = await readAgent(id)
    expect((await connectWith(key)).status).toBe(200)
    const { connections } = listAgentConnections.result.parse((await asMe('GET', `/v1/agents/${id}/connections`)).body)
    expect(connections[1]).toMatchObject({ reason: 'REASON_LOST', disconnectTime: lastSeenTime })
    expect((await connectWith(key)).status).toBe(200)
    const { connections: later } = listAgentConnections.result.parse(
      (await asMe('GET', `/v1/agents/${id}/connections`)).body,
    )
    expect(later.map(({ reason }) => reason)).toEqual([undefined, 'REASON_REPLACED', 'REASON_LOST'])
  })

  it('a second machine with the same key waits until the first disconnects, and gets its name', async () => {
    const { id, token } = await newAgent()
    const { key } = (await connectWith(token, { hostname: 'dc1' })).body
    const second = { hostname: 'dc2', instance: '0199c0de-7a10-4c3e-9f00-5b1e6a2d4c02' }
    expect(await connectWith(key, second)).toMatchObject({
      status: 503,
      body: { code: 14, message: expect.stringContaining('running as this agent on dc1 (127.0.0.1)') },
    })
    expect((await asAgent(key, 'POST', '/v1/agent/heartbeat', { time: new Date().toISOString() })).status).toBe(200)
    expect(await readAgent(id)).toMatchObject({ hostname: 'dc1' })
    await asAgent(key, 'POST', '/v1/agent/disconnect', {})
    expect((await connectWith(key, second)).status).toBe(200)
    // A killed process counts as gone after the timeout.
    await ageLeasesAndHeartbeats(61)
    expect((await connectWith(key, { hostname: 'dc1' })).status).toBe(200)
  })

  it('records a clean disconnect', async () => {
    const { id, key } = await connected()
    expect((await asAgent(key, 'POST', '/v1/agent/disconnect', {})).status).toBe(200)
    expect(await readAgent(id)).toMatchObject({ status: 'STATUS_DISCONNECTED' })
  })

  it('reports clock skew and an old version', async () => {
    const { id, key } = await connected()
    const time = new Date(Date.now() + 95_000).toISOString()
    await connectWith(key, { time, version: '0.0.9' })
    expect((await readAgent(id)).problems).toEqual([
      expect.stringMatching(/^The agent runs version 0\.0\.9/),
      expect.stringMatching(/^The agent's clock is 9\d seconds ahead/),
    ])
  })
})
