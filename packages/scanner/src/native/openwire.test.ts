import { expect, it } from 'vitest'
import { createCallbackRegistry } from '#callback/registry.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const endpoint = { publicHost: '127.67.3.1', publicPort: 8088 }
const greeting = '\0\0\0\x16\x01ActiveMQ\0\0\0\x0c'

it('reports a broker that requests the named configuration', async () => {
  const callbacks = createCallbackRegistry(endpoint, { expect: () => undefined, forget: () => undefined })
  await using peer = await tcpPeer(
    answering(greeting, (received) => {
      const [, id = ''] =
        /ClassPathXmlApplicationContext[\s\S]{3}http:\/\/127\.67\.3\.1:8088\/([0-9a-f]{40})/.exec(received) ?? []
      callbacks.record(id, { protocol: 'http', request: `GET /${id} HTTP/1.1`, response: '', address: '127.67.3.1' })
      return ''
    }),
  )
  const { found, covered } = await runNativeChecks(peer, { protocol: 'openwire' }, [], callbacks)
  expect([found, covered]).toEqual([['CVE-2023-46604'], ['CVE-2023-46604']])
})

it('covers a broker that requests nothing, but only with a callback server', async () => {
  await using peer = await tcpPeer(answering(greeting, () => ''))
  expect((await runNativeChecks(peer, { protocol: 'openwire' })).covered).toEqual([])
  const callbacks = createCallbackRegistry(endpoint, { expect: () => undefined, forget: () => undefined })
  const { found, covered } = await runNativeChecks(peer, { protocol: 'openwire' }, [], callbacks)
  expect([found, covered]).toEqual([[], ['CVE-2023-46604']])
})
