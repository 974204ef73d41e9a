import { expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { software } from '#template/testing/site.ts'

const apache = [{ ...software('http_server') }]
const reply = (status: string, headers: string) =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Length: 0\r\nConnection: close\r\n\r\n`

it.each([
  ['406 Not Acceptable', 'Alternates: {"index.html.bak" 1 {type text/html} {length 9}}\r\n', ['apache-multiviews']],
  ['406 Not Acceptable', '', []],
  ['200 OK', 'Alternates: {"index.html" 1 {type text/html} {length 9}}\r\n', []],
  ['406 Not Acceptable', 'Alternates: {"other.html" 1 {type text/html} {length 9}}\r\n', []],
])('reports files that the server lists: %s %s', async (status, headers, expected) => {
  await using peer = await tcpPeer(answering('', () => reply(status, headers)))
  const service = { protocol: 'http', technologies: apache }
  const { found, covered } = await runNativeChecks(peer, service, [])
  expect(found.filter((id) => id === 'apache-multiviews')).toEqual(expected)
  expect(covered).toContain('apache-multiviews')
})
