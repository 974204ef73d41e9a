import {
  createAgent,
  deleteAgent,
  getAgent,
  listAgentConnections,
  listAgentJobs,
  rotateAgentToken,
} from '@glacis/contract/agent'
import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { type Observation, runnerProtocol } from '@glacis/contract/runner'
import { type Scan } from '@glacis/contract/scan'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { noteLost } from '#agents/index.ts'
import { leaseBatch, planScan, type Scanning, sweepAgents } from '#scans/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'
import { sql } from 'kysely'

const origin = 'http://localhost:3000'
const quiet = { info() {}, warn() {}, error() {} }
let house: House
let api: TestApi
let app: FastifyInstance
let scanning: Scanning
let endpoints: readonly Endpoint[]

beforeAll(async () => {
  house = await openHouse()
  await house.knows({})
  scanning = {
    database: house.database,
    jobs: house.jobs,
    log: quiet,
    packs: { checks: [], fingerprints: [], threats: [], distributions: [], lifecycles: [] },
    knowledge: {},
    networks: 'all',
    ownEndpoints: [],
  }
  const archives = { current: async () => ({ digest: 'd'.repeat(64), body: Buffer.from('packs') }) }
  api = await openTestApi(house, origin, { runner: { scanning, archives } })
  ;({ app, endpoints } = api)
  await app.ready()
})
afterAll(async () => {
  await api.close()
  await house.close()
})

