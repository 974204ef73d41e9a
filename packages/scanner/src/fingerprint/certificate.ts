/** Reported certificate fields, and certificates of services that upgrade to TLS (STARTTLS). */
import type { Observation } from '@glacis/contract/runner'
import { printable } from '#fingerprint/text.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import type { Guard } from '#guard.ts'
import { startTls } from '#native/starttls.ts'
import { dial } from '#net/tcp.ts'
import { tlsHandshake, type Certificate } from '#net/tls.ts'

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
  { address, port, hostname }: { readonly address: string; readonly port: number; readonly hostname: string },
  { guard, signal }: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<Certificate | undefined> {
  const dialed = await dial(address, port, { guard, signal })
  if (dialed.kind !== 'open') return undefined
  const { connection } = dialed
  const isTlsNext = await startTls(connection, protocol).catch((error: unknown) => {
    connection.close()
    throw error
  })
  if (!isTlsNext) {
    connection.close()
    return undefined
  }
  // TLS now owns the connection and destroys it.
  const handshake = await tlsHandshake(address, port, { guard, signal, hostname, over: connection.release() })
  if (handshake.kind === 'failure') return undefined
  handshake.socket.destroy()
  return handshake.certificate
}
