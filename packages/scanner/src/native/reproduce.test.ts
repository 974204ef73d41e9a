import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { nativeChecks } from '#native/run.ts'
import { nativeCommand } from '#native/reproduce.ts'
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
