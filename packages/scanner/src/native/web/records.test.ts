import { describe, expect, it } from 'vitest'
import { kindOf, recordsIn } from '#native/web/record-kinds.ts'
import { callsIn, linksIn } from '#native/web/records.ts'
import { findOnSite } from '#native/testing/examine.ts'

function found(path: string, body: unknown): boolean {
  const kind = kindOf(path)
  return kind !== undefined && recordsIn(JSON.stringify(body), kind) !== undefined
}

describe('recordsIn', () => {
  it.each<[string, unknown]>([
    ['/api/users', [{ id: 1, username: 'ann', email: 'ann@example.com' }]],
    ['/api/coupons', [{ code: 'STAFF', percent: 100 }]],
    ['/api/v1/users/', { count: 1, results: [{ username: 'ann', role: 'admin' }] }],
    ['/api/emails', [{ subject: 'Welcome', from: 'a@example.com', to: ['b@example.com'] }]],
    ['/scheduler/jobs', [{ id: 'report', func: 'os:getpid', trigger: 'interval', next_run_time: '2026-01-01' }]],
    ['/api/api-keys', { data: [{ id: 1, apiKey: 'correct-horse' }] }],
    ['/api/devices', [{ name: 'lamp', ip: '192.0.2.4', firmware: '1.2' }]],
  ])('finds the records of %s', (path, body) => {
    expect(found(path, body)).toBe(true)
  })

  it.each<[string, string, unknown]>([
    ['public job offers', '/api/jobs', [{ id: 1, title: 'Engineer', location: 'Bern', status: 'open' }]],
    ['translations', '/api/messages', { welcome: 'Welcome', from: 'From', subject: 'Subject' }],
    ['customers on a marketing page', '/api/customers', [{ name: 'Acme', logo: '/acme.png' }]],
    ['an empty list', '/api/users', []],
    ['empty members', '/api/users', [{ username: '', email: null }]],
    ['another kind', '/api/products', [{ username: 'ann', email: 'ann@example.com' }]],
    ['an error', '/api/users', { error: 'Unauthorized', role: 'none' }],
  ])('ignores %s', (_, path, body) => {
    expect(found(path, body)).toBe(false)
  })
})

describe('callsIn', () => {
  it('finds whole paths and joins a base path with a name', () => {
    expect(callsIn(['fetch("/api/v1/users");fetch(`${host}/api/jobs?page=1`)'])).toEqual(['/api/v1/users', '/api/jobs'])
    expect(callsIn(['axios.create({baseURL:"/api"})', 'client.get("/users")'])).toEqual(['/api/users'])
  })

  it('ignores pages and other names', () => {
    expect(callsIn(['go("/users"); fetch("/api/products"); import("./api/users.js")'])).toEqual([])
  })

  it('takes linear time', () => {
    const start = performance.now()
    callsIn([`"${'a/'.repeat(100_000)}`, '"'.repeat(100_000)])
    expect(performance.now() - start).toBeLessThan(500)
  })
})

it('reads the links of a JSON index', () => {
  const index = {
    users: 'http://api.example.com/users/',
    posts: 'http://api.example.com/posts/',
    _links: { jobs: { href: '/jobs' } },
  }
  expect(linksIn(JSON.stringify(index), '/')).toEqual(['/users/', '/posts/', '/jobs'])
  expect(linksIn('{"customers":"/customers{/id}"}', '/')).toEqual(['/customers'])
  expect(linksIn('<html>', '/')).toEqual([])
})

describe('the check', () => {
  function examine(users: (hasToken: boolean) => readonly [number, unknown]) {
    return findOnSite((request, response) => {
      const answer = (type: string, body: string, status = 200) =>
        response.writeHead(status, { 'content-type': type, connection: 'close' }).end(body)
      if (request.url === '/') return answer('text/html', '<script src="/app.js"></script>')
      if (request.url === '/app.js') return answer('text/javascript', 'fetch("/api/users")')
      if (request.url !== '/api/users') return answer('text/plain', '', 404)
      const [status, body] = users(request.headers.authorization !== undefined)
      return answer('application/json', JSON.stringify(body), status)
    })
  }

  it('reports records that a call in a script returns', async () => {
    const found = await examine(() => [200, [{ id: 1, username: 'ann', email: 'ann@example.com' }]])
    expect(found).toContain('api-records-exposed')
  })

  it('is silent if the call requires authentication', async () => {
    const found = await examine(() => [401, { error: 'Unauthorized' }])
    expect(found).not.toContain('api-records-exposed')
  })
})
