import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { nativeChecks } from '#native/run.ts'
import { nativeCommand, requestIn } from '#native/reproduce.ts'
import { certificateFor } from '#template/testing/certificate.ts'

const run = promisify(execFile)
const hasOpenSsl = await run('openssl', ['version']).then(
  () => true,
  () => false,
)
const address = '127.83.1.2'

it.skipIf(!hasOpenSsl)('shows the certificate of a TLS service', async () => {
  const server = createServer(certificateFor({ name: 'lab.test' })).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const service = { address, port, hostname: "it's.test", protocol: 'http', tls: true, transport: 'tcp' as const }
  const { stdout } = await run('sh', ['-c', nativeCommand('tls-key-weak', service) ?? 'exit 1'])
  server.close()
  expect(stdout).toMatch(/Public-Key: \(\d+ bit\)/)
})

it('has no command for unknown checks', () => {
  const service = { address, port: 1, hostname: address, protocol: '', tls: false, transport: 'tcp' as const }
  expect(nativeCommand('no-such-check', service)).toBeUndefined()
  expect(nativeChecks.filter(({ id }) => nativeCommand(id, service) !== undefined).length).toBeGreaterThan(10)
})

it.each([
  [
    'with query and headers',
    'GET /list?id=1%27 HTTP/1.1\r\nHost: a\r\nUser-Agent: Glacis\r\nAccept: */*\r\nOrigin: null\r\n\r\n',
    { method: 'GET', path: '/list?id=1%27', headers: { Origin: 'null' } },
  ],
  ['of another protocol', 'RRQ pxelinux.cfg/default octet', undefined],
  ['to a proxy', 'GET http://127.0.0.1/ HTTP/1.1\r\nHost: a\r\n\r\n', undefined],
])('reads a request %s', (_, text, expected) => {
  expect(requestIn(text)).toEqual(expected)
})