async function ask<T>(method: Endpoint['method'], url: string, payload: object | undefined, headers: object) {
  const answer = await app.inject({ method, url, headers: { origin, ...headers }, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.json<T>() }
}
/** As a person. */
const as = <T = unknown>(who: string, method: Endpoint['method'], url: string, payload?: object) =>
  ask<T>(method, url, payload, { 'x-person': who })
/** As an agent. */
const by = <T = unknown>(secret: string, method: Endpoint['method'], url: string, payload?: object) =>
  ask<T>(method, url, payload, { authorization: `Bearer ${secret}` })

let who: string
let count = 0
beforeEach(() => {
  who = `person${++count}`
})

async function newAgent(name = 'zrh-dc1', person = who) {
  const { body } = await as<{ agent: { id: string; token: string } }>(person, 'POST', '/v1/agents', { agent: { name } })
  return body.agent
}
const hello = (more: object = {}) => ({
  protocol: runnerProtocol,
  version: '0.1.0',
  system: 'linux x64',
  hostname: 'dc1',
  networks: ['10.0.0.5/24'],
  instance: newId(),
  time: new Date().toISOString(),
  ...more,
})
const connectBy = (secret: string, more: object = {}) =>
  by<{ agentId: string; key: string }>(secret, 'POST', '/v1/agent/connect', hello(more))
async function connected(name?: string, person = who) {
  const { id, token } = await newAgent(name, person)
  const { body } = await connectBy(token)
  return { id, key: body.key }
}

/** A scan of a target of this agent, planned and ready to be taken. */
async function waitingScan(agentId: string, address = '127.61.1.1', person = who) {
  const target = { name: 'Inside', address, schedule: { period: 'PERIOD_WEEKLY' }, agent: { id: agentId } }
  const made = await as<{ target: { id: string } }>(person, 'POST', '/v1/targets', target)
  const targetId = made.body.target.id
  const started = await as<{ scan: Scan }>(person, 'POST', '/v1/scans', { targetId })
  const scanId = started.body.scan.id
  const { account_id: account } = await house.database.owner
    .selectFrom('scan')
    .select('account_id')
    .where('id', '=', scanId)
    .executeTakeFirstOrThrow()
  await planScan(scanning, { data: { account, scanId }, signal: new AbortController().signal, isLastAttempt: false })
  return { scanId, targetId }
}
async function scanOf(id: string, person = who): Promise<Scan> {
  return (await as<{ scan: Scan }>(person, 'GET', `/v1/scans/${id}`)).body.scan
}
async function take(key: string) {
  const { body } = await by<{ job?: { id: string; hosts: { address: string }[] } }>(key, 'GET', '/v1/agent/jobs')
  if (!body.job) throw new Error('there is no job')
  return body.job
}
const host = (address: string, names: string[] = []): Observation => ({
  kind: 'host',
  address,
  names,
  reached: true,
  reason: 'port 22 open',
  answersEverything: false,
})
const service = (address: string): Observation => ({
  kind: 'service',
  address,
  port: 22,
  transport: 'tcp',
  protocol: 'ssh',
  tls: false,
  banner: 'SSH-2.0-x\0y',
})
const report = (key: string, id: string, observations: Observation[], more: object = {}) =>
  by(key, 'POST', `/v1/agent/jobs/${id}/result`, { part: 0, isLast: true, observations, ...more })
const progress = (key: string, id: string, more: object = {}) => by(key, 'POST', `/v1/agent/jobs/${id}/progress`, more)

/** Time passes for leases and signs of life, and for nothing else. */
async function silence(seconds: number): Promise<void> {
  const back = sql.lit(`${seconds} seconds`)
  await sql`update scan_lease set expires_at = expires_at - ${back}::interval`.execute(house.database.owner)
  await sql`update agent set last_seen_at = last_seen_at - ${back}::interval`.execute(house.database.owner)
}

describe('enrolment', () => {
  it('shows the token once, swaps it once for a key, and stores neither', async () => {
    const { id, token } = await newAgent()
    expect((await as(who, 'GET', `/v1/agents/${id}`)).body).not.toHaveProperty('agent.token')
    const first = await connectBy(token)
    expect(first).toMatchObject({ status: 200, body: { agentId: id, heartbeatInterval: '20s' } })
    expect((await connectBy(token)).status).toBe(401)
    expect((await connectBy(first.body.key)).body).not.toHaveProperty('key')
    const rows = await house.database.owner.selectFrom('agent_key').selectAll().where('agent_id', '=', id).execute()
    expect(JSON.stringify(rows)).not.toContain(first.body.key)
    expect(rows.map((row) => row.kind)).toEqual(['KEY'])
  })

  it('lets a token do nothing but connect, and only for a day', async () => {
    const { id, token } = await newAgent()
    expect((await by(token, 'GET', '/v1/agent/jobs')).status).toBe(401)
    await house.database.owner
      .updateTable('agent_key')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('agent_id', '=', id)
      .execute()
    expect((await connectBy(token)).status).toBe(401)
  })

  it('gives a key to one of two that bring the token at the same moment', async () => {
    const { token } = await newAgent()
    const answers = await Promise.all([connectBy(token), connectBy(token)])
    expect(answers.filter((one) => one.status === 200)).toHaveLength(1)
  })

  it.each(['', 'gla_short', `glk_${'A'.repeat(43)}`])('knows no "%s"', async (secret) => {
    expect((await connectBy(secret)).status).toBe(401)
    expect((await by(secret, 'GET', '/v1/agent/jobs')).status).toBe(401)
  })

  it('tells an agent of another protocol which side is too old', async () => {
    const { token } = await newAgent()
    const { status, body } = await connectBy(token, { protocol: runnerProtocol + 1 })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 9, message: expect.stringContaining('The server is too old') })
    expect((await connectBy(token)).status).toBe(200)
  })

  it('rotates: the old key works until the new token is swapped, or not at all', async () => {
    const { id, key } = await connected()
    const rotated = await as<{ agent: { token: string } }>(who, 'POST', `/v1/agents/${id}/token`, {})
    expect((await connectBy(key)).status).toBe(200)
    const renewed = await connectBy(rotated.body.agent.token)
    expect((await connectBy(key)).status).toBe(401)
    await as(who, 'POST', `/v1/agents/${id}/token`, { revokeOld: true })
    expect((await connectBy(renewed.body.key)).status).toBe(401)
    const { body } = await as(who, 'GET', `/v1/agents/${id}/connections`)
    expect(listAgentConnections.result.parse(body).connections[0]).toMatchObject({ reason: 'REASON_REVOKED' })
  })

  it('holds as many agents as the plan says', async () => {
    for (let number = 0; number < 10; number++) await newAgent(`agent ${number}`)
    const refused = await as(who, 'POST', '/v1/agents', { agent: { name: 'one more' } })
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 8, details: [{ violations: [{ subject: 'agents' }] }] },
    })
  })
})

