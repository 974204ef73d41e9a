/** Whether a certificate was issued by an authority that clients trust. */
import { checkInfo, type CheckResults } from '#native/native-check.ts'
import { isIntermediateMissing } from '#native/tls-flaws.ts'
import { type Handshake, onOneLine } from '#net/tls.ts'

export const untrustedAuthority = checkInfo({
  id: 'tls-certificate-untrusted',
  name: 'TLS certificate issued by an untrusted authority',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N',
  score: 3.1,
  summary: 'The certificate chain ends at an authority that is not among the public root certificates.',
  impact:
    "An attacker on the network path can impersonate the server, because clients without this authority's root certificate cannot verify its identity.",
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
  const [subject, issuer] = [onOneLine(leaf.subject), onOneLine(leaf.issuer)]
  // The types of Node.js declare an error, but this is its code.
  const reason = String(socket.authorizationError)
  const isUnknown = unknownRoot.has(reason) && leaf.subject !== leaf.issuer && !isIntermediateMissing(leaf)
  const answer = `${subject || 'No name'}, issued by ${issuer || 'no name'}: ${reason}`
  return {
    [untrustedAuthority.id]: isUnknown ? { request: 'TLS handshake', answer, highlights: [issuer || reason] } : null,
  }
}
