import { describe, expect, it } from 'vitest'
import {
  describedParameters,
  linkedItems,
  linkedPages,
  linkedQueries,
  parametersOf,
  plainPaths,
  withOwnHost,
} from '#native/web/parameters.ts'

const page = (body: string, scripts: readonly string[] = []) =>
  parametersOf([{ path: '/shop/', body }], scripts).map(({ path, name, value }) => `${path} ${name}=${value}`)

describe('parametersOf', () => {
  it.each(['<input type="submit" value="CHANGE">', '<button>Save name</button>', '<button>Delete</button>'])(
    'ignores GET forms that change something: %s',
    (button) => {
      expect(page(`<form action="/sensor"><input name="alias">${button}</form>`)).toEqual([])
      expect(page(`<form action="/sensor"><input name="alias"><button>Show</button></form>`)).toHaveLength(1)
    },
  )

  it('finds parameters of links, GET forms, and paths in scripts', () => {
    const links = '<a href="report?file=2025.csv&amp;id=1">Report</a><a href="https://other.example/?q=1">Other</a>'
    const form =
      '<form action="/search"><input name="q"></form><form method="post" action="/save"><input name="n"></form>'
    const script = "fetch('/api/files?path=logo.png')"
    expect(page(links + form, [script])).toEqual([
      '/shop/report file=2025.csv',
      '/shop/report id=1',
      '/api/files path=logo.png',
      '/search q=',
    ])
  })

  it('skips links that could destroy something or end the session', () => {
    const links = ['?action=delete&id=1', '/users/remove?id=1', '/logout?next=/', '/exit?now=1', '/list?sort=name']
    expect(page(links.map((link) => `<a href="${link}">x</a>`).join(''))).toEqual(['/list sort=name'])
  })

  it("skips a development server's own tools", () => {
    const script = "fetch('/__open-in-editor?file=src/App.vue'); fetch('/_files?name=logo.png')"
    expect(page('', [script])).toEqual(['/_files name=logo.png'])
  })

  it('skips the versions of assets', () => {
    const links = '<link href="/site.css?v=3"><script src="/app.js?v=4"></script><img src="/thumbnail?id=5">'
    expect(page(links)).toEqual(['/thumbnail id=5'])
  })

  it('lists a parameter once', () => {
    expect(page('<a href="/p?page=1">1</a><a href="/p?page=2">2</a>')).toHaveLength(1)
  })
})

describe('linkedItems', () => {
  const items = (...links: readonly string[]) => {
    const body = links.map((link) => `<a href="${link}">x</a>`).join('')
    return linkedItems({ front: { path: '/shop/', body }, base: '/shop/' }).map(({ path, value }) => `${path} ${value}`)
  }

  it('finds one item of each collection', () => {
    expect(items('orders/7', '/shop/orders/8', '/shop/api/users/anna', '/blog/posts/1', 'about/us')).toEqual([
      '/shop/orders/{id} 7',
      '/shop/api/users/{id} anna',
    ])
  })

  it('finds an item whose path ends with a slash', () => {
    expect(items('patients/101/')).toEqual(['/shop/patients/{id}/ 101'])
    expect(items('club/1/card')).toEqual(['/shop/club/{id}/card 1'])
  })

  it('skips links that could change something', () => {
    expect(items('users/delete', 'reset/orders/7', 'relays/on', 'users/logout', 'orders/new')).toEqual([])
  })
})

it('lists linked pages that only show something', () => {
  const links = [
    '/shop/order',
    '/shop/',
    'cart.php',
    'a.css',
    '/shop/logout',
    'item?id=1',
    '/other',
    'order',
    'b/delete',
  ]
  const body = links.map((link) => `<a href="${link}">x</a>`).join('')
  expect(linkedPages({ front: { path: '/shop/', body }, base: '/shop/' })).toEqual(['/shop/order', '/shop/cart.php'])
})

it('lists two linked pages with parameters, one of each path', () => {
  const links = ['login?next=/cart', '/shop/login?next=/help', 'order', 'users?delete=1', 'item?id=1', 'find?q=a']
  const body = links.map((link) => `<a href="${link}">x</a>`).join('')
  expect(linkedQueries({ front: { path: '/shop/', body }, base: '/shop/' })).toEqual([
    '/shop/login?next=/cart',
    '/shop/item?id=1',
  ])
})

it('follows no link that names another host, and replaces the host in tests', () => {
  const links = ['/probe?target=example.org', '/fetch?url=https://example.org/feed', '/help?page=report.md']
  const body = links.map((link) => `<a href="${link}">x</a>`).join('')
  expect(linkedQueries({ front: { path: '/', body }, base: '/' })).toEqual(['/help?page=report.md'])
  const found = parametersOf([{ path: '/', body }], [])
  expect(found.map((parameter) => withOwnHost(parameter, '192.0.2.1:81').value)).toEqual([
    '192.0.2.1:81',
    'http://192.0.2.1:81',
    'report.md',
  ])
})

it('lists the pages of parameters without them, and linked items', () => {
  const front = { path: '/', body: '<a href="/item?id=1&lang=en">1</a><a href="/orders/7">7</a>' }
  expect(plainPaths([...parametersOf([front], []), ...linkedItems({ front, base: '/' })])).toEqual([
    '/item',
    '/orders/7',
  ])
})

describe('describedParameters', () => {
  it('lists parameters of operations that only read, those of files and URLs first', () => {
    const query = (name: string, required = false) => ({ name, in: 'query', required, schema: { default: 'x' } })
    const paths = {
      '/search': { get: { parameters: [query('q', true), query('page_size')] } },
      '/orders/{id}/items/{item}': { get: {} },
      '/files/{name}': { get: {}, delete: {} },
      '/fetch': { get: { parameters: [query('url', true), { name: 'token', in: 'header' }] } },
      '/settings/reset': { get: { parameters: [query('name')] } },
      '/deleteFile/{path}': { get: {} },
      '/notes/{note}': { delete: {} },
      '/upload': { post: { parameters: [query('file')] } },
    }
    const found = describedParameters({ openapi: '3.1.0', servers: [{ url: '/v1' }], paths }, '/')
    expect(found.map(({ path, name, query: others }) => [path, name, others.length])).toEqual([
      ['/v1/search', 'page_size', 1],
      ['/v1/files/{name}', 'name', 0],
      ['/v1/fetch', 'url', 1],
      ['/v1/search', 'q', 1],
    ])
  })
})

it.each([
  ['/export', true],
  ['/files/download', true],
  ['/files/DeleteFile', false],
  ['/jobs/restart', false],
  ['/config_reload', false],
  ['/session/logout', false],
  ['/setup/finish', false],
  ['/server/exit', false],
])('decides by its verbs whether an operation only reads: %s', (path, isRead) => {
  const paths = { [path]: { get: { parameters: [{ name: 'file', in: 'query' }] } } }
  expect(describedParameters({ openapi: '3.1.0', paths }, '/')).toHaveLength(isRead ? 1 : 0)
})
