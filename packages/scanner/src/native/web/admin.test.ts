import { describe, expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'
import { administrationControls } from '#native/web/admin.ts'

const admin = `<title>Users - Admin</title><a href="/admin/users/create">New</a><a href="/admin/users/edit/1">Edit</a>
<form method="post" action="/admin/users/delete/1"><button>Delete</button></form>`

it.each([
  ['forms', admin],
  [
    'links with an id',
    '<h1>Queue dashboard</h1><a href="/jobs/1/retry">r</a><a href="/jobs/1/delete">d</a><a href="/jobs/add">a</a>',
  ],
  [
    'script calls',
    '<title>Table manager</title><a onclick="deleteTable(\'a\')">x</a><a href="/create-table">n</a><a onclick="importRows()">i</a><a href="/edit/a">e</a>',
  ],
  [
    'script functions',
    '<title>DB admin</title><a href="/create-table">n</a><script>function deleteTable(n) {}\nfunction purgeTable(n) {}</script>',
  ],
])('recognizes an administration interface by its %s', (_, html) => {
  expect(administrationControls(html)?.some((control) => /delete/.test(control))).toBe(true)
})

it.each([
  ['asks for a password', `${admin}<input name="p" type="password">`],
  ['is not about administration', admin.replace('Admin', 'Blog')],
  [
    'only documents an interface',
    '<h1>Console reference</h1><a href="/docs/delete">delete</a><a href="/docs/create">create</a><a href="/docs/run">run</a>',
  ],
  [
    'has articles with verbs',
    '<title>Manager blog</title><a href="/p/1/how-to-delete-files">a</a><a href="/p/2/install-linux">b</a><a href="/p/3/update-all">c</a>',
  ],
  [
    'is a shop',
    `<h1>Game console</h1><a href="/cart/remove/1">x</a><a href="/cart/add/1">y</a><a href="/cart/edit?id=1">z</a>`,
  ],
  ['links another server', admin.replaceAll('"/admin', '"https://other.example/admin')],
  [
    'destroys nothing',
    '<title>Dashboard</title><a href="/w/1/edit">e</a><a href="/w/1/run">r</a><a href="/w/add">a</a>',
  ],
])('ignores a page that %s', (_, html) => {
  expect(administrationControls(html)).toBeUndefined()
})

it('takes linear time', () => {
  const start = performance.now()
  administrationControls(
    `<title>admin</title>${'<form '.repeat(20_000)}${'<a href='.repeat(20_000)}${'deleteTable'.repeat(20_000)}`,
  )
  expect(performance.now() - start).toBeLessThan(3000)
})

describe('an application without a login', () => {
  const script =
    'fetch("/api/jobs");fetch("/api/jobs/"+id,{method:"DELETE"});fetch("/api/jobs/"+id+"/run",{method:"POST"})'

  function examine(text: string, jobs: readonly [number, string] = [200, '[{"id":1}]']) {
    return findOnSite(({ url }, response) => {
      const answer = (status: number, body: string) => response.writeHead(status, { connection: 'close' }).end(body)
      if (url === '/') answer(200, '<title>Nightly</title><script src="app.js"></script>')
      else if (url === '/app.js') answer(200, text)
      else if (url === '/api/jobs') answer(...jobs)
      else answer(404, '')
    })
  }

  it('is reported if its scripts delete jobs and read them without authentication', async () => {
    expect(await examine(script)).toContain('web-administration-open')
  })

  it.each<[string, string, (readonly [number, string])?]>([
    ['the call requires authentication', script, [401, '']],
    ['the call returns nothing', script, [200, '[]']],
    ['it has a login', `${script};go("/login")`],
    ['it only reads', 'fetch("/api/jobs");fetch("/api/nodes")'],
    ['it changes something else', script.replaceAll('jobs', 'notes')],
  ])('is not reported if %s', async (_, text, jobs) => {
    expect(await examine(text, jobs)).not.toContain('web-administration-open')
  })
})

it.each([
  ['a comment', '<!-- Staff: /staff/queue -->'],
  ['a link', '<a href="/backoffice">x</a>'],
  ['a comment, for another page', '<!-- /help/queue -->'],
])('tries the administration page that the start page names in %s', async (_, front) => {
  const pages = new Set(['/staff/queue', '/backoffice', '/help/queue'])
  const requested: string[] = []
  await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    if (pages.has(url)) requested.push(url)
    response.writeHead(url === '/' ? 200 : 404).end(`<!doctype html>${front}`)
  })
  const [named] = /\/(?:staff\/queue|backoffice)/.exec(front) ?? []
  expect([...new Set(requested)]).toEqual(named === undefined ? [] : [named])
})
