import { expect, it } from 'vitest'
import { answering, findOnSite, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const reply = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
const challenge =
  'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
const page = reply('200 OK', 'Salaries of all employees')

it.each([
  ['protects GET only', challenge, page, reply('404 Not Found', 'missing'), ['http-method-bypass']],
  ['protects everything', challenge, challenge, challenge, []],
  ['rejects the method', challenge, reply('501 Not Implemented', 'no'), reply('501 Not Implemented', 'no'), []],
  ['answers the same everywhere', challenge, page, page, []],
  ['names the unknown method', challenge, reply('200 OK', 'Unknown method'), reply('404 Not Found', ''), []],
  ['shows a login form', challenge, reply('200 OK', '<input type="password">'), reply('404 Not Found', ''), []],
  ['protects nothing', page, page, reply('404 Not Found', ''), []],
])('judges a server that %s', async (_, get, other, missing, expected) => {
  await using peer = await tcpPeer(
    answering('', (text) => (text.startsWith('GLACIS / ') ? other : text.startsWith('GLACIS ') ? missing : get)),
  )
  const { found, covered } = await runNativeChecks(peer, { protocol: 'http' }, [])
  expect(found.filter((id) => id === 'http-method-bypass')).toEqual(expected)
  expect(covered).toContain('http-method-bypass')
})

it.each([
  ['HEAD', ['http-method-bypass']],
  ['PUT', []],
])('judges a linked page that is not protected for %s', async (method, expected) => {
  const found = await findOnSite((request, response) => {
    response.setHeader('connection', 'close')
    if (request.url === '/') response.end('<a href="/report">Report</a>')
    else if (request.url !== '/report') response.writeHead(404).end()
    else if (request.method === method) response.end('Salaries')
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
  })
  expect(found.filter((id) => id === 'http-method-bypass')).toEqual(expected)
})
