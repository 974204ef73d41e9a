import { bytes } from '#wire.ts'
import { checkInfo, type NativeCheck, type Proof } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'

const noPassword = checkInfo({
  id: 'vnc-no-password',
  name: 'VNC exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The VNC server accepts connections without a password (security type None, or Tight or VeNCrypt without authentication).',
  impact: 'An attacker can see the screen, and control the keyboard and mouse.',
  remediation:
    'Set a password, bind the server to localhost (`-localhost` in TigerVNC), and use an SSH tunnel or VPN for remote access.',
  reference: 'https://www.rfc-editor.org/rfc/rfc6143#section-7.2.1',
  tags: 'misconfig vnc unauth network',
  verifiedOn: 'tigervnc tigervnc-5902 tigervnc-tlsnone tightvnc x11vnc',
})
const cleartext = checkInfo({
  id: 'vnc-cleartext',
  name: 'VNC without encryption',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'None of the security types that the VNC server offers encrypts the session.',
  impact:
    'An attacker on the network path can read screen contents and keystrokes, and crack the password from its challenge-response exchange.',
  remediation:
    'Offer only encrypted security types (TigerVNC: `-SecurityTypes X509Vnc,TLSVnc`), or tunnel VNC through SSH or a VPN.',
  reference: 'https://www.rfc-editor.org/rfc/rfc6143#section-9',
  tags: 'misconfig vnc cleartext network',
  verifiedOn: 'tigervnc tigervnc-5902',
})

/** Names of security types (RFC 6143, section 7.2, and IANA's registry). */
const typeNames: Readonly<Record<number, string>> = {
  1: 'None',
  2: 'VNC Authentication',
  5: 'RA2',
  6: 'RA2ne',
  16: 'Tight',
  17: 'Ultra',
  18: 'TLS',
  19: 'VeNCrypt',
  20: 'SASL',
  30: 'Apple',
  33: 'Apple',
  35: 'Apple',
  129: 'RA256',
  // Subtypes of VeNCrypt.
  256: 'Plain',
  257: 'TLSNone',
  258: 'TLSVnc',
  259: 'TLSPlain',
  260: 'X509None',
  261: 'X509Vnc',
  262: 'X509Plain',
}
const tight = 16
const venCrypt = 19
const unauthenticated: ReadonlySet<number> = new Set([1, 257, 260])
const unencrypted: ReadonlySet<number> = new Set([1, 2, tight, 17, 256])
const readOptions = { firstByteMs: 4000, idleMs: 200, totalMs: 6000 }

/**
 * Reads the security types on a single connection, because servers block clients that connect
 * repeatedly without logging in. If Tight or VeNCrypt is offered, selects it to read its subtypes;
 * selects no other type and no subtype.
 */
export const vnc: NativeCheck = {
  checks: [noPassword, cleartext],
  appliesTo: ({ protocol }) => protocol === 'vnc',
  async run(context) {
    const offer = await context.withConnection(readOffer)
    if (!offer) return {}
    const { types, subtypes } = offer
    const lists = [`security types: ${named(types)}`, ...(subtypes ? [`subtypes: ${named(subtypes)}`] : [])]
    const answer = lists.join('; ')
    const proof = (highlight: string): Proof => ({
      request: 'RFB handshake',
      answer,
      highlights: [highlight],
    })
    const open = [...types, ...(subtypes ?? [])].find((type) => unauthenticated.has(type))
    const isUndecided = !open && !subtypes && types.some((type) => type === tight || type === venCrypt)
    const isClear = types.every((type) =>
      type === venCrypt ? subtypes?.every((subtype) => unencrypted.has(subtype)) : unencrypted.has(type),
    )
    return {
      ...(!isUndecided && { [noPassword.id]: open ? proof(named([open])) : null }),
      [cleartext.id]: isClear ? proof(answer) : null,
    }
  },
}

function named(types: readonly number[]): string {
  return types.map((type) => `${type} ${typeNames[type] ?? ''}`.trim()).join(', ')
}

export type RfbConnection = Pick<TcpConnection, 'read' | 'write'>

