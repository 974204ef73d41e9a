import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endpoint } from '@glacis/contract/endpoint'
import { listIssues, setIssueStatus } from '@glacis/contract/issue'
import { getTarget } from '@glacis/contract/target'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod/mini'
import { call } from '#api/call.ts'
import { ApiFailure, statusPhrase } from '#api/failure.ts'
import { createQueryClient, query } from '#api/query.ts'
import { providePortalConfig } from '#lib/portal-config.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const ping = endpoint({
  method: 'GET',
  path: '/v1/ping',
  summary: 'Answers.',
  input: z.object({}),
  result: z.object({ ok: z.boolean() }),
})

const installation = {
  portalUrl: '',
  identityUrl: '',
  apiDocsUrl: '',
  releaseNotesUrl: '',
  licenceUrl: '',
  helpUrl: '',
  supportEmail: '',
  botChallengeSiteKey: '',
  version: '0.1.0',
  billing: true,
}

interface Seen {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}
const seen: Seen[] = []
const notices = () => shownToasts().map(({ title, message }) => ({ title, message }))
const leave = vi.spyOn(location, 'assign').mockImplementation(() => {})
let answer: (response: ServerResponse) => void
let close: () => Promise<void>

beforeEach(async () => {
  const server = createServer((request, response) => {
    void record(request).then(() => respondTo(request, response))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  close = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  providePortalConfig({ ...installation, apiUrl: `http://127.0.0.1:${port}` })
})
afterEach(async () => {
  seen.length = 0
  leave.mockClear()
  clearToasts()
  await close()
})

async function record(request: IncomingMessage) {
  let body = ''
  for await (const piece of request) body += String(piece)
  seen.push({ method: request.method ?? '', url: request.url ?? '', body, headers: request.headers })
}
function respondTo(request: IncomingMessage, response: ServerResponse) {
  response.setHeader('access-control-allow-origin', String(request.headers.origin ?? '*'))
  response.setHeader('access-control-allow-credentials', 'true')
  response.setHeader('access-control-allow-headers', 'content-type')
  response.setHeader('access-control-allow-methods', 'GET,POST,PUT,PATCH,DELETE')
  if (request.method === 'OPTIONS') response.end()
  else answer(response)
}
function respond(status: number, statusText: string, body = '', type = 'application/json') {
  answer = (response) => {
    response.writeHead(status, statusText, { 'content-type': type })
    response.end(body)
  }
}
async function failureOf(promise: Promise<unknown>): Promise<ApiFailure> {
  const error = await promise.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  )
  if (error instanceof ApiFailure) return error
  throw error
}
const requests = () => seen.filter(({ method }) => method !== 'OPTIONS')

describe('request', () => {
  it('encodes nested keys with dots and repeats list values', async () => {
    respond(200, 'OK', '{"issues":[]}')
    const status = ['STATUS_FILTER_OPEN', 'STATUS_FILTER_IGNORED'] as const
    await call(listIssues, { pageSize: 25, filter: { affectedTargetId: id, status: [...status] } })
    expect(requests()[0]?.url).toBe(
      `/v1/issues?pageSize=25&filter.affectedTargetId=${id}&filter.status=STATUS_FILTER_OPEN&filter.status=STATUS_FILTER_IGNORED`,
    )
  })

  it('omits undefined values', async () => {
    respond(200, 'OK', '{"issues":[]}')
    await call(listIssues, { pageToken: undefined, filter: { query: undefined } })
    expect(requests()[0]?.url).toBe('/v1/issues')
  })

  it('puts path parameters into the path and the rest into a JSON body', async () => {
    respond(404, 'Not Found')
    await failureOf(call(setIssueStatus, { id, status: 'STATUS_RESOLVED' }))
    const [request] = requests()
    expect(request).toMatchObject({
      method: 'PUT',
      url: `/v1/issues/${id}/status`,
      body: '{"status":"STATUS_RESOLVED"}',
    })
    expect(request?.headers['content-type']).toBe('application/json')
  })

  it('sends credentials', async () => {
    let credentials: RequestCredentials | undefined
    const genuine = globalThis.fetch
    globalThis.fetch = (address, options) => {
      credentials = options?.credentials
      return genuine(address, options)
    }
    respond(200, 'OK', '{"ok":true}')
    await call(ping, {}).finally(() => {
      globalThis.fetch = genuine
    })
    expect(credentials).toBe('include')
  })
})

describe('response', () => {
  it('returns the parsed body', async () => {
    respond(200, 'OK', '{"issues":[],"nextPageToken":""}')
    expect(await call(listIssues, {})).toEqual({ issues: [], nextPageToken: '' })
  })

  it('fails for a body that is not JSON', async () => {
    respond(200, 'OK', '<html>')
    const failure = await failureOf(call(getTarget, { id }))
    expect(failure.message).toBe('The request resulted in OK')
    expect(notices()).toHaveLength(1)
  })

  it('redirects to the login page on 401, with a return address', async () => {
    respond(401, 'Unauthorized', '{"code":16,"message":"no session"}')
    expect(await failureOf(call(ping, {}))).toMatchObject({ status: 401 })
    expect(leave.mock.calls).toEqual([[`/login?return_to=${encodeURIComponent(location.href)}`]])
    expect(notices()).toEqual([])
  })

  it('fails without a toast on 404', async () => {
    respond(404, 'Not Found', '{"code":5,"message":"no such target"}')
    const failure = await failureOf(call(getTarget, { id }))
    expect(failure).toMatchObject({ status: 404, message: 'The request resulted in Not Found' })
    expect(notices()).toEqual([])
  })

  it.each([
    [
      'JSON',
      'application/json',
      '{"code":14,"message":"scanner queue is full"}',
      'Service Unavailable: scanner queue is full',
    ],
    [
      'JSON with details',
      'application/json',
      '{"code":3,"message":"no","details":[{"@type":"x"}]}',
      'Service Unavailable: no',
    ],
    [
      'JSON with other details',
      'application/json',
      '{"code":3,"message":"no","details":"x"}',
      'Service Unavailable: no',
    ],
    ['plain text', 'text/plain', 'try again in a minute', 'Service Unavailable: try again in a minute'],
    ['JSON of another shape', 'application/json', '{"error":"x"}', 'Service Unavailable'],
    ['JSON whose code is a text', 'application/json', '{"code":"3","message":"no"}', 'Service Unavailable'],
    ['a page', 'text/html', '<html><body>Bad</body></html>', 'Service Unavailable'],
    ['nothing', 'text/plain', '', 'Service Unavailable'],
  ])('shows a toast titled API failure with the status text and %s', async (_, type, body, message) => {
    respond(503, 'Service Unavailable', body, type)
    const failure = await failureOf(call(ping, {}))
    expect(notices()).toEqual([{ title: 'API failure', message }])
    expect(failure.message).toBe('The request resulted in Service Unavailable')
  })

  it('shows a toast without a response', async () => {
    answer = (response) => response.destroy()
    expect(await failureOf(call(ping, {}))).toMatchObject({ status: 0 })
    expect(notices()[0]?.title).toBe('API failure')
  })

  it('shows no toast for an aborted call', async () => {
    const given = new AbortController()
    answer = () => given.abort(new Error('left the page'))
    await expect(call(ping, {}, { signal: given.signal })).rejects.toThrow('left the page')
    expect(notices()).toEqual([])
  })

  it('maps error details to fields', async () => {
    const violation = { field: 'target.address', description: 'it contains a space' }
    const detail = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation, { field: 7 }] }
    respond(400, 'Bad Request', JSON.stringify({ code: 3, message: 'no', details: [detail] }))
    const failure = await failureOf(call(ping, {}))
    expect([...failure.fieldErrors]).toEqual([['address', 'it contains a space']])
  })
})

it('never retries a query', async () => {
  respond(500, 'Internal Server Error')
  await new QueryClient().fetchQuery(query(ping, {})).catch(() => {})
  expect(requests()).toHaveLength(1)
})

it('keeps unused data for five minutes', () => {
  expect(createQueryClient().getDefaultOptions().queries?.gcTime).toBe(300_000)
})

it('uses the registered phrase without a status text', () => {
  expect([statusPhrase(503, ''), statusPhrase(418, ''), statusPhrase(400, 'Nope')]).toEqual([
    'Service Unavailable',
    'HTTP 418',
    'Nope',
  ])
})
