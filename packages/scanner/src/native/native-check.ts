/** Native checks for binary protocols: their definition and the tools that they use. */
import type { SecureVersion } from 'node:tls'
import type { CheckPermission, ScanProfile } from '@glacis/contract/runner'
import type { Callbacks } from '#callback/index.ts'
import type { HttpFailure, HttpRequest, HttpResponse } from '#net/http-message.ts'
import type { TcpConnection, ReadOptions } from '#net/tcp.ts'
import type { Handshake, TlsFailure } from '#net/tls.ts'
import type { UdpResponse, UdpOptions } from '#net/udp.ts'
import type { CheckInfo, IdentifiedService } from '#native/types.ts'

/**
 * One protocol exchange and all checks that it decides. It never tries lists of names or
 * passwords.
 */
export interface NativeCheck {
  readonly checks: readonly CheckInfo[]
  /** The permission that an intrusive check needs. */
  readonly permission?: CheckPermission
  appliesTo(service: IdentifiedService): boolean
  /** Also runs in each folder of a web server that has an application of its own. */
  readonly isPerFolder?: boolean
  /** Also runs on silent services that weren't identified, on a limited number per host. */
  readonly triesUnidentified?: boolean
  /** @throws only when the context's signal aborts, with its reason */
  run(context: NativeContext): Promise<CheckResults>
}
/**
 * Result per check: proof, or null when the service was tested and is not affected. Inconclusive
 * checks are omitted.
 */
export type CheckResults = Readonly<Record<string, Proof | null>>

export interface Proof {
  /** The request, in readable form. */
  readonly request: string
  /** The response that proves the finding; may contain binary data. */
  readonly answer: string
  /** The parts of the response that prove the finding. */
  readonly highlights: readonly string[]
  /** From 0 to 100; default 99. */
  readonly quality?: number
  /** Where a web server shows the weakness; absent: the whole service. */
  readonly path?: string
  /** The name of the site, if the server has others. */
  readonly virtualHost?: string
}

/** The service under test, and the only ways to connect to it. */
export interface NativeContext {
  readonly service: IdentifiedService
  readonly address: string
  readonly port: number
  /** Name for SNI and similar protocol fields; the address if unknown. */
  readonly hostname: string
  /** The same if the service has other sites. */
  readonly virtualHost?: string
  /** Path prefix of a scan of one URL; `/` for a whole host. */
  readonly basePath: string
  readonly profile: ScanProfile
  readonly signal: AbortSignal
  /** Hostnames found in certificates and banners of this host. */
  readonly hostNames: readonly string[]
  /** Absent when no callback server is set up. */
  readonly callbacks?: Callbacks
  /** Requests a page without headers of its own; other checks share its response. */
  requestPage(path: string): Promise<HttpResponse | HttpFailure>
  /** Sends a request to a server that supports only HTTP/2; undefined for others, where `exchange` sends it as text. */
  requestHttp2(request: HttpRequest, deadlineMs: number): Promise<HttpResponse | HttpFailure> | undefined
  /**
   * Runs an exchange on a new connection, with TLS where the service uses it; undefined when the
   * connection failed.
   */
  withConnection<Value>(talk: (connection: TcpConnection) => Promise<Value>): Promise<Value | undefined>
  /**
   * Sends one message and reads the response; null only reads. Undefined when the connection
   * failed.
   */
  exchange(question: string | Uint8Array | null, options?: Partial<ReadOptions>): Promise<Buffer | undefined>
  /** The same in plaintext on another port of this host, as advertised by the service. */
  exchangeOnPort(
    port: number,
    question: string | Uint8Array,
    options?: Partial<ReadOptions> & { readonly endsAfterMessage?: boolean },
  ): Promise<Buffer | undefined>
  /** Sends one UDP message to the same port. */
  sendDatagram(
    question: Uint8Array,
    options?: Pick<UdpOptions, 'waitMs' | 'fromAnyPort' | 'collectBytesMax' | 'replyTo'>,
  ): Promise<UdpResponse>
  /**
   * Completes a TLS handshake on a new connection with these versions, after the plaintext exchange
   * in `before`. The caller must destroy the socket.
   *
   * @returns undefined when the connection failed or `before` gave up
   */
  handshake(options?: {
    readonly minVersion?: SecureVersion
    readonly maxVersion?: SecureVersion
    readonly before?: (connection: TcpConnection) => Promise<boolean>
  }): Promise<Handshake | TlsFailure | undefined>
}

type CheckDescription = Pick<CheckInfo, 'id' | 'name' | 'severity' | 'summary' | 'impact' | 'remediation'> & {
  readonly cvss: string
  readonly score: number | null
  readonly reference: string
  readonly tags: string
  /**
   * Lab programs on which the check reports the weak variant and not the hardened one. Absent: only tried on a stand-in,
   * or on a program without a hardened variant.
   */
  readonly verifiedOn?: string
}

/** Metadata of a native check; tags and programs are each one space-separated text. */
export function checkInfo({ reference, tags, verifiedOn, ...description }: CheckDescription): CheckInfo {
  return {
    ...description,
    threat: description.id,
    references: [reference],
    cves: [],
    tags: tags.split(' '),
    verifiedOn: verifiedOn?.split(' ') ?? [],
    quality: 99,
  }
}
