import { expect, it } from 'vitest'
import { withServiceName } from '#inventory/contents.ts'

const seenTimes = { firstSeenTime: '2026-11-01T08:00:00Z', lastSeenTime: '2026-11-01T08:00:00Z' }
const service = { port: 9200, transport: 'tcp' as const, protocol: 'http', tls: false, ...seenTimes }
const inventory = [
  { port: 9200, product: { name: 'Elasticsearch', version: '8.11.1' } },
  { port: 9200, product: { name: 'Java', version: '' } },
  { port: 22, product: { name: 'OpenSSH', version: '9.2p1' } },
]

it("uses the service's own name, or the software recognized on its port", () => {
  expect(withServiceName(service, inventory).product).toBe('Elasticsearch 8.11.1, Java')
  expect(withServiceName({ ...service, port: 22 }, inventory).product).toBe('OpenSSH 9.2p1')
  expect(withServiceName({ ...service, product: 'nginx/1.24.0' }, inventory).product).toBe('nginx/1.24.0')
  expect(withServiceName({ ...service, port: 80 }, inventory)).not.toHaveProperty('product')
})
