/** What scanned hosts reply: messages of network protocols, in any state of damage. */
import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { it } from 'vitest'
import { relationalIdentity } from '../packages/scanner/src/fingerprint/drda.ts'
import { probes } from '../packages/scanner/src/fingerprint/probes.ts'
import { softwareOf } from '../packages/scanner/src/fingerprint/stun.ts'
import { readStart } from '../packages/scanner/src/native/amqp-wire.ts'
import { listedServices } from '../packages/scanner/src/native/grpc-wire.ts'
import { readChallenge } from '../packages/scanner/src/native/ntlm.ts'
import { readConfirm } from '../packages/scanner/src/native/rdp-wire.ts'
import { rpcResult, xdrOf, xdrText, xdrWords } from '../packages/scanner/src/native/rpc-wire.ts'
import { negotiateBody, readSmb2, smb2Message } from '../packages/scanner/src/native/smb-wire.ts'
import { packetOf, packetsIn, readLists, string } from '../packages/scanner/src/native/ssh-wire.ts'
import * as tls from '../packages/scanner/src/native/tls-hello.ts'
import { isCompleteResponse, parseResponse } from '../packages/scanner/src/net/raw-http.ts'
import { readMessage } from '../packages/scanner/src/net/resolver.ts'
import { certificateOf } from '../packages/scanner/src/net/tls.ts'
import { derby } from '../packages/scanner/src/testing/database-replies.ts'
import { holds, seed } from './bounds.ts'
import { mutated } from './mutate.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const textOf = (bytes: Buffer) => bytes.toString('latin1')
const bytesOf = (text: string) => Buffer.from(text, 'latin1')

/** Self-signed, for www.example.com and 192.0.2.7. */
// cspell:disable
const certificate = Buffer.from(
  [
    'MIIBazCCAR2gAwIBAgIUF7m0VoLjmgwEUPmlvG0j9kExttowBQYDK2VwMBoxGDAWBgNVBAMMD3d3dy5leGFtcGxlLmNvbTAe',
    'Fw0yNjExMjYxNTM4MTdaFw0yNzExMjYxNTM4MTdaMBoxGDAWBgNVBAMMD3d3dy5leGFtcGxlLmNvbTAqMAUGAytlcAMhAApw',
    'B8F1ouDyb29fytRRRYWYZf5W4xeZ7RuqO32J3hIno3UwczAdBgNVHQ4EFgQURnhHs+k6mdf3TUxFwyLh2fPTBiAwHwYDVR0j',
    'BBgwFoAURnhHs+k6mdf3TUxFwyLh2fPTBiAwDwYDVR0TAQH/BAUwAwEB/zAgBgNVHREEGTAXgg93d3cuZXhhbXBsZS5jb22H',
    'BMAAAgcwBQYDK2VwA0EAyh3zwrCCp1IsAF7yIEtNL6ZeFjvO+m038Zadeq4yq0fsUVIoqDsT+O1U9mwI2M2K3UvtsOCLTBf1',
    'Ep/AXew/Aw==',
  ].join(''),
  'base64',
)
// cspell:enable
/** A, CNAME, TXT, MX, SOA, and CAA records. */
// cspell:disable
const dnsMessage = Buffer.from(
  [
    'AAeAAAABAAYAAAAAB2V4YW1wbGUDY29tAAABAAEDd3d3B2V4YW1wbGUDY29tAAABAAEAAAA8AATAAAIHAWEHZXhhbXBsZQNj',
    'b20AAAUAAQAAAAAAEQN3d3cHZXhhbXBsZQNjb20AB2V4YW1wbGUDY29tAAAQAAEAAAAAAA4Ldj1zcGYxIC1hbGwBeAdleGFt',
    'cGxlA2NvbQAADwABAAAAAAAUAAoEbWFpbAdleGFtcGxlA2NvbQAHZXhhbXBsZQNjb20AAAYAAQAAAAAANgJucwdleGFtcGxl',
    'A2NvbQAEcm9vdAdleGFtcGxlA2NvbQAAAAABAAAAAAAAAAAAAAAAAAAAAAdleGFtcGxlA2NvbQABAQABAAAAAAARAAVpc3N1',
    'ZWNhLmV4YW1wbGU=',
  ].join(''),
  'base64',
)
// cspell:enable

const handshake = (type: number, body: Buffer) =>
  Buffer.concat([Buffer.from([type, 0]), hex(body.length.toString(16).padStart(4, '0')), body])
const tlsRecords = handshake(2, Buffer.concat([hex('0303'), Buffer.alloc(32, 7), hex('00 009c 00 0005 ff01000100')]))
const certificateList = Buffer.concat([
  hex((certificate.length + 3).toString(16).padStart(6, '0')),
  hex(certificate.length.toString(16).padStart(6, '0')),
  certificate,
])
const tlsMessages = Buffer.concat([
  tlsRecords,
  handshake(11, certificateList),
  handshake(12, Buffer.concat([hex('0080'), Buffer.alloc(128, 0xc7), hex('0001 02')])),
  handshake(14, Buffer.alloc(0)),
])
const tlsReply = Buffer.concat([hex(`16 0303 ${tlsMessages.length.toString(16).padStart(4, '0')}`), tlsMessages])

