/** Weak TLS configurations: insecure ciphers, groups, and curves, and SSL 2.0 and 3.0. TLS libraries no longer offer them. */
import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'
import { supportsStartTls, talkTls } from '#native/starttls.ts'
import {
  insecureSuites,
  clientHello,
  dheSuites,
  ecdheSuites,
  isHelloDone,
  isSsl2Hello,
  readDhPrimeBits,
  readFullServerHello,
  readNamedCurve,
  readServerHello,
  smallBlockSuites,
  ssl2Hello,
  ssl3Hello,
  weakCurves,
} from '#native/tls-hello.ts'

const broken = checkInfo({
  id: 'tls-cipher-weak',
  name: 'Weak TLS cipher suites supported',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary:
    'The server accepts an insecure cipher suite: NULL (no encryption), anonymous (no server authentication), export-grade, DES, or RC4.',
  impact:
    'An attacker on the network path can read all or part of the connection, or impersonate the server, depending on the cipher suite.',
  remediation:
    'Require TLS 1.2 or later, and allow only cipher suites with ECDHE key exchange and AES-GCM or ChaCha20-Poly1305.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9325#section-4.1',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'openssl-weak',
})
const smallBlocks = checkInfo({
  id: 'tls-cipher-small-block',
  name: '64-bit block ciphers supported in TLS (SWEET32)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The server accepts Triple DES or IDEA, whose 64-bit blocks collide within a long connection.',
  impact:
    'An attacker on the network path who captures several hundred gigabytes of one connection can recover data such as session cookies (CVE-2016-2183).',
  remediation:
    'Remove Triple DES and IDEA from the cipher list, for example by adding `!3DES:!IDEA` to an OpenSSL cipher string.',
  reference: 'https://sweet32.info/',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'tlslite-heartbeat',
})
const ssl2 = checkInfo({
  id: 'tls-ssl2-enabled',
  name: 'SSL 2.0 supported (DROWN)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 7.4,
  summary: 'The server supports SSL 2.0, which has been prohibited since 2011 (RFC 6176).',
  impact:
    'An attacker on the network path can read and modify SSL 2.0 connections, and can decrypt TLS connections that use the same key (DROWN, CVE-2016-0800).',
  remediation:
    'Disable SSL 2.0 and SSL 3.0 on every server that uses this key, then replace the key and its certificate.',
  reference: 'https://www.rfc-editor.org/rfc/rfc6176',
  tags: 'tls ssl misconfig crypto',
})
const ssl3 = checkInfo({
  id: 'tls-ssl3-enabled',
  name: 'SSL 3.0 supported (POODLE)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The server supports SSL 3.0, which has been prohibited since 2015 (RFC 7568).',
  impact:
    'An attacker on the network path who makes a client fall back to SSL 3.0 can decrypt parts of the connection, such as session cookies (POODLE, CVE-2014-3566).',
  remediation:
    'Allow only TLS 1.2 and 1.3, for example with `ssl_protocols TLSv1.2 TLSv1.3` in nginx. In Java, keep `SSLv3` in `jdk.tls.disabledAlgorithms`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7568',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'java-tls',
})
const curve = checkInfo({
  id: 'tls-curve-weak',
  name: 'Weak elliptic curve supported in TLS',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The server accepts an elliptic curve of less than 224 bits for key exchange.',
  impact:
    'A well-resourced attacker may be able to decrypt recorded connections. Curves of 160 bits have the strength of 1024-bit RSA.',
  remediation:
    'Allow only X25519, P-256, and P-384, for example with `ssl_ecdh_curve` in nginx, `Groups` in openssl.cnf, or `jdk.tls.namedGroups` in Java.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8422#section-5.1.1',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'openssl-curves',
})
const dhPrime = checkInfo({
  id: 'tls-dh-weak',
  name: 'Weak Diffie-Hellman group in TLS (Logjam)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The server uses a Diffie-Hellman group whose prime is shorter than 2048 bits for key exchange.',
  impact:
    'A well-resourced attacker may be able to break the group with a one-time precomputation and then decrypt recorded connections. Primes of 512 bits can be broken within hours (Logjam, CVE-2015-4000).',
  remediation:
    'Remove DHE cipher suites and use ECDHE, or configure a standard group of at least 2048 bits (RFC 7919), for example with `ssl_dhparam` in nginx.',
  reference: 'https://weakdh.org/',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'nginx',
})