describe('presence', () => {
  const seen = async (id: string) => getAgent.result.parse((await as(who, 'GET', `/v1/agents/${id}`)).body).agent

  it('is never seen, then connected with its latency, then lost after three missed beats', async () => {
    const { id, token } = await newAgent()
    expect(await seen(id)).toMatchObject({ status: 'STATUS_DISCONNECTED', tokenExpireTime: expect.anything() })
    expect(await seen(id)).not.toHaveProperty('lastSeenTime')
    const { key } = (await connectBy(token)).body
    await by(key, 'POST', '/v1/agent/heartbeat', { latency: '0.042s', time: new Date().toISOString() })
    expect(await seen(id)).toMatchObject({ status: 'STATUS_CONNECTED', latency: '0.042s', problems: [] })
    await silence(61)
    expect(await seen(id)).toMatchObject({ status: 'STATUS_DISCONNECTED' })
    expect(await seen(id)).not.toHaveProperty('latency')
    await noteLost(house.database, quiet)
    const { connections } = listAgentConnections.result.parse(
      (await as(who, 'GET', `/v1/agents/${id}/connections`)).body,
    )
    expect(connections).toMatchObject([{ reason: 'REASON_LOST' }])
    expect((await by(key, 'POST', '/v1/agent/heartbeat', { time: new Date().toISOString() })).status).toBe(409)
    expect((await connectBy(key)).status).toBe(200)
  })

  it('was lost when it fell silent, also where it comes back before that is noted', async () => {
    const { id, key } = await connected()
    await silence(61)
    const { lastSeenTime } = await seen(id)
    expect((await connectBy(key)).status).toBe(200)
    const { connections } = listAgentConnections.result.parse(
      (await as(who, 'GET', `/v1/agents/${id}/connections`)).body,
    )
    expect(connections[1]).toMatchObject({ reason: 'REASON_LOST', disconnectTime: lastSeenTime })
    expect((await connectBy(key)).status).toBe(200)
    const { connections: later } = listAgentConnections.result.parse(
      (await as(who, 'GET', `/v1/agents/${id}/connections`)).body,
    )
    expect(later.map(({ reason }) => reason)).toEqual([undefined, 'REASON_REPLACED', 'REASON_LOST'])
  })

  it('says good-bye', async () => {
    const { id, key } = await connected()
    expect((await by(key, 'POST', '/v1/agent/disconnect', {})).status).toBe(200)
    expect(await seen(id)).toMatchObject({ status: 'STATUS_DISCONNECTED' })
  })

  it('names a clock that is off and a version that is old', async () => {
    const { id, key } = await connected()
    const time = new Date(Date.now() + 95_000).toISOString()
    await connectBy(key, { time, version: '0.0.9' })
    expect((await seen(id)).problems).toEqual([
      expect.stringMatching(/^It runs version 0\.0\.9/),
      expect.stringMatching(/^Its clock is 9\d seconds ahead/),
    ])
  })
})

