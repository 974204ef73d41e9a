import { describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { connectBody, host, openAgents, origin } from '#testing/agents.ts'

const { api, asMe, asAgent, newAgent, connectWith, connected } = openAgents()

describe('agents', () => {
  it.each([1, 128])('accepts a name of %i characters', async (length) => {
    expect((await newAgent('x'.repeat(length))).id).toBeDefined()
  })

  it.each(['', 'x'.repeat(129), '  '])('rejects the name %j', async (name) => {
    const rejected = await asMe('POST', '/v1/agents', { agent: { name } })
    expect(rejected).toMatchObject({ status: 400, body: { details: [{ fieldViolations: [{ field: 'agent.name' }] }] } })
  })

  it('updates only the fields in updateMask', async () => {
    const { id } = await newAgent()
    const change = (paths: string[], agent: object) =>
      asMe('PATCH', `/v1/agents/${id}`, { agent, updateMask: { paths } })
    expect((await change(['name'], { name: 'new' })).body).toMatchObject({ agent: { name: 'new' } })
    expect((await change(['name'], {})).status).toBe(400)
    expect((await change(['status'], { name: 'x' })).status).toBe(400)
  })

  it('filters by name and state, in pages', async () => {
    await connected('bern-dmz-1')
    await newAgent('bern-dmz-2')
    await newAgent('zrh')
    const names = async (query: string) =>
      (await asMe<{ agents: { name: string }[] }>('GET', `/v1/agents${query}`)).body.agents.map((item) => item.name)
    expect(await names('')).toEqual(['zrh', 'bern-dmz-2', 'bern-dmz-1'])
    expect(await names('?filter.query=BERN')).toEqual(['bern-dmz-2', 'bern-dmz-1'])
    expect(await names('?filter.status=STATUS_CONNECTED')).toEqual(['bern-dmz-1'])
    expect(await names('?filter.status=STATUS_DISCONNECTED')).toEqual(['zrh', 'bern-dmz-2'])
    const { body } = await asMe<{ nextPageToken: string }>('GET', '/v1/agents?pageSize=2')
    expect(await names(`?pageSize=2&pageToken=${body.nextPageToken}`)).toEqual(['bern-dmz-1'])
  })

  it.each(['docker', 'systemd', 'windows', 'kubernetes'])(
    'returns install commands for %s without the token',
    async (system) => {
      const { id, token } = await newAgent()
      const { body } = await asMe<{ command: string }>('GET', `/v1/agents/${id}/install?system=${system}`)
      expect(body.command).toContain(`${origin}/downloads/glacis-agent.tgz`)
      expect(body.command).not.toContain(token)
    },
  )
})

it('responds with 4xx to invalid agent requests, never 5xx', async () => {
  const { key } = await connected()
  const paths = [
    'connect',
    'heartbeat',
    'jobs/x/progress',
    `jobs/${newId()}/progress`,
    `jobs/${newId()}/result`,
    'jobs/%00/result',
  ]
  const bodies = [
    [],
    'null',
    '"text"',
    '{',
    '{"time":"yesterday"}',
    '{"__proto__":{"id":1}}',
    JSON.stringify(connectBody({ hostname: 'x'.repeat(300) })),
    JSON.stringify(connectBody({ networks: Array.from({ length: 65 }, () => '::1') })),
    JSON.stringify({ part: -1, isLast: true, observations: [] }),
    JSON.stringify({ part: 1e9, isLast: true, observations: [] }),
    JSON.stringify({ part: 0, isLast: true, observations: Array.from({ length: 501 }, () => host('::1')) }),
    JSON.stringify({ hostsDone: 2 ** 40 }),
    JSON.stringify({ latency: '-1e999s', time: new Date().toISOString() }),
  ]
  for (const path of paths) {
    for (const payload of bodies) {
      const response = await api().app.inject({
        method: 'POST',
        url: `/v1/agent/${path}`,
        payload,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      expect([path, payload, Math.floor(response.statusCode / 100)]).toEqual([path, payload, 4])
    }
  }
})

it('accepts an implausible clock and hostname', async () => {
  const { id, key } = await connected()
  await asAgent(key, 'POST', '/v1/agent/disconnect', {})
  const implausible = { time: '9999-12-31T23:59:59Z', hostname: 'a\0b', system: '\uD800', version: '\0' }
  expect((await connectWith(key, implausible)).status).toBe(200)
  expect(
    (await asAgent(key, 'POST', '/v1/agent/heartbeat', { time: '0001-01-01T00:00:00Z', latency: '99999999999s' }))
      .status,
  ).toBe(200)
  expect((await asMe('GET', `/v1/agents/${id}`)).status).toBe(200)
})

it('documents the agent endpoints in OpenAPI', async () => {
  const document = (await api().app.inject({ url: '/v1/openapi.json' })).json<{ paths: Record<string, object> }>()
  expect(document.paths['/v1/agent/connect']).toMatchObject({ post: { security: [{ agent: [] }] } })
  expect(document.paths['/v1/agents/{id}/install']).toBeDefined()
})
