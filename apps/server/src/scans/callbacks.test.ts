import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CallbackServer, createCallbackServer } from '@glacis/scanner'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { getIssue, listIssues } from '#issues/index.ts'
import { getScan, planScan, startScan } from '#scans/index.ts'
import { runBatch } from '#scans/run.ts'
import { createTarget, describeTargets } from '#targets/index.ts'
import { scanningIn } from '#testing/scanning.ts'
import { person, sharedTestServer, type TestServer } from '#testing/test-server.ts'

const check = `id: lab-ssrf
info: { name: Server-side request forgery, author: lab, severity: high }
http:
  - raw:
      - |
        GET /go?to=http://{{interactsh-url}}/x HTTP/1.1
        Host: {{Hostname}}
    matchers:
      - { type: word, part: interactsh_protocol, words: [http] }
`
const signal = new AbortController().signal
const [vulnerableHost, callbackHost] = ['127.71.1.1', '127.71.1.2']

const testServer = await sharedTestServer()
let folder: string
let site: Server
let port: number
const requestedUrls: string[] = []

beforeAll(async () => {
  await testServer.addThreats({ key: 'lab-ssrf', name: 'Server-side request forgery' })
  folder = await mkdtemp(join(tmpdir(), 'glacis-callbacks-'))
  await writeFile(join(folder, 'fetches.yaml'), check)
  site = createServer((request, response) => {
    requestedUrls.push(request.url ?? '')
    const to = new URL(request.url ?? '', 'http://here').searchParams.get('to')
    const fetched = to === null ? Promise.reject(new Error('nothing to request')) : fetch(to)
    fetched.then(
      () => response.end('done'),
      () => response.writeHead(404).end(),
    )
  }).listen(0, callbackHost)
  await once(site, 'listening')
  const bound = site.address()
  port = typeof bound === 'object' && bound ? bound.port : 0
})
afterAll(async () => {
  site.closeAllConnections()
  site.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  requestedUrls.length = 0
})

/** Runs a complete scan through the server and returns the issues. */
async function scanned(callbacks: CallbackServer | null) {
  const { jobs } = testServer
  const packs = { checks: [folder], fingerprints: [], threats: [], distributions: [], lifecycles: [] }
  const ownEndpoints = callbacks ? [`${vulnerableHost}:${callbacks.httpPort}`] : []
  const scanning = { ...scanningIn(testServer), packs, callbacks, ownEndpoints }
  const workspace = await testServer.createWorkspace()
  const as: TestServer['as'] = (whose, work) => testServer.as(whose, work, { actor: person })
  const scan = await as(workspace, async (ctx) => {
    const address = `http://${callbackHost}:${port}/`
    const { target } = await createTarget(ctx, { name: 'Web', address, schedule: { period: 'PERIOD_DAILY' }, tags: [] })
    return (await startScan(ctx, jobs, target.id)).scan
  })
  const work = { signal, isLastAttempt: true }
  await planScan(scanning, { ...work, data: { account: workspace, scanId: scan.id } })
  await runBatch(scanning, { ...work, data: { account: workspace, scanId: scan.id, number: 0 } })
  expect((await as(workspace, (ctx) => getScan(ctx, { id: scan.id }))).scan.status).toBe('STATUS_COMPLETED')
  const { issues } = await as(workspace, (ctx) => listIssues(ctx, {}, describeTargets))
  return Promise.all(
    issues.map(async ({ id }) => (await as(workspace, (ctx) => getIssue(ctx, { id }, describeTargets))).issue),
  )
}

it('detects a target that makes an out-of-band request', async () => {
  const callbacks = await createCallbackServer({ publicHost: vulnerableHost, listen: vulnerableHost, httpPort: 0 })
  try {
    expect(await scanned(callbacks)).toMatchObject([
      {
        name: 'Server-side request forgery',
        verification: 'VERIFICATION_VERIFIED',
        affectedHosts: [{ host: { address: callbackHost }, evidence: [{ quality: 98 }] }],
      },
    ])
  } finally {
    await callbacks.close()
  }
}, 60_000)

it('skips callback checks without a callback server', async () => {
  expect(await scanned(null)).toEqual([])
  expect(requestedUrls.length).toBeGreaterThan(0)
  expect(requestedUrls.filter((path) => path.startsWith('/go'))).toEqual([])
}, 60_000)
