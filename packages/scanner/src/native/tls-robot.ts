/** ROBOT: servers whose response to a wrongly padded RSA key exchange differs (Böck, Somorovsky, Young, 2018). */
import { constants, publicEncrypt, randomBytes, X509Certificate, type KeyObject } from 'node:crypto'
import { hex } from '#wire.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { supportsStartTls, talkTls } from '#native/starttls.ts'
import { clientHello, isHelloDone, readCertificate, readFullServerHello, rsaSuites } from '#native/tls-hello.ts'
import type { TcpConnection } from '#net/tcp.ts'

const robot = checkInfo({
  id: 'tls-robot',
  name: 'TLS RSA padding oracle (ROBOT)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary:
    'The server responds differently to correctly and incorrectly padded RSA key exchanges, which is a Bleichenbacher oracle.',
  impact:
    "An attacker can decrypt recorded connections that used RSA key exchange and sign messages with the server's key.",
  remediation:
    'Disable cipher suites with RSA key exchange (names without ECDHE or DHE), and update the TLS library or appliance.',
  reference: 'https://robotattack.org/',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'bouncycastle-tls',
})
/** How the bytes in front of the secret are laid out. Only the first is right (RFC 8017, section 7.2.1). */
const layouts: Readonly<Record<string, (padding: Buffer, secret: Buffer) => readonly Buffer[]>> = {
  'correct padding': (padding, secret) => [hex('0002'), padding, hex('00 0303'), secret],
  'wrong first bytes': (padding, secret) => [hex('4117'), padding, hex('00 0303'), secret],
  'no separator': (padding, secret) => [hex('0002'), padding, hex('11 1111'), secret],
  'separator at a wrong position': (padding, secret) => [
    hex('0002'),
    padding,
    hex('11 1111'),
    secret.subarray(0, -2),
    hex('0011'),
  ],
  'wrong version': (padding, secret) => [hex('0002'), padding, hex('00 0202'), secret],
}
const repetitions = 2

export const tlsRobot: NativeCheck = {
  checks: [robot],
  appliesTo: ({ tls, protocol, transport }) => transport === 'tcp' && (tls || supportsStartTls(protocol)),
  async run(context) {
    const first = await responses(context)
    if (first === undefined) return {}
    if (first === null || new Set(first.values()).size === 1) return { [robot.id]: null }
    // A busy server may respond differently by chance; an oracle does so each time.
    for (let count = 0; count < repetitions; count++) {
      const again = await responses(context)
      if (!again) return {}
      if ([...again].some(([layout, response]) => first.get(layout) !== response)) return { [robot.id]: null }
    }
    return { [robot.id]: proofOf(first) }
  },
}

function proofOf(responsesByLayout: ReadonlyMap<string, string>): Proof {
  const lines = [...responsesByLayout].map(([layout, response]) => `${layout}: ${response}`)
  return {
    request: 'RSA key exchanges with five paddings, three times each',
    answer: lines.join('\n'),
    highlights: lines,
    quality: 97,
  }
}

/** @returns null if the server refuses RSA key exchange; undefined if it doesn't answer */
async function responses(context: NativeContext): Promise<Map<string, string> | null | undefined> {
  const found = new Map<string, string>()
  for (const [name, layout] of Object.entries(layouts)) {
    const response = await talkTls(context, (connection) => respond(connection, context.hostname, layout))
    if (response === null || response === undefined) return response
    found.set(name, response)
  }
  return found
}

async function respond(
  connection: TcpConnection,
  hostname: string,
  layout: (padding: Buffer, secret: Buffer) => readonly Buffer[],
): Promise<string | null | undefined> {
  connection.write(clientHello(rsaSuites, hostname))
  const received = await connection.read({ firstByteMs: 3000, totalMs: 5000, enough: isHelloDone })
  const hello = readFullServerHello(received)
  const certificate = readCertificate(received)
  if (!hello || !certificate) return received[0] === 0x15 || received.length === 0 ? null : undefined
  const key = keyOf(certificate)
  if (!key) return undefined
  const version = Buffer.from([hello.version >> 8, hello.version & 0xff])
  const record = (type: string, content: Buffer) =>
    Buffer.concat([hex(type), version, Buffer.from([content.length >> 8, content.length & 0xff]), content])
  const secret = encrypted(key, layout)
  const exchange = Buffer.concat([hex('1000'), uint16(secret.length + 2), uint16(secret.length), secret])
  // A random Finished message never decrypts, whatever the secret.
  connection.write(Buffer.concat([record('16', exchange), record('14', hex('01')), record('16', randomBytes(64))]))
  const response = await connection.read({ firstByteMs: 2000, idleMs: 100 })
  if (response[0] === 0x15) return `alert ${response[6] ?? '?'}`
  return response.length > 0 ? `record ${response[0]}` : connection.isAlive ? 'no response' : 'connection closed'
}

function keyOf(certificate: Buffer): KeyObject | undefined {
  try {
    const { publicKey } = new X509Certificate(certificate)
    return publicKey.asymmetricKeyType === 'rsa' ? publicKey : undefined
  } catch {
    return undefined
  }
}

function encrypted(key: KeyObject, layout: (padding: Buffer, secret: Buffer) => readonly Buffer[]): Buffer {
  const length = (key.asymmetricKeyDetails?.modulusLength ?? 2048) >> 3
  const nonZero = (count: number) => Buffer.from(randomBytes(count).map((byte) => byte || 1))
  const block = Buffer.concat(layout(nonZero(length - 51), nonZero(46)))
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, block)
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}
