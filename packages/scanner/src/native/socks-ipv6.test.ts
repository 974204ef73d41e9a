import { expect, it } from 'vitest'
import { loadPacks, scan } from '#index.ts'
import { listen } from '#testing/loopback.ts'

it('finds a SOCKS proxy on an IPv6 address', async () => {
  const packs = await loadPacks({ fingerprints: [], checks: [], native: true })
  const itself = `04${'0'.repeat(31)}1`
  await using proxy = await listen('::1', 0, (socket) => {
    socket.on('data', (received) => {
      const said = received.toString('hex')
      if (said.startsWith('0501000') && said.length === 6 + itself.length + 4)
        socket.write(
          Buffer.from(said.startsWith(`050100${itself}`) ? '05000001000000000000' : '05020001000000000000', 'hex'),
        )
      else if (said === '050100') socket.write(Buffer.from('0500', 'hex'))
    })
  })
  const found: string[] = []
  const job = { hosts: [{ address: '::1' }], ports: [proxy.port], allow: ['::1/128'], profile: 'deep' as const }
  for await (const observation of scan(job, { packs, signal: AbortSignal.timeout(25_000) }))
    if (observation.kind === 'finding') found.push(observation.check)
  expect(found).toContain('socks-proxy-open')
})
