/** Test fixture: agents and their users, over HTTP. */
import type { Endpoint } from '@glacis/contract/endpoint'
import { type Observation, runnerProtocol } from '@glacis/contract/runner'
import type { Scan } from '@glacis/contract/scan'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { newId } from '#database/index.ts'
import { planScan, type Scanning } from '#scans/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'
import { scanningIn } from '#testing/scanning.ts'
import { sql } from 'kysely'

/** Re-exported for tests, which may not import other modules. */
export { leaseBatch, sweepAgents } from '#scans/index.ts'
export { disconnectLost } from '#agents/index.ts'

export const origin = 'http://localhost:3000'
export const silentLog = { info() {}, warn() {}, error() {} }

/** Starts a test server for the tests of a file; each test is its own user. */
export function openAgents() {
  let server: TestServer
  let api: TestApi
  let scanning: Scanning
  let who: string
  let count = 0

  beforeAll(async () => {
    server = await startTestServer()
    await server.addThreats({})
    scanning = scanningIn(server)
    const archives = { current: async () => ({ digest: 'd'.repeat(64), body: Buffer.from('packs') }) }
    api = await openTestApi(server, origin, { runner: { scanning, archives } })
    await api.app.ready()
  })
  afterAll(async () => {
    await api.close()
    await server.close()
  })
  beforeEach(() => {
    who = `person${++count}`
  })

  async function request<T>(method: Endpoint['method'], url: string, payload: object | undefined, headers: object) {
    const response = await api.app.inject({ method, url, headers: { origin, ...headers }, ...(payload && { payload }) })
    return { status: response.statusCode, body: response.json<T>() }
  }
  /** Sends a request as this user. */
  const as = <T = unknown>(person: string, method: Endpoint['method'], url: string, payload?: object) =>
    request<T>(method, url, payload, { 'x-person': person })
  /** Sends a request as the user of the current test. */
  const asMe = <T = unknown>(method: Endpoint['method'], url: string, payload?: object) =>
    as<T>(who, method, url, payload)
  /** Sends a request as an agent. */
  const asAgent = <T = unknown>(secret: string, method: Endpoint['method'], url: string, payload?: object) =>
    request<T>(method, url, payload, { authorization: `Bearer ${secret}` })

  async function newAgent(name = 'zrh-dc1', person = who) {
    const created = await as<{ agent: { id: string; token: string } }>(person, 'POST', '/v1/agents', {
      agent: { name },
    })
    return created.body.agent
  }
  const connectWith = (secret: string, more: object = {}) =>
    asAgent<{ agentId: string; key: string }>(secret, 'POST', '/v1/agent/connect', connectBody(more))
  async function connected(name?: string, person = who) {
    const { id, token } = await newAgent(name, person)
    const { body } = await connectWith(token)
    return { id, key: body.key }
  }

  /** Creates a target of the agent, and a planned scan that waits to be leased. */
  async function waitingScan(agentId: string, address = '127.61.1.1', person = who) {
    const target = { name: 'Inside', address, schedule: { period: 'PERIOD_WEEKLY' }, agent: { id: agentId } }
    const created = await as<{ target: { id: string } }>(person, 'POST', '/v1/targets', target)
    const targetId = created.body.target.id
    return { scanId: await planned(targetId, person), targetId }
  }
  /** Starts and plans another scan of a target; returns its ID. */
  async function planned(targetId: string, person = who): Promise<string> {
    const started = await as<{ scan: Scan }>(person, 'POST', '/v1/scans', { targetId })
    const scanId = started.body.scan.id
    const { account_id: workspace } = await server.database.owner
      .selectFrom('scan')
      .select('account_id')
      .where('id', '=', scanId)
      .executeTakeFirstOrThrow()
    await planScan(scanning, {
      data: { account: workspace, scanId },
      signal: new AbortController().signal,
      isLastAttempt: false,
    })
    return scanId
  }
  async function scanOf(id: string, person = who): Promise<Scan> {
    return (await as<{ scan: Scan }>(person, 'GET', `/v1/scans/${id}`)).body.scan
  }
  async function leaseJob(key: string) {
    const { body } = await asAgent<{ job?: { id: string; hosts: { address: string }[] } }>(key, 'GET', '/v1/agent/jobs')
    if (!body.job) throw new Error('No job is available')
    return body.job
  }
  const report = (key: string, id: string, observations: Observation[], more: object = {}) =>
    asAgent(key, 'POST', `/v1/agent/jobs/${id}/result`, { part: 0, isLast: true, observations, ...more })
  const progress = (key: string, id: string, more: object = {}) =>
    asAgent(key, 'POST', `/v1/agent/jobs/${id}/progress`, more)

  /** Moves leases and heartbeats into the past. */
  async function ageLeasesAndHeartbeats(seconds: number): Promise<void> {
    const back = sql.lit(`${seconds} seconds`)
    await sql`update scan_lease set expires_at = expires_at - ${back}::interval`.execute(server.database.owner)
    await sql`update agent set last_seen_at = last_seen_at - ${back}::interval`.execute(server.database.owner)
  }

  return {
    server: () => server,
    api: () => api,
    scanning: () => scanning,
    me: () => who,
    as,
    asMe,
    asAgent,
    newAgent,
    connectWith,
    connected,
    waitingScan,
    planned,
    scanOf,
    leaseJob,
    report,
    progress,
    ageLeasesAndHeartbeats,
  }
}

/** The body of an agent's connect request. */
export const connectBody = (more: object = {}) => ({
  protocol: runnerProtocol,
  version: '0.1.0',
  system: 'linux x64',
  hostname: 'dc1',
  networks: ['10.0.0.5/24'],
  instance: newId(),
  time: new Date().toISOString(),
  ...more,
})
export const host = (address: string, names: string[] = []): Observation => ({
  kind: 'host',
  address,
  names,
  reached: true,
  reason: 'port 22 open',
  answersEverything: false,
})
export const service = (address: string): Observation => ({
  kind: 'service',
  address,
  port: 22,
  transport: 'tcp',
  protocol: 'ssh',
  tls: false,
  banner: 'SSH-2.0-x\0y',
})