const keyExchange = Buffer.concat([
  hex('14'),
  Buffer.alloc(16, 1),
  ...['curve25519-sha256,ext-info-s', 'ssh-ed25519', 'aes256-ctr', 'aes256-ctr', 'hmac-sha1', 'hmac-sha1'].map(string),
])
const amqpStart = hex(
  '01 0000 00000052 000a 000a 00 09 00000028 0770726f64756374 53 00000008 5261626269744d51 0776657273696f6e 53 00000006 332e31332e37' +
    '0000000e 414d51504c41494e20504c41494e 00000005 656e5f5553 ce',
)
const rpcReply = Buffer.concat([xdrWords(0x474c4143, 1, 0, 0, 0, 0, 1), xdrText('/srv/share'), xdrWords(0, 0)])
const grpcReply = Buffer.concat([
  hex('000000 04 00 00000000'),
  hex('00001b 00 00 00000001 00 00000016 3214 0a12 0a10'),
  Buffer.from('grpc.health.v1.H'),
])

/** Each reads a reply in all ways that the scanner does, and returns whether it was understood. */
const replies: readonly (readonly [string, readonly Buffer[], (reply: Buffer) => boolean])[] = [
  ['DNS', [dnsMessage], (reply) => readMessage(reply) !== undefined],
  [
    'TLS',
    [tlsReply, hex('15 0303 0002 0228'), hex('8025 04 00 01 0002 0000 0003 0010 0700c0')],
    (reply) => {
      const readings = [
        tls.readFullServerHello,
        tls.readServerHello,
        tls.readDhPrimeBits,
        tls.isHelloDone,
        tls.isSsl2Hello,
      ]
      return readings.map((read) => read(reply)).some(Boolean)
    },
  ],
  [
    'certificates in TLS',
    [tlsReply],
    (reply) => {
      const der = tls.readCertificate(reply)
      if (!der) return false
      try {
        return certificateOf(new X509Certificate(der)) !== undefined
      } catch (error) {
        // OpenSSL rejects it, in a handshake too.
        if (!(error instanceof Error) || !('code' in error)) throw error
        return false
      }
    },
  ],
  [
    'SSH',
    [Buffer.concat([packetOf(keyExchange), packetOf(hex('15'))])],
    (reply) => packetsIn(reply).some((payload) => readLists(payload) !== null),
  ],
  ['SMB', [smb2Message(0, 1, Buffer.alloc(8), negotiateBody())], (reply) => readSmb2(reply) !== undefined],
  [
    'NTLM',
    [Buffer.concat([bytesOf('NTLMSSP\0\u0002\0\0\0'), Buffer.alloc(8), hex('00000002'), Buffer.alloc(40, 10)])],
    (reply) => readChallenge(reply) !== undefined,
  ],
  ['RDP', [hex('03000013 0ed00000123400 02000800 01000000')], (reply) => readConfirm(reply) !== undefined],
  [
    'RPC',
    [Buffer.concat([xdrWords(0x8000_0000 + rpcReply.length), rpcReply])],
    (reply) => {
      const result = rpcResult(reply)
      const reader = result && xdrOf(result)
      for (let next = reader?.word(); next !== undefined; next = reader?.word()) reader?.text(255)
      return result !== undefined
    },
  ],
  ['gRPC', [grpcReply], (reply) => listedServices(reply).length > 0],
  [
    'AMQP',
    [amqpStart],
    (reply) => {
      try {
        return readStart(reply) !== undefined
      } catch (error) {
        // Documented: invalid lengths.
        if (!(error instanceof RangeError)) throw error
        return false
      }
    },
  ],
  ['DRDA', [derby], (reply) => relationalIdentity(reply) !== ''],
  [
    'STUN',
    [hex('01010010 2112a442 676c61636973676c61636973 8022 0008 636f7475726e2d34 0001 0000')],
    (reply) => softwareOf(reply) !== '',
  ],
  [
    'HTTP',
    [
      'HTTP/1.1 200 OK\r\nServer: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n2;x=y\r\nab\r\n0\r\n\r\n',
      'HTTP/1.0 404 Not Found\nContent-Length: 3\n\nabc',
    ].map(bytesOf),
    (reply) => {
      isCompleteResponse(reply)
      return parseResponse(reply) !== null
    },
  ],
]

it.each(replies)('replies of %s', (_, samples, read) =>
  holds(mutated(samples.map(textOf)), (text) => read(bytesOf(text)), { sliceRuns: 250 }),
)

/** Texts that match the pattern of each probe. Some patterns use syntax that can't be generated. */
function matchingTexts(pattern: RegExp): string[] {
  try {
    return fc.sample(fc.stringMatching(pattern), { numRuns: 20, seed })
  } catch {
    return []
  }
}
const matching = probes.flatMap(({ responsePattern }) => matchingTexts(responsePattern))

it('replies to probes', () =>
  holds(mutated(matching), (text) => {
    const matches = probes.filter(({ responsePattern }) => responsePattern.test(text))
    for (const { read } of matches) read?.(text)
    return matches.length > 0
  }))
