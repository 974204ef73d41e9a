/** Reported certificate fields, and certificates of services that upgrade to TLS (STARTTLS). */
import type { Observation } from '@glacis/contract/runner'
import { printable } from '#fingerprint/text.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import type { Guard } from '#guard.ts'
import { openUpgraded } from '#native/starttls.ts'
import type { Certificate } from '#net/tls.ts'

type ReportedCertificate = NonNullable<Extract<Observation, { kind: 'service' }>['certificate']>

export function certificateTraces(certificate: Certificate | undefined): FingerprintText[] {
  if (!certificate) return []
  return [
    { field: 'x509.subject', text: certificate.subject },
    { field: 'x509.issuer', text: certificate.issuer },
  ]
}

/** A certificate in reported form: printable text of bounded length. */
export function reportedCertificate(certificate: Certificate): ReportedCertificate {
  const { subject, issuer, validFrom, validTo, names, selfSigned, fingerprint } = certificate
  return {
    subject: printable(subject, 1000),
    issuer: printable(issuer, 1000),
    validFrom,
    validTo,
    names: names.map((name) => printable(name, 300)),
    selfSigned,
    fingerprint,
  }
}

/**
 * Upgrades a connection of this protocol to TLS and reads the certificate; undefined when there is
 * none.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function readStartTlsCertificate(
  protocol: string,
  endpoint: { readonly address: string; readonly port: number; readonly hostname: string },
  options: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<Certificate | undefined> {
  const upgraded = await openUpgraded(protocol, endpoint, options)
  upgraded?.connection.close()
  return upgraded?.certificate
}
