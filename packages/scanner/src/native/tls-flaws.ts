/** Flaws of TLS implementations and settings that show before or right after a handshake of TLS 1.2 or earlier. */
import { rootCertificates, type SecureVersion, type TLSSocket } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { hex } from '#wire.ts'
import { checkInfo, type CheckResults, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { startTls, supportsStartTls, talkTls } from '#native/starttls.ts'
import { onOneLine, type Handshake, type TlsFailure } from '#net/tls.ts'
import {
  clientHello,
  commonSuites,
  dheSuites,
  ecdheSuites,
  isHelloDone,
  readFullServerHello,
  readServerHello,
  type ServerHello,
} from '#native/tls-hello.ts'
import { withDeadline } from '#net/deadline.ts'
import type { TcpConnection } from '#net/tcp.ts'

const heartbleed = checkInfo({
  id: 'CVE-2014-0160',
  name: 'OpenSSL: information disclosure via heartbeat (Heartbleed)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The server responds to a heartbeat request whose stated length exceeds its content, as OpenSSL 1.0.1 to 1.0.1f does. The check requested a single byte.',
  impact:
    "An unauthenticated attacker can read the server's memory, including private keys, passwords, and session cookies. Exploited in the wild.",
  remediation:
    'Update OpenSSL to 1.0.1g or later, and restart the service. Then replace its keys and certificates, reset passwords, and invalidate sessions.',
  reference: 'https://heartbleed.com/',
  tags: 'cve tls ssl openssl kev',
  verifiedOn: 'tlslite-heartbeat',
})
const compression = checkInfo({
  id: 'tls-compression',
  name: 'TLS compression enabled (CRIME)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The server compresses TLS records with DEFLATE.',
  impact:
    'An attacker on the network path who can make a browser send requests can recover session cookies from the length of records (CRIME, CVE-2012-4929).',
  remediation:
    'Disable TLS compression: `SSLCompression off` in Apache, `SSL_OP_NO_COMPRESSION` in OpenSSL. Update the TLS library.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9325#section-3.3',
  tags: 'tls ssl misconfig crypto',
})
const legacyRenegotiation = checkInfo({
  id: 'tls-renegotiation-insecure',
  name: 'TLS secure renegotiation not supported',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:H/A:N',
  score: 5.9,
  summary: 'The server does not support secure renegotiation (RFC 5746).',
  impact:
    'An attacker on the network path can insert data at the beginning of a connection if the server allows renegotiation (CVE-2009-3555). Current clients refuse to connect.',
  remediation: 'Update the TLS library. In GnuTLS, remove `%DISABLE_SAFE_RENEGOTIATION` and `%UNSAFE_RENEGOTIATION`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5746',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'gnutls-renegotiation',
})
const clientRenegotiation = checkInfo({
  id: 'tls-client-renegotiation',
  name: 'TLS client-initiated renegotiation allowed',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:L',
  score: 3.7,
  summary: 'The server starts a new handshake within a connection whenever the client requests one.',
  impact:
    "An attacker can exhaust the server's CPU with few connections, because a handshake costs the server far more than the client.",
  remediation:
    'Disable renegotiation: `renegotiation = no` in stunnel, `SSL_OP_NO_RENEGOTIATION` in OpenSSL, `{client_renegotiation, false}` in Erlang; or require TLS 1.3.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9325#section-3.5',
  tags: 'tls ssl misconfig dos',
  verifiedOn: 'gnutls-renegotiation',
})
const chain = checkInfo({
  id: 'tls-chain-incomplete',
  name: 'TLS certificate chain incomplete',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The server sends its certificate without the intermediate certificate that issued it.',
  impact:
    'Clients that do not download intermediate certificates, such as curl, Java, and mobile applications, reject the connection. Users who then turn off verification are open to man-in-the-middle attacks.',
  remediation:
    'Configure the full chain, for example `fullchain.pem` from Certbot in `ssl_certificate` (nginx) or `SSLCertificateFile` (Apache).',
  reference: 'https://www.rfc-editor.org/rfc/rfc8446#section-4.4.2',
  tags: 'tls ssl certificate misconfig',
  verifiedOn: 'gnutls-renegotiation',
})
const forwardSecrecy = checkInfo({
  id: 'tls-forward-secrecy-missing',
  name: 'TLS without forward secrecy',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary:
    "The server supports neither TLS 1.3 nor ephemeral key exchange (ECDHE, DHE). Clients encrypt the secret of each connection with the server's RSA key.",
  impact: 'An attacker who obtains the private key later can decrypt all recorded connections.',
  remediation:
    'Support TLS 1.3, and allow cipher suites with ECDHE, for example `ECDHE+AESGCM:ECDHE+CHACHA20` in an OpenSSL cipher string.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9325#section-4.1',
  tags: 'tls ssl misconfig crypto',
  verifiedOn: 'openssl-static-key',
})
/** RFC 6520. */
const heartbeatExtension = hex('000f 0001 01')
const heartbeatType = 0x000f
const renegotiationType = 0xff01
const renegotiations = 5
const renegotiationMs = 1500

export const tlsFlaws: NativeCheck = {
  checks: [heartbleed, compression, legacyRenegotiation, clientRenegotiation, chain, forwardSecrecy],
  appliesTo: ({ tls, protocol, transport }) => transport === 'tcp' && (tls || supportsStartTls(protocol)),
  async run(context) {
    const early = await talkTls(context, (connection) => helloVerdicts(connection, context.hostname))
    return early ? { ...early, ...(await lateVerdicts(context)) } : {}
  },
}

async function helloVerdicts(connection: TcpConnection, hostname: string): Promise<CheckResults | undefined> {
  connection.write(clientHello(commonSuites, hostname, { compressions: [1], extensions: heartbeatExtension }))
  const received = await connection.read({ firstByteMs: 3000, totalMs: 5000, enough: isHelloDone })
  const hello = readFullServerHello(received)
  // Servers that require TLS 1.3 refuse.
  if (!hello) return received[0] === 0x15 ? nothing : undefined
  const request = 'TLS 1.2 ClientHello with renegotiation_info, heartbeat, and DEFLATE'
  const isOld = !hello.extensions.has(renegotiationType)
  return {
    [heartbleed.id]: await heartbeatProof(connection, hello),
    [compression.id]: hello.compression === 1 ? proof(request, 'ServerHello: compression method 1 (DEFLATE)') : null,
    [legacyRenegotiation.id]: isOld ? proof(request, 'ServerHello without renegotiation_info') : null,
  }
}

const nothing: CheckResults = { [heartbleed.id]: null, [compression.id]: null, [legacyRenegotiation.id]: null }

function proof(request: string, answer: string): Proof {
  return { request, answer, highlights: [answer] }
}

/** States one byte but sends none. Correct servers discard the message (RFC 6520, section 4). */
async function heartbeatProof(connection: TcpConnection, { version, extensions }: ServerHello): Promise<Proof | null> {
  if (!extensions.has(heartbeatType)) return null
  connection.write(Buffer.concat([Buffer.from([0x18, version >> 8, version & 0xff]), hex('0003 01 0001')]))
  const response = await connection.read({ firstByteMs: 2000, idleMs: 100 })
  const isHeartbeat = response[0] === 0x18 && response.length >= 9 && response[5] === 2
  return isHeartbeat
    ? proof(
        'TLS heartbeat of 3 bytes that states a payload of 1 byte',
        `heartbeat response of ${response.length - 5} bytes`,
      )
    : null
}

async function lateVerdicts(context: NativeContext): Promise<CheckResults> {
  const outcome = await handshakeOf(context, { maxVersion: 'TLSv1.2' })
  if (outcome?.kind !== 'handshake') return outcome?.isAnswer ? { [clientRenegotiation.id]: null } : {}
  const { socket, certificate, cipher } = outcome
  try {
    const leaf = socket.getPeerX509Certificate()
    const isIncomplete = leaf !== undefined && certificate?.chainLength === 1 && isIntermediateMissing(leaf)
    const isAllowed = await renegotiates(socket, context.signal)
    return {
      [clientRenegotiation.id]: isAllowed
        ? proof('TLS 1.2 handshake, then five more within the connection', 'The server completed all handshakes')
        : null,
      ...(leaf && {
        [chain.id]: isIncomplete
          ? proof('TLS handshake', `Only ${onOneLine(leaf.subject)}, issued by ${onOneLine(leaf.issuer)}`)
          : null,
      }),
      ...(await forwardSecrecyVerdict(context, cipher)),
    }
  } finally {
    socket.destroy()
  }
}

function handshakeOf(
  context: NativeContext,
  versions: { readonly minVersion: SecureVersion } | { readonly maxVersion: SecureVersion },
): Promise<Handshake | TlsFailure | undefined> {
  const before = (connection: TcpConnection) => startTls(connection, context)
  return context.handshake({ ...versions, ...(!context.service.tls && { before }) })
}

/** Further connections only where the server preferred a static key exchange. */
async function forwardSecrecyVerdict(context: NativeContext, preferred: string): Promise<CheckResults> {
  if (/^(?:EC)?DHE/.test(preferred)) return { [forwardSecrecy.id]: null }
  const suites = [...ecdheSuites, ...Object.keys(dheSuites).map(Number)]
  const received = await talkTls(context, (connection) => {
    connection.write(clientHello(suites, context.hostname))
    return connection.read({ firstByteMs: 3000, totalMs: 5000, enough: isHelloDone })
  })
  const choice = received && readServerHello(received)
  if (choice === undefined) return {}
  if (choice !== 'refused') return { [forwardSecrecy.id]: null }
  const current = await handshakeOf(context, { minVersion: 'TLSv1.3' })
  if (current?.kind === 'handshake') {
    current.socket.destroy()
    return { [forwardSecrecy.id]: null }
  }
  if (!current?.isAnswer) return {}
  return { [forwardSecrecy.id]: proof('TLS 1.2 ClientHello offering ECDHE and DHE; TLS 1.3', `refused; ${preferred}`) }
}

/** Servers such as Node.js allow a few, which is safe. */
async function renegotiates(socket: TLSSocket, signal: AbortSignal): Promise<boolean> {
  for (let count = 0; count < renegotiations; count++) {
    const done = Promise.withResolvers<boolean>()
    for (const event of ['error', 'close']) socket.once(event, () => done.resolve(false))
    socket.renegotiate({ rejectUnauthorized: false }, (error) => done.resolve(error === null))
    if (!(await withDeadline(done.promise, renegotiationMs, signal))) return false
  }
  return true
}

let roots: ReadonlySet<string> | undefined

/** The issuer is neither a public root nor the certificate itself, and offers its certificate for download. */
export function isIntermediateMissing({ subject, issuer, infoAccess }: X509Certificate): boolean {
  if (subject === issuer || !infoAccess?.includes('CA Issuers')) return false
  roots ??= new Set(rootCertificates.map((text) => new X509Certificate(text).subject))
  return !roots.has(issuer)
}
