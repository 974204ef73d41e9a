/** The few frames of HTTP/2 (RFC 9113) and gRPC that server reflection and calls without parameters need. */

const frameHeaderBytes = 9
const frameType = { data: 0, headers: 1, settings: 4 }
const endStream = 1
const endHeaders = 4

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(frameHeaderBytes)
  header.writeUIntBE(payload.length, 0, 3)
  header.writeUInt8(type, 3)
  header.writeUInt8(flags, 4)
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, payload])
}

/** A string of HPACK (RFC 7541, section 5.2) of fewer than 255 bytes, without Huffman coding. */
function string(text: string): Buffer {
  const length = text.length < 127 ? [text.length] : [127, text.length - 127]
  return Buffer.from([...length, ...Buffer.from(text, 'latin1')])
}

/** `POST`, `http`, and literals whose names are in the static table (RFC 7541, appendix A), except `te`. */
function requestHeaders(path: string): Buffer {
  return Buffer.concat([
    Buffer.from([0x83, 0x86, 0x04]),
    string(path),
    Buffer.from([0x01]),
    string('localhost'),
    Buffer.from([0x0f, 0x10]),
    string('application/grpc'),
    Buffer.from([0x00]),
    string('te'),
    string('trailers'),
  ])
}

interface Call {
  /** `package.Service/Method` */
  readonly method: string
  readonly message: Uint8Array
}

/** Calls each method on a stream of its own. */
function requestOf(calls: readonly Call[]): Buffer {
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
    frame(frameType.settings, 0, 0),
    ...calls.flatMap(({ method, message }, index) => [
      frame(frameType.headers, endHeaders, 2 * index + 1, requestHeaders(`/${method}`)),
      frame(frameType.data, endStream, 2 * index + 1, uncompressed(message)),
    ]),
  ])
}

function uncompressed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Servers support v1 or v1alpha of the reflection service. */
function reflectionCalls(message: Uint8Array): readonly Call[] {
  return ['v1', 'v1alpha'].map((version) => ({
    method: `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
    message,
  }))
}

/** Lists the services: ServerReflectionRequest with `list_services: "*"`. */
export const reflectionRequest: Buffer = requestOf(reflectionCalls(Buffer.from('3a012a', 'hex')))

/** Requests the files that describe services: `file_containing_symbol`. Names have fewer than 128 bytes. */
export function descriptionRequest(services: readonly string[]): Buffer {
  return requestOf(services.flatMap((name) => reflectionCalls(Buffer.from([0x22, name.length, ...Buffer.from(name)]))))
}

/** Calls methods without parameters. */
export function callsWithoutParameters(methods: readonly string[]): Buffer {
  return requestOf(methods.map((method) => ({ method, message: Buffer.alloc(0) })))
}

/** Read-only methods of APIs that usually don't offer reflection: GoBGP 3, 2, and 4. */
export const knownMethods = ['apipb.GobgpApi/GetBgp', 'gobgpapi.GobgpApi/GetBgp', 'api.GoBgpService/GetBgp']

/** @returns the first method that responded to `callsWithoutParameters` with a message, and the message */
export function answeredMethod(
  received: Buffer,
  methods: readonly string[],
): { readonly method: string; readonly message: Buffer } | undefined {
  for (const { type, stream, payload } of framesOf(received)) {
    const method = methods[(stream - 1) / 2]
    const isMessage = type === frameType.data && payload.length > 5 && payload.readUInt32BE(1) === payload.length - 5
    if (method !== undefined && isMessage) return { method, message: payload.subarray(5) }
  }
  return undefined
}

/** Words with which the names of methods start that only read. */
const reading = /^(?:Describe|Export|Fetch|Find|Get|List|Query|Read|Search|Show)(?:[A-Z_]|$)/

/**
 * Methods that only read, with one request and one or more responses, in the files that a response to
 * `descriptionRequest` contains (FileDescriptorProto of descriptor.proto).
 *
 * @returns `package.Service/Method`
 */
export function readingMethods(received: Buffer): readonly string[] {
  const methods = messagesOf(received)
    .flatMap((response) => fieldsOf(response, 4))
    .flatMap((files) => fieldsOf(files, 1))
    .flatMap((file) => {
      const [name] = fieldsOf(file, 2)
      return fieldsOf(file, 6).flatMap((service) => methodsOf(service, name ? `${name.toString('latin1')}.` : ''))
    })
  return [...new Set(methods)].filter((method) => /^[\w.]{1,150}\/\w{1,90}$/.test(method))
}

function methodsOf(service: Buffer, prefix: string): readonly string[] {
  const [name] = fieldsOf(service, 1)
  return fieldsOf(service, 2).flatMap((method) => {
    const called = fieldsOf(method, 1)[0]?.toString('latin1') ?? ''
    return name && reading.test(called) ? [`${prefix}${name.toString('latin1')}/${called}`] : []
  })
}

/** @returns the names of the services that a response to `reflectionRequest` lists, sorted */
export function listedServices(received: Buffer): readonly string[] {
  const services = messagesOf(received)
    .flatMap((response) => fieldsOf(response, 6))
    .flatMap((list) => fieldsOf(list, 1))
    .flatMap((service) => fieldsOf(service, 1))
    .map((name) => name.toString('latin1'))
  return [...new Set(services)].filter((name) => /^[\w.]{1,200}$/.test(name)).toSorted()
}

/** The first message of each stream. */
function messagesOf(received: Buffer): Buffer[] {
  const data = framesOf(received).filter(({ type, flags }) => type === frameType.data && (flags & 8) === 0)
  const streams = Map.groupBy(data, ({ stream }) => stream).values()
  return [...streams].map((frames) => Buffer.concat(frames.map(({ payload }) => payload)).subarray(5))
}

function framesOf(received: Buffer) {
  const frames: { type: number; flags: number; stream: number; payload: Buffer }[] = []
  for (let at = 0; at + frameHeaderBytes <= received.length;) {
    const end = at + frameHeaderBytes + received.readUIntBE(at, 3)
    if (end > received.length) break
    frames.push({
      type: received.readUInt8(at + 3),
      flags: received.readUInt8(at + 4),
      stream: received.readUInt32BE(at + 5),
      payload: received.subarray(at + frameHeaderBytes, end),
    })
    at = end
  }
  return frames
}

/** The values of one length-delimited field of a Protocol Buffers message; other fields are skipped. */
function fieldsOf(message: Buffer, wanted: number): Buffer[] {
  const values: Buffer[] = []
  for (let at = 0; at < message.length;) {
    const tag = varint(message, at)
    const value = tag && varint(message, tag.end)
    if (!value || ![0, 2].includes(tag.value & 7)) break
    const end = (tag.value & 7) === 2 ? value.end + value.value : value.end
    if (end > message.length) break
    if (tag.value === wanted * 8 + 2) values.push(message.subarray(value.end, end))
    at = end
  }
  return values
}

function varint(message: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = start; at < Math.min(message.length, start + 5); at++) {
    const byte = message.readUInt8(at)
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return undefined
}
