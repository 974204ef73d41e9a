/** Checks that need to speak a protocol: what they are, and what they get to work with. */
import type { SecureVersion } from 'node:tls'
import type { ScanProfile } from '@glacis/contract/runner'
import type { Line, ReadOptions } from '#net/tcp.ts'
import type { Handshake, TlsFailure } from '#net/tls.ts'
import type { UdpAnswer, UdpOptions } from '#net/udp.ts'
import type { CheckInfo, IdentifiedService } from '#native/types.ts'

/**
 * One conversation with a kind of service and all checks that it decides. A conversation reads and
 * never writes; it tries no lists of names or passwords.
 */
export interface NativeSubject {
  readonly checks: readonly CheckInfo[]
  /** The gentlest profile in which it is spoken; absent: gentle. */
  readonly from?: ScanProfile
  concerns(service: IdentifiedService): boolean
  /** @throws only when the place's signal aborts, with its reason */
  examine(place: NativePlace): Promise<Verdicts>
}
/** By check: its proof, or null when the service was asked and is sound. What could not be asked is left out. */
export type Verdicts = Readonly<Record<string, Proof | null>>

export interface Proof {
  /** What was sent, for a person to read. */
  readonly request: string
  /** What came back and proves it; bytes that are not text may stand in it. */
  readonly answer: string
  /** Parts of the answer that decide. */
  readonly highlights: readonly string[]
  /** From 0 to 100; absent: 99. */
  readonly quality?: number
}

/** The service that is examined, and the only ways to it. */
export interface NativePlace {
  readonly service: IdentifiedService
  readonly address: string
  readonly port: number
  /** Name for SNI and for protocols that ask for one; the address where none is known. */
  readonly hostname: string
  readonly profile: ScanProfile
  readonly signal: AbortSignal
  /** Names that services of this host gave away: its certificates, its greetings. */
  readonly hostNames: readonly string[]
  /** Speaks over a connection of its own, through TLS where the service has it; undefined when there was none. */
  speak<Value>(words: (line: Line) => Promise<Value>): Promise<Value | undefined>
  /** One question and its answer; null asks nothing and listens. Undefined when there was no connection. */
  ask(question: string | Uint8Array | null, options?: Partial<ReadOptions>): Promise<Buffer | undefined>
  /** The same in plain text on another port of this host, which the service itself has named. */
  askAt(port: number, question: string | Uint8Array, options?: Partial<ReadOptions>): Promise<Buffer | undefined>
  /** One question by UDP to the same port. */
  datagram(
    question: Uint8Array,
    options?: Pick<UdpOptions, 'waitMs' | 'fromAnyPort' | 'collectBytesMax'>,
  ): Promise<UdpAnswer>
  /**
   * Shakes hands on a connection of its own, in these versions, after what `before` says in plain text.
   * Whoever gets a handshake must destroy its socket.
   *
   * @returns undefined when there was no connection, or `before` gave up
   */
  handshake(options?: {
    readonly minVersion?: SecureVersion
    readonly maxVersion?: SecureVersion
    readonly before?: (line: Line) => Promise<boolean>
  }): Promise<Handshake | TlsFailure | undefined>
}

type Words = Pick<CheckInfo, 'id' | 'name' | 'severity' | 'summary' | 'impact' | 'remediation'> & {
  readonly cvss: string
  readonly score: number | null
  readonly reference: string
  readonly tags: string
}

/** What a person is told about a check of ours; its tags are given as one text. */
export function checkInfo({ reference, tags, ...words }: Words): CheckInfo {
  return { ...words, threat: words.id, references: [reference], cves: [], tags: tags.split(' '), quality: 99 }
}

/** Text as the bytes of Latin-1. */
export function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** Bytes written in hexadecimal; blanks may stand between them. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
}
