/** TLS checks that templates can't express: key sizes, and TLS after STARTTLS. */
import type { X509Certificate } from 'node:crypto'
import type { SecureVersion } from 'node:tls'
import { checkInfo, type NativeContext, type NativeCheck, type Proof, type CheckResults } from '#native/native-check.ts'
import { startTls, supportsStartTls } from '#native/starttls.ts'
import { authorityVerdict, untrustedAuthority } from '#native/tls-authority.ts'
import type { Handshake, TlsFailure } from '#net/tls.ts'

const weakKey = checkInfo({
  id: 'tls-key-weak',
  name: 'TLS certificate with a weak key',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: "The certificate's key is shorter than 2048 bits (RSA) or 224 bits (elliptic curve).",
  impact: 'A well-resourced attacker can break the key and impersonate the server or decrypt traffic.',
  remediation: 'Issue a new certificate with an RSA key of at least 2048 bits or an elliptic curve key such as P-256.',
  reference: 'https://csrc.nist.gov/pubs/sp/800/131/a/r2/final',
  tags: 'tls ssl certificate crypto',
  verifiedOn: 'dovecot nginx stunnel',
})
const weakSignature = checkInfo({
  id: 'tls-signature-weak',
  name: 'TLS certificate signed with SHA-1 or MD5',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 4.8,
  summary: "The certificate's signature uses a hash algorithm that is vulnerable to collisions.",
  impact: 'An attacker may be able to forge a certificate with the same signature. Browsers reject such certificates.',
  remediation: 'Issue a new certificate that is signed with SHA-256 or better.',
  reference: 'https://shattered.io/',
  tags: 'tls ssl certificate crypto',
  verifiedOn: 'openssl-signature',
})
const weakVersion = checkInfo({
  id: 'starttls-version-weak',
  name: 'Deprecated TLS version supported over STARTTLS',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'After STARTTLS, the server accepts TLS 1.0 or TLS 1.1, which were deprecated in 2021 (RFC 8996).',
  impact:
    'An attacker on the network path may be able to decrypt traffic, because both versions rely on MD5 and SHA-1 and have known weaknesses.',
  remediation:
    'Allow only TLS 1.2 and 1.3, for example `smtpd_tls_protocols = >=TLSv1.2` in Postfix (3.6 or later) or `ssl_min_protocol = TLSv1.2` in Dovecot.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8996',
  tags: 'tls starttls misconfig network',
  verifiedOn: 'dovecot',
})
const expired = checkInfo({
  id: 'starttls-certificate-expired',
  name: 'TLS certificate expired (STARTTLS)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The certificate that the server presents after STARTTLS has expired.',
  impact:
    'An attacker on the network path can impersonate the server to clients that ignore the error. Clients that verify certificates refuse to connect.',
  remediation: 'Renew the certificate, and automate renewal with an ACME client such as Certbot.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5',
  tags: 'tls starttls certificate network',
  verifiedOn: 'dovecot',
})
const selfSigned = checkInfo({
  id: 'starttls-certificate-self-signed',
  name: 'Self-signed TLS certificate (STARTTLS)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N',
  score: 3.1,
  summary:
    'The certificate that the server presents after STARTTLS is self-signed, not issued by a trusted certificate authority.',
  impact:
    'An attacker on the network path can impersonate the server, because clients cannot verify its identity unless the certificate was distributed to them beforehand.',
  remediation: 'Use a certificate from an authority that your clients trust, either public or internal.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5280#section-6',
  tags: 'tls starttls certificate network',
})

/** TLS from the first byte. */
export const tlsOfService: NativeCheck = {
  checks: [weakKey, weakSignature, untrustedAuthority],
  appliesTo: ({ tls, transport }) => tls && transport === 'tcp',
  async run(context) {
    return withHandshake(await context.handshake(), certificateVerdicts)
  },
}

/** TLS after STARTTLS or a similar upgrade. */
export const upgradedTls: NativeCheck = {
  checks: [weakKey, weakSignature, untrustedAuthority, weakVersion, expired, selfSigned],
  appliesTo: ({ tls, protocol, transport }) => !tls && transport === 'tcp' && supportsStartTls(protocol),
  async run(context) {
    const results = withHandshake(await upgraded(context), (handshake) => ({
      ...certificateVerdicts(handshake),
      [expired.id]: expiredProof(handshake),
      [selfSigned.id]: selfSignedProof(handshake),
    }))
    if (Object.keys(results).length === 0) return {}
    const old = await upgraded(context, 'TLSv1', 'TLSv1.1')
    if (!old || (old.kind === 'failure' && !old.isAnswer)) return results
    return { ...results, [weakVersion.id]: versionProof(old) }
  },
}

function upgraded(context: NativeContext, minVersion?: SecureVersion, maxVersion?: SecureVersion) {
  const range = { ...(minVersion && { minVersion }), ...(maxVersion && { maxVersion }) }
  return context.handshake({ ...range, before: (connection) => startTls(connection, context) })
}

function withHandshake(
  outcome: Handshake | TlsFailure | undefined,
  evaluate: (handshake: Handshake) => CheckResults,
): CheckResults {
  if (outcome?.kind !== 'handshake') return {}
  try {
    return evaluate(outcome)
  } finally {
    outcome.socket.destroy()
  }
}

function certificateVerdicts(handshake: Handshake): CheckResults {
  const { certificate, socket } = handshake
  if (!certificate) return {}
  const { keyBits = Infinity, keyType, subject } = certificate
  const keyBitsMin = keyType.startsWith('rsa') || keyType === 'dsa' ? 2048 : 224
  const facts = `${subject}\n${keyType.toUpperCase()} key of ${keyBits} bits`
  const proofFor = (highlight: string): Proof => ({ request: 'TLS handshake', answer: facts, highlights: [highlight] })
  const algorithm = signatureOf(socket.getPeerX509Certificate())
  const isBroken = /sha1|md5|md2/i.test(algorithm) && !certificate.selfSigned
  return {
    ...(keyType !== '' && { [weakKey.id]: keyBits < keyBitsMin ? proofFor(`${keyBits} bits`) : null }),
    [weakSignature.id]: isBroken ? { ...proofFor(algorithm), answer: `${facts}\nsignature: ${algorithm}` } : null,
    ...authorityVerdict(handshake),
  }
}

/** Name of the signature algorithm; empty if this version of Node.js doesn't expose it. */
function signatureOf(certificate: X509Certificate | undefined): string {
  const algorithm = certificate && 'signatureAlgorithm' in certificate ? certificate.signatureAlgorithm : ''
  return typeof algorithm === 'string' ? algorithm : ''
}

function expiredProof({ certificate }: Handshake): Proof | null {
  if (!certificate || !(new Date(certificate.validTo) < new Date())) return null
  return {
    request: 'STARTTLS',
    answer: `${certificate.subject}\nvalid until ${certificate.validTo}`,
    highlights: [certificate.validTo],
  }
}

function selfSignedProof({ certificate }: Handshake): Proof | null {
  if (!certificate?.selfSigned) return null
  const { subject, issuer } = certificate
  return { request: 'STARTTLS', answer: `subject: ${subject}\nissuer: ${issuer}`, highlights: [issuer] }
}

function versionProof(outcome: Handshake | TlsFailure): Proof | null {
  if (outcome.kind === 'failure') return null
  const { version, cipher, socket } = outcome
  socket.destroy()
  return { request: 'STARTTLS with TLS 1.1 or earlier', answer: `${version} ${cipher}`, highlights: [version] }
}
