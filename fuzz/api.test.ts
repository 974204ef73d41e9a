/**
 * The API under generated requests: no internal error, no undocumented status, no response that breaks its own schema,
 * and nothing of another workspace.
 */
import { type Endpoint, hasQuery } from '@glacis/contract/endpoint'
import { ApiErrorBody } from '@glacis/contract/primitives'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sharedTestApi } from '../apps/server/src/testing/api.ts'
import { seedIssues } from '../apps/server/src/testing/issues.ts'
import { sharedTestServer } from '../apps/server/src/testing/test-server.ts'
import { fuzzRuns, hangMs, progressMs, seed } from './bounds.ts'
import { type ApiDocument, drafts, nounOf, operationOf, requestOf } from './requests.ts'

const origin = 'http://localhost:3000'
const server = await sharedTestServer()
const { app, endpoints } = await sharedTestApi(server, origin)
const document = (await app.inject({ url: '/v1/openapi.json' })).json<ApiDocument>()
const calls = endpoints.filter(({ path }) => !path.startsWith('/v1/agent/'))

const runs = Number(fuzzRuns ?? 600)
/** Every user starts with a new workspace, so that deleting it doesn't end the run. */
const requestsPerUser = 200
/** One of this many users administers the installation. */
const usersPerAdministrator = 4
const secret = 'canary-4f1c9e'

it('responds to every request as documented', { timeout: 0 }, async () => {
  const foreignIds = await ownedByAnotherWorkspace()
  const tally = createTally()
  for (let start = 0; start < runs; start += requestsPerUser) {
    const person = `fuzz${start}`
    const ids = new Map<string, string[]>()
    await createOwnData(ids, person, (start / requestsPerUser) % usersPerAdministrator === 0)
    for (const [noun, foreign] of foreignIds) ids.set(noun, [...foreign, ...(ids.get(noun) ?? [])])
    for (const draft of fc.sample(drafts, { numRuns: Math.min(requestsPerUser, runs - start), seed: seed + start })) {
      const { endpoint, url, payload } = requestOf(draft, calls, document, ids)
      const request = `${endpoint.method} ${url.slice(0, 300)} ${payload?.slice(0, 600) ?? ''}`
      const startedAt = performance.now()
      const response = await inTime(send(endpoint.method, url, person, payload), request)
      tally.add(endpoint, response, performance.now() - startedAt)
      check(endpoint, response, `${request}\n→ ${response.statusCode} ${response.body.slice(0, 400)}`)
      remember(ids, nounOf(endpoint), response.body)
    }
    tally.report(false)
  }
  if (fuzzRuns !== undefined) tally.report(true)
})

/** @throws for a request that hangs */
async function inTime<T>(response: Promise<T>, request: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`No response within ${hangMs / 1000} s: ${request}`)), hangMs)
  return Promise.race([response, promise]).finally(() => clearTimeout(timer))
}

/** Counts requests and their duration by call. */
function createTally() {
  const byCall = new Map<string, { count: number; successes: number; meanMs: number; slowestMs: number }>()
  const reasons = new Map<string, string>()
  const startedAt = performance.now()
  let reportedAt = startedAt
  let count = 0
  return {
    add({ method, path }: Endpoint, { statusCode, body }: Response, ms: number) {
      count++
      const row = byCall.get(`${method} ${path}`) ?? { count: 0, successes: 0, meanMs: 0, slowestMs: 0 }
      row.count++
      if (statusCode === 200) row.successes++
      else reasons.set(`${method} ${path}`, body.slice(0, 300))
      row.meanMs += (ms - row.meanMs) / row.count
      row.slowestMs = Math.max(row.slowestMs, ms)
      byCall.set(`${method} ${path}`, row)
    },
    /** A line now and then, and the slowest calls and those that never succeeded at the end. */
    report(isEnd: boolean) {
      if (!isEnd && performance.now() < reportedAt + progressMs) return
      reportedAt = performance.now()
      const successes = [...byCall.values()].reduce((sum, row) => sum + row.successes, 0)
      const perSecond = count / ((reportedAt - startedAt) / 1000)
      const share = (100 * successes) / count
      console.log(`${count} requests, ${perSecond.toFixed(0)} per second, ${share.toFixed(0)} % successful`)
      if (!isEnd) return
      const slowest = [...byCall].toSorted(([, one], [, other]) => other.meanMs - one.meanMs).slice(0, 15)
      console.table(Object.fromEntries(slowest))
      const failing = [...byCall].flatMap(([call, row]) =>
        row.successes === 0 ? [`${call}: ${reasons.get(call)}`] : [],
      )
      console.log(`${byCall.size} calls; never successful:\n${failing.join('\n')}`)
    },
  }
}

