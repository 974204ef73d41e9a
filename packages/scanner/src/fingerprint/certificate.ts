/** What a certificate tells of a service, and certificates that are shown only after a plain greeting. */
import type { Observation } from '@glacis/contract/runner'
import { printable } from '#fingerprint/text.ts'
import type { Trace } from '#fingerprint/web.ts'
import type { Guard } from '#guard.ts'
import { upgrade } from '#native/starttls.ts'
import { dial } from '#net/tcp.ts'
import { shakeHands } from '#net/tls.ts'
import type { Certificate } from '#net/tls.ts'

type Shown = NonNullable<Extract<Observation, { kind: 'service' }>['certificate']>

export function certificateTraces(certificate: Certificate | undefined): Trace[] {
  if (!certificate) return []
  return [
    { field: 'x509.subject', text: certificate.subject },
    { field: 'x509.issuer', text: certificate.issuer },
  ]
}

/** A certificate as it is reported: its texts made printable and bounded. */
export function shownCertificate(certificate: Certificate): Shown {
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
 * Asks a service of this protocol for TLS and looks at its certificate; undefined where it has none.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function certificateBehind(
  protocol: string,
  { address, port, hostname }: { readonly address: string; readonly port: number; readonly hostname: string },
  { guard, signal }: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<Certificate | undefined> {
  const dialled = await dial(address, port, { guard, signal })
  if (dialled.kind !== 'open') return undefined
  const { line } = dialled
  const isAgreed = await upgrade(line, protocol).catch((error: unknown) => {
    line.close()
    throw error
  })
  if (!isAgreed) {
    line.close()
    return undefined
  }
  // From here on the connection belongs to TLS, which destroys it.
  const shaken = await shakeHands(address, port, { guard, signal, hostname, over: line.release() })
  if (shaken.kind === 'failure') return undefined
  shaken.socket.destroy()
  return shaken.certificate
}