describe('a scan by an agent', () => {
  it('waits with the reason, is taken by its agent alone, and ends with what that saw', async () => {
    const { id, token } = await newAgent('bern-dmz-1')
    const { scanId } = await waitingScan(id)
    const waiting = {
      phase: 'PHASE_WAITING',
      failureReason: 'Waiting for agent bern-dmz-1, which has never connected.',
    }
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_CREATED', progress: waiting })
    const { key } = (await connectBy(token)).body
    const job = await take(key)
    expect(job).toMatchObject({
      hosts: [{ address: '127.61.1.1' }],
      settings: { profile: 'gentle' },
      packs: 'd'.repeat(64),
    })
    expect((await progress(key, job.id, { phase: 'PHASE_PORTS', hostsDone: 1 })).body).toEqual({ isCancelled: false })
    expect(await scanOf(scanId)).toMatchObject({
      status: 'STATUS_RUNNING',
      agent: { id },
      progress: { phase: 'PHASE_PORTS', hostsDone: 1 },
    })
    expect((await report(key, job.id, [host('127.61.1.1'), service('127.61.1.1')])).status).toBe(200)
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_COMPLETED', hostCount: { scannedHosts: 1 } })
    const { jobs } = listAgentJobs.result.parse((await as(who, 'GET', `/v1/agents/${id}/jobs`)).body)
    expect(jobs).toMatchObject([{ state: 'STATE_DONE', hostCount: 1, targetName: 'Inside', error: '' }])
  })

  it('counts a result in parts when the last one is there, and one that comes twice once', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const job = await take(key)
    const parts = [
      { part: 0, isLast: false, observations: [host('127.61.1.1')] },
      { part: 1, isLast: true, observations: [service('127.61.1.1')] },
    ]
    expect((await report(key, job.id, [], parts[1])).status).toBe(400)
    expect((await report(key, job.id, [], parts[0])).status).toBe(200)
    expect((await report(key, job.id, [], parts[0])).status).toBe(200)
    expect((await scanOf(scanId)).status).toBe('STATUS_RUNNING')
    expect((await report(key, job.id, [], parts[1])).status).toBe(200)
    const before = await scanOf(scanId)
    expect((await report(key, job.id, [host('127.61.1.1')])).status).toBe(200)
    expect(await scanOf(scanId)).toEqual(before)
    const { rows } = await sql`select 1 from scan_lease_part`.execute(house.database.owner)
    expect(rows).toEqual([])
  })

  it('goes back when its agent could not do it, and takes what hostile hosts say without their NULs', async () => {
    const { id, key } = await connected('oops')
    const { scanId } = await waitingScan(id)
    const failed = await take(key)
    await report(key, failed.id, [], { error: 'the thread\0 ended with 1' })
    const job = await take(key)
    const nasty: Observation = { ...host('127.61.1.1'), kind: 'host', reason: 'no\0pe', names: ['a\0b'] } as Observation
    expect((await report(key, job.id, [nasty, service('127.61.1.1')])).status).toBe(200)
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
    const { jobs } = listAgentJobs.result.parse((await as(who, 'GET', `/v1/agents/${id}/jobs`)).body)
    expect(jobs.map((one) => [one.state, one.error])).toEqual([
      ['STATE_DONE', ''],
      ['STATE_FAILED', 'the thread ended with 1'],
    ])
  })

  it('gives two that ask at the same moment two parts', async () => {
    const { id, key } = await connected()
    await waitingScan(id, '127.61.1.0/25')
    const [first, second] = await Promise.all([take(key), take(key)])
    expect(first.id).not.toBe(second.id)
    expect(first.hosts[0]).not.toEqual(second.hosts[0])
  })

  it('refuses what is about another address, and what has no shape', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const job = await take(key)
    const foreign = await report(key, job.id, [host('127.61.1.1'), service('127.61.9.9')])
    expect(foreign).toMatchObject({ status: 400, body: { message: '127.61.9.9 is no part of this job' } })
    const shapeless = { part: 0, isLast: true, observations: [{ kind: 'finding' }] }
    expect((await by(key, 'POST', `/v1/agent/jobs/${job.id}/result`, shapeless)).status).toBe(400)
    expect((await scanOf(scanId)).status).toBe('STATUS_RUNNING')
  })

  it('waits for the allowed hours of its target, and goes on in them', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const reason = 'Waits for the allowed hours'
    const resume_at = new Date(Date.now() + 3_600_000)
    const { account_id: account } = await house.database.owner
      .updateTable('scan')
      .set({ resume_at, reason })
      .where('id', '=', scanId)
      .returning('account_id')
      .executeTakeFirstOrThrow()
    expect((await scanOf(scanId)).progress?.failureReason).toBe(reason)
    expect(await house.as(account, (ctx) => leaseBatch(ctx, scanning, id, 'd'))).toBeNull()
    expect((await as(who, 'POST', `/v1/scans/${scanId}/resume`, {})).status).toBe(200)
    const job = await take(key)
    await report(key, job.id, [host('127.61.1.1')])
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
  })

  it('leaves a name to the network of the agent', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id, 'intranet.example')
    const job = await take(key)
    expect(job.hosts).toEqual([{ address: 'intranet.example', names: ['intranet.example'] }])
    const seen = [host('127.61.1.2', ['intranet.example']), service('127.61.1.2')]
    expect((await report(key, job.id, [...seen, service('127.61.1.3')])).status).toBe(400)
    expect((await report(key, job.id, seen)).status).toBe(200)
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_COMPLETED', hostCount: { scannedHosts: 1 } })
  })

  it('is told of a cancel, and what it brings afterwards counts nothing', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const job = await take(key)
    await as(who, 'POST', `/v1/scans/${scanId}/cancel`, {})
    expect((await progress(key, job.id)).body).toEqual({ isCancelled: true })
    await report(key, job.id, [host('127.61.1.1'), service('127.61.1.1')])
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_CANCELLED', hostCount: { scannedHosts: 0 } })
  })

  it('goes back once when its lease is lost, and fails with the reason the second time', async () => {
    const { id, key } = await connected('lausanne-dc')
    const { scanId } = await waitingScan(id)
    const first = await take(key)
    await silence(61)
    await sweepAgents(scanning)
    expect(await scanOf(scanId)).toMatchObject({
      status: 'STATUS_RUNNING',
      progress: { failureReason: 'Waiting for agent lausanne-dc, which is disconnected.' },
    })
    expect((await progress(key, first.id)).status).toBe(409)
    expect((await report(key, first.id, [host('127.61.1.1')])).status).toBe(409)
    await take(key)
    await silence(61)
    await sweepAgents(scanning)
    expect(await scanOf(scanId)).toMatchObject({
      status: 'STATUS_FAILED',
      progress: { failureReason: 'Agent lausanne-dc could not finish batch 1, twice: it fell silent' },
    })
  })

  it('goes back without being counted when its agent stops cleanly', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    for (let round = 0; round < 3; round++) {
      await take(key)
      await by(key, 'POST', '/v1/agent/disconnect', {})
      await connectBy(key)
    }
    const job = await take(key)
    await report(key, job.id, [host('127.61.1.1')])
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
  })

  it('fails when its agent is deleted, and the target waits for another way', async () => {
    const { id, key } = await connected('old')
    const { scanId, targetId } = await waitingScan(id)
    await take(key)
    expect(deleteAgent.result.parse((await as(who, 'DELETE', `/v1/agents/${id}`)).body)).toEqual({})
    expect((await by(key, 'GET', '/v1/agent/jobs')).status).toBe(401)
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_FAILED' })
    const target = await as(who, 'GET', `/v1/targets/${targetId}`)
    expect(target.body).toMatchObject({ target: { formerAgent: { name: 'old' } } })
    expect((await as(who, 'POST', '/v1/scans', { targetId })).status).toBe(400)
    const change = { agent: null, updateMask: { paths: ['agent'] } }
    await as(who, 'PATCH', `/v1/targets/${targetId}`, change)
    expect((await as(who, 'POST', '/v1/scans', { targetId })).status).toBe(200)
  })

  it('goes on with the replacement of a deleted agent', async () => {
    const old = await connected('old')
    const fresh = await connected('fresh')
    const { scanId, targetId } = await waitingScan(old.id)
    await take(old.key)
    await as(who, 'DELETE', `/v1/agents/${old.id}?replacementId=${fresh.id}`)
    const job = await take(fresh.key)
    await report(fresh.key, job.id, [host('127.61.1.1')])
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
    const list = await as(who, 'GET', `/v1/targets?filter.agentId=${fresh.id}`)
    expect(list.body).toMatchObject({ targets: [{ id: targetId, agent: { name: 'fresh' } }] })
  })

  it('is nobody’s business but that of its agent', async () => {
    const mine = await connected()
    const { scanId } = await waitingScan(mine.id)
    const job = await take(mine.key)
    const second = await connected('second')
    const stranger = await connected('stranger', `${who}-other`)
    for (const { key } of [second, stranger]) {
      expect((await progress(key, job.id)).status).toBe(404)
      expect((await report(key, job.id, [host('127.61.1.1')])).status).toBe(404)
    }
    expect((await scanOf(scanId)).status).toBe('STATUS_RUNNING')
    expect((await as(`${who}-other`, 'GET', `/v1/agents/${mine.id}`)).status).toBe(404)
  })
})

