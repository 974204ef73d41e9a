import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const key = publicKey.export({ type: 'spki', format: 'der' })
const number = (value: number) => Buffer.from([value, 0, 0, 0])
/** The header, the result of the link, the key, and no capabilities. */
const reply = (error: number) =>
  Buffer.concat([Buffer.from('REDQ'), number(2), number(2), number(178), number(error), key, Buffer.alloc(12)])
/** A server with this result for the link and this one for the password. */
const peerWith = (linked: number, authenticated: number) =>
  tcpPeer(answering('', (_, raw) => (raw.toString('latin1', 0, 4) === 'REDQ' ? reply(linked) : number(authenticated))))
const needsTls = 5
const permissionDenied = 7
const unknownSession = 8

it('reports a server that accepts an empty password', async () => {
  await using peer = await peerWith(0, unknownSession)
  expect((await runNativeChecks(peer, { protocol: 'spice' })).found).toEqual(['spice-no-password'])
})

it('does not report a server that requires a password', async () => {
  await using peer = await peerWith(0, permissionDenied)
  const { found, covered } = await runNativeChecks(peer, { protocol: 'spice' })
  expect([found, covered]).toEqual([[], ['spice-no-password']])
})

it('reaches no verdict on a server that requires TLS', async () => {
  await using peer = await peerWith(needsTls, 0)
  const { found, covered } = await runNativeChecks(peer, { protocol: 'spice' })
  expect([found, covered]).toEqual([[], []])
})