interface Response {
  readonly statusCode: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

function check(endpoint: Endpoint, { statusCode, body, headers }: Response, context: string): void {
  if (statusCode >= 500) throw new Error(`Internal error: ${context}`)
  if (/node_modules|at file:\/\/|\.ts:\d+/.test(body)) throw new Error(`Stack trace: ${context}`)
  if (body.includes(secret)) throw new Error(`Data of another workspace: ${context}`)
  const documented = Object.keys(operationOf(document, endpoint)?.responses ?? {})
  if (!documented.includes(String(statusCode))) throw new Error(`Undocumented status: ${context}`)
  expect(headers['content-type'], context).toMatch(/^application\/json/)
  const schema = statusCode === 200 ? endpoint.result : ApiErrorBody
  const { error } = schema.safeParse(JSON.parse(body))
  if (error) throw new Error(`Breaks its schema: ${JSON.stringify(error.issues).slice(0, 400)}: ${context}`)
}

type Ids = Map<string, string[]>

/** Creates data with a marker in every name. */
async function ownedByAnotherWorkspace(): Promise<Ids> {
  const ids: Ids = new Map()
  await createNamed(ids, 'bob', secret)
  expect([...ids.values()].flat().length).toBeGreaterThan(4)
  return ids
}

/** Creates something of each kind, so that calls find it. */
async function createOwnData(ids: Ids, person: string, isAdministrator: boolean): Promise<void> {
  await createNamed(ids, person, 'own')
  const { owner } = server.database
  const { account_id: account } = await owner
    .selectFrom('member')
    .select('account_id')
    .where('identity_id', '=', person)
    .executeTakeFirstOrThrow()
  const seeded = await seedIssues(server, account, { issues: 3, hosts: 2, at: new Date() })
  ids.set('issues', [...seeded.issueIds])
  ids.set('hosts', [...seeded.hostIds])
  ids.set('targets', [...(ids.get('targets') ?? []), seeded.targetId])
  await post(ids, '/v1/scans', person, { targetId: seeded.targetId })
  // An administrator can exclude all networks.
  await owner.updateTable('installation').set({ sign_in_networks: [] }).execute()
  if (isAdministrator) await owner.insertInto('installation_admin').values({ identity_id: person }).execute()
}

async function createNamed(ids: Ids, person: string, name: string): Promise<void> {
  const schedule = { period: 'PERIOD_DAILY' }
  await post(ids, '/v1/tags', person, { tag: { name, color: 1 } })
  await post(ids, '/v1/targets', person, { name, address: '127.0.0.1', schedule, tags: [] })
  await post(ids, '/v1/agents', person, { agent: { name } })
  await post(ids, '/v1/views', person, { view: { name, page: '/risks/verified', query: '' } })
  await post(ids, '/v1/products', person, { name, wfn: { vendor: name, product: name } })
  await post(ids, '/v1/api-tokens', person, { apiToken: { name, scopes: ['SCOPE_READ'] } })
  await post(ids, '/v1/notification-channels', person, { channel: { kind: 'KIND_EMAIL' } })
  await post(ids, '/v1/invitations', person, { invitation: { email: `${name}@example.com`, role: 'viewer' } })
}

async function post(ids: Ids, url: string, person: string, body: object): Promise<void> {
  const response = await send('POST', url, person, JSON.stringify(body))
  expect([url, response.statusCode, response.statusCode === 200 || response.body]).toEqual([url, 200, true])
  remember(ids, url.split('/')[2] ?? '', response.body)
}

function remember(idsByNoun: Ids, noun: string, body: string): void {
  const ids = idsByNoun.get(noun) ?? []
  for (const [, id = ''] of body.matchAll(/"id":"([0-9a-f-]{36})"/g)) if (!ids.includes(id)) ids.push(id)
  if (ids.length > 30) ids.splice(5, ids.length - 30)
  if (ids.length > 0) idsByNoun.set(noun, ids)
}

function send(method: Endpoint['method'], url: string, person: string, payload?: string) {
  const headers = { origin, 'x-person': person, ...(payload !== undefined && { 'content-type': 'application/json' }) }
  return app.inject({ method, url, headers, ...(!hasQuery(method) && { payload: payload ?? '{}' }) })
}
