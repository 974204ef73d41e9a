/** Runs the `ssl` blocks of templates: exposes a handshake under the names that they use. */
import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Origin } from '#net/http-message.ts'
import type { Guard } from '#guard.ts'
import { dial } from '#net/tcp.ts'
import { acceptsSsl3, type DistinguishedName, onOneLine, tlsHandshake } from '#net/tls.ts'
import { toBytes, type DslValue, type Lookup } from '#template/dsl-value.ts'
import type { ResponseParts, SslBlock } from '#template/template.ts'

const HANDSHAKE_MS = 5_000

export interface TlsAccepted {
  readonly kind: 'accepted'
  /** Node's name, such as `TLSv1.2`. */
  readonly version: string
  /** IANA name of the cipher suite. */
  readonly cipher: string
  readonly certificate: X509Certificate | null
  /** The chain leads to a CA trusted by this machine, and the certificate is currently valid. */
  readonly isTrusted: boolean
}
export type TlsReading =
  | TlsAccepted
  /** The server rejected these versions with an alert or by closing the connection. */
  | { readonly kind: 'rejected' }
  | { readonly kind: 'inconclusive'; readonly reason: string }

/**
 * One handshake with the versions of a block.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function probeTls(
  block: Pick<SslBlock, 'minVersion' | 'maxVersion'>,
  { address, port, hostname }: Origin,
  options: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<TlsReading> {
  if (block.maxVersion === 'SSLv3') return probeSsl3(address, port, options)
  // Current OpenSSL doesn't support SSL 3, so such a range starts with TLS 1.0.
  const minVersion = block.minVersion === 'SSLv3' ? 'TLSv1' : block.minVersion
  const handshake = await tlsHandshake(address, port, {
    ...options,
    hostname,
    deadlineMs: HANDSHAKE_MS,
    ...(minVersion && { minVersion }),
    ...(block.maxVersion && { maxVersion: block.maxVersion }),
  })
  if (handshake.kind === 'handshake') {
    const { socket, version, cipher } = handshake
    const certificate = socket.getPeerX509Certificate() ?? null
    const { authorized: isTrusted } = socket
    socket.destroy()
    return { kind: 'accepted', version, cipher, certificate, isTrusted }
  }
  // A timeout or a closed port says nothing about supported versions.
  if (!handshake.isAnswer) return { kind: 'inconclusive', reason: handshake.reason }
  const secondDial = await dial(address, port, options)
  if (secondDial.kind !== 'open') return { kind: 'inconclusive', reason: handshake.reason }
  secondDial.connection.close()
  return { kind: 'rejected' }
}

async function probeSsl3(
  address: string,
  port: number,
  options: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<TlsReading> {
  if (await acceptsSsl3(address, port, options))
    return { kind: 'accepted', version: 'SSLv3', cipher: '', certificate: null, isTrusted: false }
  const secondDial = await dial(address, port, options)
  if (secondDial.kind !== 'open') return { kind: 'inconclusive', reason: `the port is ${secondDial.kind}` }
  secondDial.connection.close()
  return { kind: 'rejected' }
}

const versionNames: Readonly<Record<string, string>> = {
  SSLv3: 'ssl30',
  TLSv1: 'tls10',
  'TLSv1.1': 'tls11',
  'TLSv1.2': 'tls12',
  'TLSv1.3': 'tls13',
}

/** Parts of an accepted handshake; the default part is the whole result as JSON. */
export function tlsParts(reading: TlsAccepted, origin: Origin, lookup: Lookup, now: Date): ResponseParts {
  const facts = tlsFacts(reading, origin, now)
  const json = JSON.stringify(facts)
  const values = new Map<string, DslValue>(Object.entries(facts).map(([name, value]) => [name, asBytes(value)]))
  for (const name of ['response', 'body', 'data']) values.set(name, toBytes(json))
  return { defaultPart: 'response', get: (name) => values.get(name) ?? lookup(name) }
}

function asBytes(value: string | boolean | number | readonly string[]): DslValue {
  if (typeof value === 'object') return value.map(toBytes)
  return typeof value === 'string' ? toBytes(value) : value
}

/** Handshake details. Times are ISO 8601; fields that don't apply are omitted. */
export function tlsFacts(reading: TlsAccepted, origin: Origin, now: Date) {
  const { certificate } = reading
  return {
    host: origin.hostname,
    ip: origin.address,
    port: String(origin.port),
    tls_version: versionNames[reading.version] ?? reading.version,
    cipher: reading.cipher,
    untrusted: !reading.isTrusted,
    ...(certificate && certificateFacts(certificate, origin, now)),
  }
}

function certificateFacts(certificate: X509Certificate, origin: Origin, now: Date) {
  const names = alternativeNames(certificate)
  const subject = attribute(certificate.subject, 'CN')
  return {
    subject_cn: subject,
    subject_dn: onOneLine(certificate.subject),
    subject_an: names,
    issuer_cn: attribute(certificate.issuer, 'CN'),
    issuer_dn: onOneLine(certificate.issuer),
    issuer_org: attribute(certificate.issuer, 'O'),
    not_before: certificate.validFromDate.toISOString(),
    not_after: certificate.validToDate.toISOString(),
    expired: certificate.validToDate < now,
    self_signed: isSelfSigned(certificate),
    mismatched: !coversName(certificate, origin),
    wildcard_certificate: [subject, ...names].some((name) => name.startsWith('*.')),
    serial: certificate.serialNumber,
    sha256: certificate.fingerprint256,
  }
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)
}

function coversName(certificate: X509Certificate, { hostname, address }: Origin): boolean {
  if (isIP(hostname) !== 0 || hostname === '') return certificate.checkIP(hostname || address) !== undefined
  return certificate.checkHost(hostname) !== undefined
}

/** The value of an attribute in Node's `CN=…` lines; empty when absent. */
function attribute(name: DistinguishedName, key: string): string {
  const line = name?.split('\n').find((text) => text.startsWith(`${key}=`))
  return line?.slice(key.length + 1) ?? ''
}

function alternativeNames(certificate: X509Certificate): string[] {
  const text = certificate.subjectAltName ?? ''
  return [...text.matchAll(/(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(([, name = '']) => name).slice(0, 500)
}
