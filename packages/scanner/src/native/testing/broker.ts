/** A test AMQP 0-9-1 broker, up to login (AMQP 0-9-1, sections 2.2.4 and 4.2). */
import type { Socket } from 'node:net'

export interface BrokerSettings {
  readonly properties?: Readonly<Record<string, string>>
  readonly mechanisms?: string
  /** Whether a login with this mechanism and response is accepted. */
  readonly admits?: (mechanism: string, response: string) => boolean
  /** Rejects by closing, for clients that don't support Connection.Close during login. */
  readonly refusesSilently?: boolean
}

const rabbit = { product: 'RabbitMQ', version: '3.12.14', platform: 'Erlang/OTP 25.3.2.8' }

export function broker(settings: BrokerSettings = {}): (socket: Socket) => void {
  const { properties = rabbit, mechanisms = 'PLAIN AMQPLAIN', admits = () => false, refusesSilently = false } = settings
  return (socket) => {
    let isGreeted = false
    socket.on('data', (received: Buffer) => {
      if (!isGreeted) {
        isGreeted = true
        // A client of another version receives the supported version (AMQP 0-9-1, section 4.2.2).
        if (received.toString('latin1') !== 'AMQP\0\0\u0009\u0001')
          return void socket.end('AMQP\0\0\u0009\u0001', 'latin1')
        return void socket.write(start(properties, mechanisms))
      }
      const { mechanism, response } = readStartOk(received)
      if (admits(mechanism, response)) return void socket.write(method(30, Buffer.from([7, 255, 0, 2, 0, 0, 0, 60])))
      if (refusesSilently) return void socket.end()
      return void socket.end(
        method(50, Buffer.concat([Buffer.from([1, 147]), short('ACCESS_REFUSED'), Buffer.alloc(4)])),
      )
    })
  }
}

function start(properties: Readonly<Record<string, string>>, mechanisms: string): Buffer {
  const texts = Object.entries(properties).map(([name, text]) =>
    Buffer.concat([short(name), Buffer.from('S'), long(text)]),
  )
  // RabbitMQ's first property is a capability table, which readers must skip.
  const flag = Buffer.concat([short('publisher_confirms'), Buffer.from('t'), Buffer.from([1])])
  const capabilities = Buffer.concat([short('capabilities'), Buffer.from('F'), long(flag)])
  const table = Buffer.concat([capabilities, ...texts])
  return method(10, Buffer.concat([Buffer.from([0, 9]), long(table), long(mechanisms), long('en_US')]))
}

function method(id: number, rest: Buffer): Buffer {
  const payload = Buffer.concat([Buffer.from([0, 10, 0, id]), rest])
  const head = Buffer.alloc(7)
  head.writeUInt8(1)
  head.writeUInt32BE(payload.length, 3)
  return Buffer.concat([head, payload, Buffer.from([0xce])])
}

/** Skips the client's properties and reads its credentials. */
function readStartOk(frame: Buffer): { mechanism: string; response: string } {
  if (frame.readUInt32BE(7) !== 0x000a000b || frame.at(-1) !== 0xce) throw new Error('not Connection.StartOk')
  const at = 11 + 4 + frame.readUInt32BE(11)
  const mechanism = frame.toString('latin1', at + 1, at + 1 + frame.readUInt8(at))
  const from = at + 1 + mechanism.length
  return { mechanism, response: frame.toString('latin1', from + 4, from + 4 + frame.readUInt32BE(from)) }
}

function short(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
}

function long(content: string | Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, Buffer.from(content)])
}
