import { once } from 'node:events'
import { createServer, type TlsOptions as ServerOptions } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createGuard } from '#guard.ts'
import { acceptsSsl3, tlsHandshake } from '#net/tls.ts'
import { certificateFor } from '#template/testing/certificate.ts'
import { greet, listen, neverFinishTls, reset, sendNothing, respond } from '#testing/loopback.ts'

const guard = createGuard({ allow: ['127.41.0.0/16'] })
const options = { guard, signal: new AbortController().signal, hostname: 'lab.test', deadlineMs: 3000 }
const address = '127.41.20.1'

async function secure(settings: ServerOptions) {
  const server = createServer({ ...certificateFor({ name: 'lab.test', days: 10 }), ...settings })
  server.on('tlsClientError', () => undefined)
  server.listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('not bound')
  return {
    port: bound.port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

describe('tlsHandshake', () => {
  it('returns the certificate and protocol', async () => {
    await using server = await secure({})
    const shaken = await tlsHandshake(address, server.port, options)
    if (shaken.kind === 'failure') throw new Error(shaken.reason)
    shaken.socket.destroy()
    expect(shaken).toMatchObject({ version: 'TLSv1.3', certificate: { selfSigned: true, keyType: expect.any(String) } })
    expect(shaken.certificate?.subject).toContain('CN=lab.test')
    expect(shaken.certificate?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(Date.parse(shaken.certificate?.validTo ?? '')).toBeGreaterThan(Date.now())
  })

  it.each([
    // The reset may arrive before or after the handshake starts.
    ['a server that resets', reset, expect.any(Boolean)],
    ['a silent server', sendNothing, false],
    ['a record that never ends', neverFinishTls, false],
    ['a server of another protocol', greet('SSH-2.0-x\r\n'), true],
  ])('does not hang on %s', async (_, treat, isAnswer) => {
    await using server = await listen('127.41.20.2', 0, treat)
    const shaken = await tlsHandshake(server.address, server.port, { ...options, deadlineMs: 300 })
    expect(shaken).toMatchObject({ kind: 'failure', isAnswer })
  })

  it('SEC-C1 does not connect when the guard rejects the address', async () => {
    const shaken = await tlsHandshake('127.42.0.1', 443, options)
    expect(shaken).toEqual({ kind: 'failure', reason: '127.42.0.1 is outside the target', isAnswer: false })
  })
})

describe('acceptsSsl3', () => {
  it('detects SSL 3 by the ServerHello version', async () => {
    const hello = Buffer.from([22, 3, 0, 0, 6, 2, 0, 0, 2, 3, 0])
    await using server = await listen('127.41.20.3', 0, respond([[/^\p{Cc}/u, hello]]))
    expect(await acceptsSsl3(server.address, server.port, { ...options, deadlineMs: 300 })).toBe(true)
  })

  it('returns false for a modern server', async () => {
    await using server = await secure({ minVersion: 'TLSv1', maxVersion: 'TLSv1.2', ciphers: 'ALL:@SECLEVEL=0' })
    expect(await acceptsSsl3(address, server.port, { ...options, deadlineMs: 300 })).toBe(false)
  })
})