describe('the list', () => {
  it.each([1, 128])('takes a name of %i characters', async (length) => {
    expect((await newAgent('x'.repeat(length))).id).toBeDefined()
  })

  it.each(['', 'x'.repeat(129), '  '])('refuses the name %j', async (name) => {
    const refused = await as(who, 'POST', '/v1/agents', { agent: { name } })
    expect(refused).toMatchObject({ status: 400, body: { details: [{ fieldViolations: [{ field: 'agent.name' }] }] } })
  })

  it('changes what the mask names and refuses other paths', async () => {
    const { id } = await newAgent()
    const change = (paths: string[], agent: object) =>
      as(who, 'PATCH', `/v1/agents/${id}`, { agent, updateMask: { paths } })
    expect((await change(['name'], { name: 'new' })).body).toMatchObject({ agent: { name: 'new' } })
    expect((await change(['name'], {})).status).toBe(400)
    expect((await change(['status'], { name: 'x' })).status).toBe(400)
  })

  it('finds by name and by state, and pages', async () => {
    await connected('bern-dmz-1')
    await newAgent('bern-dmz-2')
    await newAgent('zrh')
    const names = async (query: string) =>
      (await as<{ agents: { name: string }[] }>(who, 'GET', `/v1/agents${query}`)).body.agents.map((one) => one.name)
    expect(await names('')).toEqual(['zrh', 'bern-dmz-2', 'bern-dmz-1'])
    expect(await names('?filter.query=BERN')).toEqual(['bern-dmz-2', 'bern-dmz-1'])
    expect(await names('?filter.status=STATUS_CONNECTED')).toEqual(['bern-dmz-1'])
    expect(await names('?filter.status=STATUS_DISCONNECTED')).toEqual(['zrh', 'bern-dmz-2'])
    const { body } = await as<{ nextPageToken: string }>(who, 'GET', '/v1/agents?pageSize=2')
    expect(await names(`?pageSize=2&pageToken=${body.nextPageToken}`)).toEqual(['bern-dmz-1'])
  })

  it.each(['docker', 'systemd', 'windows', 'kubernetes'])(
    'knows how to install on %s without a token in the words',
    async (system) => {
      const { id, token } = await newAgent()
      const { body } = await as<{ command: string }>(who, 'GET', `/v1/agents/${id}/install?system=${system}`)
      expect(body.command).toContain(`${origin}/downloads/glacis-agent.tgz`)
      expect(body.command).not.toContain(token)
    },
  )
})