const dhPrimeBitsMin = 2048
const readOptions = { firstByteMs: 3000, idleMs: 200, totalMs: 5000, bytesMax: 16_384, enough: isHelloDone }

/** Six hellos; no handshake is completed. */
export const tlsWeak: NativeCheck = {
  checks: [broken, smallBlocks, ssl2, ssl3, curve, dhPrime],
  appliesTo: ({ tls, protocol, transport }) => transport === 'tcp' && (tls || supportsStartTls(protocol)),
  async run(context) {
    const first = await testSuites(context, insecureSuites)
    // Stop when the server responded with neither a hello nor an alert.
    if (first === undefined) return {}
    const second = await testSuites(context, smallBlockSuites)
    const primeBits = await testDhPrime(context)
    const received = await sendHello(context, ssl2Hello)
    const isOld = received !== undefined && isSsl2Hello(received)
    const third = await testSsl3(context)
    const weakCurve = await testCurve(context)
    const proof = {
      request: 'SSL 2.0 CLIENT-HELLO',
      answer: 'SERVER-HELLO, version 2.0',
      highlights: ['version 2.0'],
    }
    return {
      [broken.id]: first,
      ...(second !== undefined && { [smallBlocks.id]: second }),
      ...(primeBits !== undefined && { [dhPrime.id]: primeBits }),
      ...(received !== undefined && { [ssl2.id]: isOld ? proof : null }),
      ...(third !== undefined && { [ssl3.id]: third }),
      ...(weakCurve !== undefined && { [curve.id]: weakCurve }),
    }
  },
}

async function testSuites(
  context: NativeContext,
  suites: Readonly<Record<number, string>>,
): Promise<Proof | null | undefined> {
  const received = await sendHello(context, clientHello(Object.keys(suites).map(Number), context.hostname))
  if (!received) return undefined
  const chosen = readServerHello(received)
  // Some servers close the connection instead of sending an alert.
  if (chosen === 'refused' || received.length === 0) return null
  if (chosen === undefined) return undefined
  const name = suites[chosen.suite]
  const request = `TLS 1.2 ClientHello offering ${Object.values(suites).join(', ')}`
  return name === undefined ? null : { request, answer: `ServerHello: ${name}`, highlights: [name] }
}

async function testDhPrime(context: NativeContext): Promise<Proof | null | undefined> {
  const received = await sendHello(context, clientHello(Object.keys(dheSuites).map(Number), context.hostname))
  if (!received) return undefined
  const bits = readDhPrimeBits(received)
  if (bits === undefined || bits >= dhPrimeBitsMin) return null
  const request = `TLS 1.2 ClientHello offering ${Object.values(dheSuites).join(', ')}`
  return { request, answer: `ServerKeyExchange: prime of ${bits} bits`, highlights: [`${bits} bits`] }
}

const ssl3Version = 0x0300

async function testSsl3(context: NativeContext): Promise<Proof | null | undefined> {
  const received = await sendHello(context, ssl3Hello())
  if (!received) return undefined
  if (readFullServerHello(received)?.version !== ssl3Version) return null
  return { request: 'SSL 3.0 ClientHello', answer: 'ServerHello, version 3.0', highlights: ['version 3.0'] }
}

async function testCurve(context: NativeContext): Promise<Proof | null | undefined> {
  const curves = Object.keys(weakCurves).map(Number)
  const received = await sendHello(context, clientHello(ecdheSuites, context.hostname, { curves }))
  if (!received) return undefined
  const name = weakCurves[readNamedCurve(received) ?? 0]
  if (name === undefined) return null
  const request = `TLS 1.2 ClientHello offering ${Object.values(weakCurves).join(', ')}`
  return { request, answer: `ServerKeyExchange: named curve ${name}`, highlights: [name] }
}

/** The response to a ClientHello; undefined when the connection failed or nothing came back. */
async function sendHello(context: NativeContext, hello: Buffer): Promise<Buffer | undefined> {
  return talkTls(context, async (connection) => {
    connection.write(hello)
    const response = await connection.read(readOptions)
    return response.length > 0 || !connection.isAlive ? response : undefined
  })
}
