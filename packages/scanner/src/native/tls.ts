/** What TLS templates cannot say: the size of keys, and TLS that begins after a plain greeting. */
import type { X509Certificate } from 'node:crypto'
import type { SecureVersion } from 'node:tls'
import { checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof, Verdicts } from '#native/native.ts'
import { upgrade, upgradable } from '#native/starttls.ts'
import type { Handshake, TlsFailure } from '#net/tls.ts'

const weakKey = checkInfo({
  id: 'tls-key-weak',
  name: 'Certificate with a short key',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The key of the certificate has fewer than 2,048 bits (RSA) or 224 bits (elliptic curve).',
  impact: 'The key can be broken by whoever has the means, and the server impersonated or its traffic read.',
  remediation: 'Issue a new certificate with an RSA key of 2,048 bits or more, or an elliptic curve such as P-256.',
  reference: 'https://csrc.nist.gov/pubs/sp/800/131/a/r2/final',
  tags: 'tls ssl certificate crypto',
})
const weakSignature = checkInfo({
  id: 'tls-signature-weak',
  name: 'Certificate signed with SHA-1 or MD5',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 4.8,
  summary: 'The signature of the certificate rests on a hash that has been broken.',
  impact: 'A second certificate with the same signature can be made, and browsers refuse this one.',
  remediation: 'Issue a new certificate that is signed with SHA-256.',
  reference: 'https://shattered.io/',
  tags: 'tls ssl certificate crypto',
})
const weakVersion = checkInfo({
  id: 'starttls-version-weak',
  name: 'Outdated TLS version after STARTTLS',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'After the change to TLS the server still speaks TLS 1.0 or TLS 1.1.',
  impact: 'Both versions rest on MD5 and SHA-1 and have known weaknesses.',
  remediation: 'Allow TLS 1.2 and TLS 1.3 only.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8996',
  tags: 'tls starttls misconfig network',
})
const expired = checkInfo({
  id: 'starttls-certificate-expired',
  name: 'Certificate after STARTTLS has expired',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The certificate that the server shows after the change to TLS is no longer valid.',
  impact: 'Programs that check it refuse to talk; those that do not can be deceived.',
  remediation: 'Renew the certificate, and let a program such as an ACME client do it from now on.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5',
  tags: 'tls starttls certificate network',
})

/** TLS from the first byte. */
export const tlsOfService: NativeSubject = {
  checks: [weakKey, weakSignature],
  concerns: ({ tls, transport }) => tls && transport === 'tcp',
  async examine(place) {
    return withHandshake(await place.handshake(), certificateVerdicts)
  },
}

/** TLS after STARTTLS and its like. */
export const upgradedTls: NativeSubject = {
  checks: [weakKey, weakSignature, weakVersion, expired],
  concerns: ({ tls, protocol, transport }) => !tls && transport === 'tcp' && upgradable(protocol),
  async examine(place) {
    const verdicts = withHandshake(await upgraded(place), (handshake) => ({
      ...certificateVerdicts(handshake),
      [expired.id]: expiredProof(handshake),
    }))
    if (Object.keys(verdicts).length === 0) return {}
    const old = await upgraded(place, 'TLSv1', 'TLSv1.1')
    if (!old || (old.kind === 'failure' && !old.isAnswer)) return verdicts
    return { ...verdicts, [weakVersion.id]: versionProof(old) }
  },
}

function upgraded({ handshake, service }: NativePlace, minVersion?: SecureVersion, maxVersion?: SecureVersion) {
  const range = { ...(minVersion && { minVersion }), ...(maxVersion && { maxVersion }) }
  return handshake({ ...range, before: (line) => upgrade(line, service.protocol) })
}

function withHandshake(shown: Handshake | TlsFailure | undefined, judge: (handshake: Handshake) => Verdicts): Verdicts {
  if (shown?.kind !== 'handshake') return {}
  try {
    return judge(shown)
  } finally {
    shown.socket.destroy()
  }
}

function certificateVerdicts(handshake: Handshake): Verdicts {
  const { certificate, socket } = handshake
  if (!certificate) return {}
  const { keyBits = Infinity, keyType, subject } = certificate
  const least = keyType.startsWith('rsa') || keyType === 'dsa' ? 2048 : 224
  const facts = `${subject}\nkey: ${keyType} ${keyBits} bits`
  const shown = (highlight: string): Proof => ({ request: 'TLS handshake', answer: facts, highlights: [highlight] })
  const algorithm = signatureOf(socket.getPeerX509Certificate())
  const isBroken = /sha1|md5|md2/i.test(algorithm) && !certificate.selfSigned
  return {
    ...(keyType !== '' && { [weakKey.id]: keyBits < least ? shown(`${keyBits} bits`) : null }),
    [weakSignature.id]: isBroken ? { ...shown(algorithm), answer: `${facts}\nsignature: ${algorithm}` } : null,
  }
}

/** The name of the algorithm that signed a certificate, from its DER: Node does not tell it everywhere. */
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

function versionProof(shown: Handshake | TlsFailure): Proof | null {
  if (shown.kind === 'failure') return null
  const { version, cipher, socket } = shown
  socket.destroy()
  return { request: 'STARTTLS, TLS 1.1 at most', answer: `${version} ${cipher}`, highlights: [version] }
}
