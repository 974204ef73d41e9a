/** Opening messages of AMQP 0-9-1: the broker's Connection.Start and the reply. */
import { bytes } from '#wire.ts'

/** Protocol header for version 0-9-1 (AMQP 0-9-1, section 4.2.2). */
export const protocolHeader: Buffer = bytes('AMQP\0\0\u0009\u0001')

/** Connection.Start (AMQP 0-9-1, section 1.4.2.1). */
export interface BrokerStart {
  /** Text values of the server properties, such as product, version, platform. */
  readonly properties: Readonly<Record<string, string>>
  readonly mechanisms: readonly string[]
}

/** Class and method of a frame. */
export type BrokerMethod = 'start' | 'secure' | 'tune' | 'close' | 'other'

const methods: Readonly<Record<number, BrokerMethod>> = { 10: 'start', 20: 'secure', 30: 'tune', 50: 'close' }
const methodFrame = 1
const connectionClass = 10
const frameEnd = 0xce
const propertiesMax = 40

/** Whether a complete frame was received. */
export function isBrokerFrame(received: Buffer): boolean {
  return received.length >= 8 && received.length >= 8 + received.readUInt32BE(3)
}

/** Undefined when the frame is not a connection method. */
export function methodOf(frame: Buffer): BrokerMethod | undefined {
  if (frame.length < 12 || frame[0] !== methodFrame || frame.readUInt16BE(7) !== connectionClass) return undefined
  return methods[frame.readUInt16BE(9)] ?? 'other'
}

/**
 * Parses Connection.Start; undefined for anything else.
 *
 * @throws RangeError when it is truncated or its lengths are invalid
 */
export function readStart(frame: Buffer): BrokerStart | undefined {
  if (methodOf(frame) !== 'start') return undefined
  // After class, method, and version: the property table, then the mechanisms.
  const tableEnd = 17 + frame.readUInt32BE(13)
  const properties = readTable(frame.subarray(17, tableEnd))
  const length = frame.readUInt32BE(tableEnd)
  const mechanisms = frame.toString('latin1', tableEnd + 4, tableEnd + 4 + length)
  return {
    properties,
    mechanisms: mechanisms
      .split(' ')
      .filter((name) => name !== '')
      .slice(0, 20),
  }
}

/** Text fields by name; other values are skipped. */
function readTable(table: Buffer): Record<string, string> {
  const entries: [string, string][] = []
  let at = 0
  while (at < table.length && entries.length < propertiesMax) {
    const nameEnd = at + 1 + table.readUInt8(at)
    const name = table.toString('latin1', at + 1, nameEnd)
    const kind = String.fromCharCode(table.readUInt8(nameEnd))
    const size = sizeOf(kind, table, nameEnd + 1)
    if (size === undefined) break
    if (kind === 'S') entries.push([name, table.toString('latin1', nameEnd + 5, nameEnd + 1 + size)])
    at = nameEnd + 1 + size
  }
  return Object.fromEntries(entries)
}

const fixedSizes: Readonly<Record<string, number>> = {
  t: 1,
  b: 1,
  B: 1,
  s: 2,
  u: 2,
  U: 2,
  I: 4,
  i: 4,
  f: 4,
  D: 5,
  l: 8,
  L: 8,
  d: 8,
  T: 8,
  V: 0,
}

/** Size of a field value by its type (AMQP 0-9-1, section 4.2.5.5, and RabbitMQ's errata). */
function sizeOf(kind: string, table: Buffer, at: number): number | undefined {
  if ('SFAx'.includes(kind)) return 4 + table.readUInt32BE(at)
  return fixedSizes[kind]
}

/** Connection.StartOk with one mechanism and its initial response (AMQP 0-9-1, section 1.4.2.2). */
export function startOk(mechanism: string, response: string): Buffer {
  const payload = Buffer.concat([
    Buffer.from([0, connectionClass, 0, 11, 0, 0, 0, 0]),
    shortText(mechanism),
    longText(response),
    shortText('en_US'),
  ])
  const head = Buffer.alloc(7)
  head.writeUInt8(methodFrame)
  head.writeUInt32BE(payload.length, 3)
  return Buffer.concat([head, payload, Buffer.from([frameEnd])])
}

function shortText(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), bytes(text)])
}

function longText(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, bytes(text)])
}

/** Broker properties, one per line, for evidence and fingerprints. */
export function describeStart(frame: Buffer): string {
  const text = frame.toString('latin1', 0, 8)
  // A broker that doesn't support 0-9-1 responds with the header of its own version and closes the
  // connection.
  if (text.startsWith('AMQP')) return `protocol ${[...frame.subarray(5, 8)].join('.')}`
  const start = tryReadStart(frame)
  if (!start) return 'no Connection.Start'
  const { properties, mechanisms } = start
  const lines = ['product', 'version', 'platform', 'cluster_name'].flatMap((name) =>
    properties[name] === undefined ? [] : `${name}: ${properties[name].slice(0, 200)}`,
  )
  return [...lines, `mechanisms: ${mechanisms.join(' ')}`].join('\n')
}

function tryReadStart(frame: Buffer): BrokerStart | undefined {
  try {
    return readStart(frame)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
