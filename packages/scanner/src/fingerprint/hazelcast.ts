/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Login to a Hazelcast member in the Open Binary Client Protocol, version 2. */

const unfragmented = 0xc000
const isNull = 0x0400
const beginOfList = 0x1000
const endOfList = 0x0800
const isFinal = 0x2000
const authentication = 0x000100

/** `ClientAuthentication` for the cluster "dev", the default, without a username. */
export const hazelcastLogin = Buffer.concat([
  Buffer.from('CP2'),
  frame(unfragmented, initialFrame()),
  frame(0, Buffer.from('dev')),
  frame(isNull),
  frame(isNull),
  ...['NJS', '5.3.0', 'glacis'].map((text) => frame(0, Buffer.from(text))),
  frame(beginOfList),
  frame(endOfList + isFinal),
])

function frame(flags: number, content: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(6)
  head.writeInt32LE(6 + content.length)
  head.writeUInt16LE(flags, 4)
  return Buffer.concat([head, content])
}

/** Type, correlation ID, partition, client ID, serialization version. */
function initialFrame(): Buffer {
  const content = Buffer.alloc(34)
  content.writeInt32LE(authentication)
  content.writeBigInt64LE(1n, 4)
  content.writeInt32LE(-1, 12)
  content.write('glacis-glacis-gl', 17, 'latin1')
  content[33] = 1
  return content
}

/** The state of the login, 0 for success, and the version of the member: `status 0 version 5.3.6`. */
export function serverVersion(response: string): string {
  const bytes = Buffer.from(response, 'latin1')
  if (bytes.length < 20 || bytes.readInt32LE(6) !== authentication + 1) return 'no login'
  const [, version = ''] =
    /[\x05-\x40]\x00\x00\x00\x00[\x00\x20](\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?:-[\w.-]{1,30})?)(?:[\x06-\xff]\x00\x00\x00|$)/.exec(
      response,
    ) ?? []
  // After the type, the correlation ID, and the number of backups.
  return `status ${bytes[19]} version ${version}`
}