interface Offer {
  readonly types: readonly number[]
  /** The types that VeNCrypt or Tight lists; undefined if neither was selected or the list is incomplete. */
  readonly subtypes: readonly number[] | undefined
}

async function readOffer(connection: RfbConnection): Promise<Offer | undefined> {
  const types = await offeredTypes(connection)
  if (!types) return undefined
  if (types.some((type) => unauthenticated.has(type))) return { types, subtypes: undefined }
  if (types.includes(venCrypt)) return { types, subtypes: await venCryptSubtypes(connection) }
  return { types, subtypes: types.includes(tight) ? await tightTypes(connection) : undefined }
}

/** The subtypes of VeNCrypt 0.2; undefined for servers that only implement version 0.1. */
async function venCryptSubtypes(connection: RfbConnection): Promise<readonly number[] | undefined> {
  connection.write(Buffer.from([venCrypt]))
  const version = await readMessage(connection, () => 2)
  if (version?.readUInt16BE(0) !== 2) return undefined
  connection.write(Buffer.from([0, 2]))
  const list = await readMessage(connection, (all) => 2 + 4 * (all[1] ?? 0))
  const [status, count] = list ?? []
  if (!list || status !== 0 || !count) return undefined
  return Array.from({ length: count }, (_, index) => list.readUInt32BE(2 + 4 * index))
}

/** The authentication types of Tight. An empty list means that none is needed, and is returned as None. */
async function tightTypes(connection: RfbConnection): Promise<readonly number[] | undefined> {
  connection.write(Buffer.from([tight]))
  const isWithTunnels = (all: Buffer) => all.length >= 4 && all.readUInt32BE(0) > 0
  const tunnels = await readMessage(connection, (all) =>
    isWithTunnels(all) ? capabilitiesLength(all) : 4 + capabilitiesLength(all.subarray(4)),
  )
  if (!tunnels) return undefined
  let list: Buffer | undefined = tunnels.subarray(4)
  if (isWithTunnels(tunnels)) {
    connection.write(Buffer.alloc(4)) // no tunnel
    list = await readMessage(connection, capabilitiesLength)
  }
  if (!list) return undefined
  const count = list.readUInt32BE(0)
  if (count === 0) return [1]
  const start = list.subarray(4)
  return Array.from({ length: count }, (_, index) => start.readUInt32BE(16 * index))
}

/** The length of a capability count and the 16-byte capabilities that follow it. */
function capabilitiesLength(all: Buffer): number {
  return all.length < 4 ? 4 : 4 + 16 * all.readUInt32BE(0)
}

/** Reads a message whose first bytes determine its length; undefined if it is incomplete. */
async function readMessage(connection: RfbConnection, lengthOf: (all: Buffer) => number): Promise<Buffer | undefined> {
  const all = await connection.read({ ...readOptions, enough: (received) => received.length >= lengthOf(received) })
  // A server without authentication types continues with its SecurityResult.
  return all.length >= lengthOf(all) ? all : undefined
}

/** The offered security types; undefined when the server rejects the connection by offering none. */
export async function offeredTypes(connection: RfbConnection): Promise<readonly number[] | undefined> {
  const greeting = (await connection.read({ ...readOptions, enough: (all) => all.length >= 12 })).toString('latin1')
  const [, major = '', minor = ''] = /^RFB (\d{3})\.(\d{3})/.exec(greeting) ?? []
  if (major === '') return undefined
  const isOld = Number(major) < 4 && Number(minor) < 7
  connection.write(bytes(isOld ? 'RFB 003.003\n' : 'RFB 003.008\n'))
  const received = await connection.read({
    ...readOptions,
    enough: (all) => all.length >= (isOld ? 4 : 1 + (all[0] ?? 0)),
  })
  // Version 3.3 servers select the type and send it in four bytes; later versions send a list.
  const types = isOld ? [...received.subarray(3, 4)] : [...received.subarray(1, 1 + (received[0] ?? 0))]
  const isWhole = isOld ? received.length === 4 && received.readUIntBE(0, 3) === 0 : types.length === received[0]
  return isWhole && types.length > 0 && !types.includes(0) ? types : undefined
}
