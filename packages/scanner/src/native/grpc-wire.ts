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

/** A string of HPACK (RFC 7541, section 5.2) of fewer than 127 bytes, without Huffman coding. */
function string(text: string): Buffer {
  return Buffer.from([text.length, ...Buffer.from(text, 'latin1')])
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

/** ServerReflectionRequest with `list_services: "*"` in an uncompressed message. */
const listServices = Buffer.from('00000000033a012a', 'hex')

const noParameters = Buffer.alloc(5)

/** Calls each method on a stream of its own. */
function requestOf(methods: readonly string[], message: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
    frame(frameType.settings, 0, 0),
    ...methods.flatMap((method, index) => [
      frame(frameType.headers, endHeaders, 2 * index + 1, requestHeaders(`/${method}`)),
      frame(frameType.data, endStream, 2 * index + 1, message),
    ]),
  ])
}

/** Lists the services. Servers support v1 or v1alpha of the reflection service. */
export const reflectionRequest: Buffer = requestOf(
  ['v1', 'v1alpha'].map((version) => `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`),
  listServices,
)

/** Read-only methods of APIs that usually don't offer reflection: GoBGP 3, 2, and 4. */
const knownMethods = ['apipb.GobgpApi/GetBgp', 'gobgpapi.GobgpApi/GetBgp', 'api.GoBgpService/GetBgp']
export const knownMethodsRequest: Buffer = requestOf(knownMethods, noParameters)

/** @returns the first method that responded to `knownMethodsRequest` with a message, and the message */
export function answeredMethod(received: Buffer): { readonly method: string; readonly message: Buffer } | undefined {
  for (const { type, stream, payload } of framesOf(received)) {
    const method = knownMethods[(stream - 1) / 2]
    const isMessage = type === frameType.data && payload.length > 5 && payload.readUInt32BE(1) === payload.length - 5
    if (method !== undefined && isMessage) return { method, message: payload.subarray(5) }
  }
  return undefined
}

/** @returns the names of the services that a response to `reflectionRequest` lists, sorted */
export function listedServices(received: Buffer): readonly string[] {
  const messages = framesOf(received).filter(({ type, flags }) => type === frameType.data && (flags & 8) === 0)
  const services = Map.groupBy(messages, ({ stream }) => stream)
    .values()
    .flatMap((frames) => fieldsOf(Buffer.concat(frames.map(({ payload }) => payload)).subarray(5), 6))
    .flatMap((list) => fieldsOf(list, 1))
    .flatMap((service) => fieldsOf(service, 1))
    .map((name) => name.toString('latin1'))
  return [...new Set(services)].filter((name) => /^[\w.]{1,200}$/.test(name)).toSorted()
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
