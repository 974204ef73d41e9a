import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const form = '<form action="/api/members/" method="POST"><textarea name="_content"></textarea></form>'

function examine(page: string, allow = 'GET, HEAD, OPTIONS') {
  return findOnSite(({ url }, response) => {
    const answer = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type, vary: 'Accept, Cookie', allow, connection: 'close' }).end(body)
    if (url === '/api/') answer('application/json', '{"members":"http://shop.example/api/members/"}')
    else if (url === '/api/members/') answer('text/html', `<title>Users List – Django REST framework</title>${page}`)
    else response.writeHead(404, { connection: 'close' }).end()
  })
}

it('reports a form that creates records', async () => {
  expect(await examine(form)).toContain('api-writable-without-authentication')
})

it.each([
  ['without the form', ''],
  ['with a form that only reads', form.replace('POST', 'GET')],
])('is silent on a browsable API %s', async (_, page) => {
  expect(await examine(page)).not.toContain('api-writable-without-authentication')
})

it('is silent on an API of another framework', async () => {
  expect(await examine(form, 'GET, POST')).not.toContain('api-writable-without-authentication')
})
