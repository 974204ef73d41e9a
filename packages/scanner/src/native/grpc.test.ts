import { createServer, type Http2ServerResponse } from 'node:http2'
import { expect, it } from 'vitest'
import { listedServices } from '#native/grpc-wire.ts'
import { runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

/** A message with one field of a length-delimited type. */
const field = (number: number, value: Buffer) => Buffer.concat([Buffer.from([number * 8 + 2, value.length]), value])
const listing = (names: readonly string[]) => {
  const list = Buffer.concat(names.map((name) => field(1, field(1, Buffer.from(name)))))
  const message = Buffer.concat([field(1, Buffer.from('localhost')), field(6, list)])
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Node's implementation of HTTP/2 parses what the check sends. */
async function checked(respond: (response: Http2ServerResponse, path: string) => void, paths: string[] = []) {
  const server = createServer()
  server.on('request', (request, response) => {
    paths.push(request.url)
    request.resume()
    request.on('end', () => respond(response, request.url))
  })
  await using peer = await tcpPeer((socket) => void server.emit('connection', socket))
  const result = await runNativeChecks(peer, { protocol: 'grpc' })
  return { ...result, paths }
}

const grpc = { 'content-type': 'application/grpc' }
const unimplemented = { ...grpc, 'grpc-status': '12' }

it('lists the services of a server that only has the older reflection service', async () => {
  const { found, paths } = await checked((response, path) => {
    const isKnown = path.includes('v1alpha')
    response.writeHead(200, isKnown ? grpc : unimplemented)
    response.end(isKnown ? listing(['lab.Ledger', 'grpc.health.v1.Health']) : '')
  })
  expect(paths).toContain('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')
  expect(found).toEqual(['grpc-reflection-exposed'])
})

it('finds nothing on a server without reflection, and reports coverage', async () => {
  const { found, covered } = await checked((response) => response.writeHead(200, unimplemented).end())
  expect(found).toEqual([])
  expect(covered).toContain('grpc-reflection-exposed')
})

it.each([Buffer.alloc(0), Buffer.alloc(60, 255), Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')])(
  'reads no services from other data',
  (received) => {
    expect(listedServices(received)).toEqual([])
  },
)

it.each([
  [200, ['gobgp-api-open']],
  [16, []],
])('finds an API that accepts calls, by a message in the response: %i', async (status, expected) => {
  const bgp = Buffer.concat([Buffer.from([0, 0, 0, 0, 4]), field(1, Buffer.from('as'))])
  const { found, covered } = await checked((response, path) => {
    const isAccepted = status === 200 && path === '/apipb.GobgpApi/GetBgp'
    response.writeHead(200, isAccepted ? grpc : { ...grpc, 'grpc-status': '16' })
    response.end(isAccepted ? bgp : '')
  })
  expect(found).toEqual(expected)
  expect(covered).toContain('gobgp-api-open')
})

const text = (number: number, value: string) => field(number, Buffer.from(value))
const framed = (message: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
/** The file of a service with these methods, in a response of server reflection. */
const description = (methods: readonly string[]) => {
  const service = Buffer.concat([text(1, 'Ledger'), ...methods.map((name) => field(2, text(1, name)))])
  return framed(field(4, field(1, Buffer.concat([text(2, 'lab'), field(6, service)]))))
}

it.each([
  ['that returns data', framed(text(1, 'Erika Example')), ['grpc-api-open', 'grpc-reflection-exposed']],
  ['without data', framed(Buffer.alloc(0)), ['grpc-reflection-exposed']],
  ['that requires authentication', undefined, ['grpc-reflection-exposed']],
])('calls a method that only reads, %s', async (_, answer, expected) => {
  const paths: string[] = []
  const { found } = await checked((response, path) => {
    const isReflection = path.includes('v1.ServerReflection')
    // The request for descriptions is the second one on this path.
    const isFirst = paths.filter((other) => other === path).length === 1
    const reply = isReflection ? (isFirst ? listing(['lab.Ledger']) : description(['DropAll', 'ListBills'])) : undefined
    const body = path === '/lab.Ledger/ListBills' ? answer : reply
    response.writeHead(200, body ? grpc : unimplemented).end(body ?? '')
  }, paths)
  expect(found.toSorted()).toEqual(expected)
  expect(paths).toContain('/lab.Ledger/ListBills')
  expect(paths).not.toContain('/lab.Ledger/DropAll')
})