it('answers every call about an agent of another account with 404', async () => {
  const { id } = await newAgent()
  const bodies: Record<string, object> = {
    [`PATCH ${getAgent.path}`]: { agent: { name: 'x' }, updateMask: { paths: ['name'] } },
    [`POST ${rotateAgentToken.path}`]: {},
  }
  const calls = endpoints.filter((one) => one.path.startsWith(createAgent.path) && pathParameters(one.path).length > 0)
  expect(calls.length).toBeGreaterThan(6)
  for (const { method, path } of calls) {
    const body = hasQuery(method) ? undefined : bodies[`${method} ${path}`]
    expect([method, path, (await as('somebody-else', method, path.replace(':id', id), body)).status]).toEqual([
      method,
      path,
      404,
    ])
  }
})

it('answers whatever an agent sends with 4xx and never stumbles', async () => {
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
    JSON.stringify(hello({ hostname: 'x'.repeat(300) })),
    JSON.stringify(hello({ networks: Array.from({ length: 65 }, () => '::1') })),
    JSON.stringify({ part: -1, isLast: true, observations: [] }),
    JSON.stringify({ part: 1e9, isLast: true, observations: [] }),
    JSON.stringify({ part: 0, isLast: true, observations: Array.from({ length: 501 }, () => host('::1')) }),
    JSON.stringify({ hostsDone: 2 ** 40 }),
    JSON.stringify({ latency: '-1e999s', time: new Date().toISOString() }),
  ]
  for (const path of paths) {
    for (const payload of bodies) {
      const answer = await app.inject({
        method: 'POST',
        url: `/v1/agent/${path}`,
        payload,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      expect([path, payload, Math.floor(answer.statusCode / 100)]).toEqual([path, payload, 4])
    }
  }
})

it('takes a clock and a name that are out of this world', async () => {
  const { id, key } = await connected()
  const odd = { time: '9999-12-31T23:59:59Z', hostname: 'a\0b', system: '\uD800', version: '\0' }
  expect((await connectBy(key, odd)).status).toBe(200)
  expect(
    (await by(key, 'POST', '/v1/agent/heartbeat', { time: '0001-01-01T00:00:00Z', latency: '99999999999s' })).status,
  ).toBe(200)
  expect((await as(who, 'GET', `/v1/agents/${id}`)).status).toBe(200)
})

it('describes the agents’ side in the OpenAPI document', async () => {
  const document = (await app.inject({ url: '/v1/openapi.json' })).json<{ paths: Record<string, object> }>()
  expect(document.paths['/v1/agent/connect']).toMatchObject({ post: { security: [{ agent: [] }] } })
  expect(document.paths['/v1/agents/{id}/install']).toBeDefined()
})
