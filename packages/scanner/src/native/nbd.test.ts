import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'

const ack = 1
const tlsRequired = 0x80000005
const unsupported = 0x80000001

function reply(option: number, type: number, data = Buffer.alloc(0)): Buffer {
  const head = Buffer.from('0003e889045565a9000000000000000000000000', 'hex')
  head.writeUInt32BE(option, 8)
  head.writeUInt32BE(type, 12)
  head.writeUInt32BE(data.length, 16)
  return Buffer.concat([head, data])
}

/** A server with the exports "backup" and "disk", of which only the second is described with these flags. */
function exporting(flags: number | undefined, listReply = ack) {
  const name = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)])
  const information = (flags: number) => Buffer.from([0, 0, 0, 0, 0, 0, 0, 16, 0, 0, flags >> 8, flags & 0xff])
  return (socket: Socket) => {
    let rest = Buffer.alloc(0)
    let isGreeted = false
    socket.write('NBDMAGICIHAVEOPT\0\x03')
    socket.on('error', () => undefined)
    socket.on('data', (received: Buffer) => {
      rest = Buffer.concat([rest, received])
      if (!isGreeted && rest.length >= 4) {
        isGreeted = true
        rest = rest.subarray(4)
      }
      while (rest.length >= 16 && rest.length >= 16 + rest.readUInt32BE(12)) {
        const [option, end] = [rest.readUInt32BE(8), 16 + rest.readUInt32BE(12)]
        const data = rest.subarray(16, end)
        rest = rest.subarray(end)
        if (option === 3 && listReply === ack)
          socket.write(Buffer.concat([reply(3, 2, name('backup')), reply(3, 2, name('disk')), reply(3, ack)]))
        else if (option === 3) socket.write(reply(3, listReply))
        else if (option === 6 && flags !== undefined && data.equals(Buffer.concat([name('disk'), Buffer.alloc(2)])))
          socket.write(Buffer.concat([reply(6, 3, information(flags)), reply(6, ack)]))
        else socket.write(reply(option, option === 2 ? ack : unsupported))
      }
    })
  }
}

async function examined(talk: (socket: Socket) => void) {
  const server = createServer(talk).listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  try {
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const peer = { port, [Symbol.asyncDispose]: async () => undefined }
    const { found, covered } = await runNativeChecks(peer, { protocol: 'nbd' })
    return [found, covered]
  } finally {
    server.close()
  }
}

it('reports an export whose flags allow writing', async () => {
  expect(await examined(exporting(0x41))).toEqual([['nbd-exports-writable'], ['nbd-exports-writable']])
})

it.each([
  ['a read-only export', exporting(0x43)],
  ['a server that requires TLS', exporting(0x41, tlsRequired)],
])('does not report %s', async (_, talk) => {
  expect(await examined(talk)).toEqual([[], ['nbd-exports-writable']])
})

it('decides nothing if the server describes none of the exports', async () => {
  expect(await examined(exporting(undefined))).toEqual([[], []])
})
