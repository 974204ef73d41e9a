/** What a service on a port revealed. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import type { ConnectionTools } from '#fingerprint/connection.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import { printableBytes } from '#fingerprint/text.ts'
import type { WebPath } from '#fingerprint/web-paths.ts'
import type { HttpClient } from '#net/http.ts'
import type { Certificate } from '#net/tls.ts'
import type { Units } from '#unit.ts'

export interface IdentifyTools extends ConnectionTools {
  readonly http: HttpClient
  /** Client whose cached responses checks reuse. Default: `http`. */
  readonly shared?: Pick<HttpClient, 'request'>
  readonly fingerprints: Fingerprints
  /** Paths that fingerprints need from web servers. */
  readonly webPaths: readonly WebPath[]
  readonly units?: Units
  /** The scan is limited to one folder of a web server, so its other virtual hosts are skipped. */
  readonly isOneFolder?: boolean
}

/** What the scan has read from a port so far. */
export interface Reading {
  readonly protocol: string
  readonly tls: boolean
  readonly banner: string
  readonly traces: readonly FingerprintText[]
  readonly responded: boolean
  readonly certificate?: Certificate
  readonly http?: { status: number; title: string; server: string }
  /** Maximum number of concurrent requests to the web server. */
  readonly requestsAtOnce?: number
  readonly ownFolder?: string | undefined
  readonly linkedFolders?: readonly string[]
  readonly hintedFolders?: readonly string[]
}

export const silent: Reading = { protocol: '', tls: false, banner: '', traces: [], responded: false }

export function bannerOnly(received: Buffer): Reading {
  return { ...silent, banner: printableBytes(received, 4096), responded: received.length > 0 }
}

/** For reading web pages. */
export function webTools({ http, shared = http, signal, webPaths }: IdentifyTools) {
  return { http, shared, signal, paths: webPaths }
}
