/** Whether a certificate was issued by an authority that clients trust. */
import { checkInfo, type CheckResults } from '#native/native-check.ts'
import { isIntermediateMissing } from '#native/tls-flaws.ts'
import type { Handshake } from '#net/tls.ts'

export const untrustedAuthority = checkInfo({
  id: 'tls-certificate-untrusted',
  name: 'TLS certificate issued by an untrusted authority',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N',
  score: 3.1,
  summary: 'The certificate chain ends at an authority that is not among the public root certificates.',
  impact:
    'Clients without the root certificate of this authority cannot verify the identity of the server, so an attacker on the network path can impersonate it.',
  remediation:
    'Distribute the root certificate of an internal authority to all clients, or use a public authority, for example `tls admin@example.com` instead of `tls internal` in Caddy.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5280#section-6',
  tags: 'tls ssl certificate',
})
/** Results of the verification of a chain (OpenSSL's `X509_V_ERR_…`) where only its root is unknown. */
const unknownRoot = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export function authorityVerdict({ socket }: Handshake): CheckResults {
  const leaf = socket.getPeerX509Certificate()
  if (!leaf) return {}
  const [subject, issuer] = [leaf.subject, leaf.issuer].map(nameOnOneLine)
  const reason = codeOf(socket.authorizationError)
  const isUnknown = unknownRoot.has(reason) && leaf.subject !== leaf.issuer && !isIntermediateMissing(leaf)
  const answer = `${subject}, issued by ${issuer}: ${reason}`
  return {
    [untrustedAuthority.id]: isUnknown ? { request: 'TLS handshake', answer, highlights: [issuer ?? ''] } : null,
  }
}

/** Names may be empty, which the types of Node.js don't declare. */
function nameOnOneLine(name: string | undefined): string {
  return name?.replaceAll('\n', ', ') ?? 'no name'
}

/** The types of Node.js declare an error, but the code is usual. */
function codeOf(error: unknown): string {
  if (typeof error === 'string') return error
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
