export interface Probe {
  readonly protocol: string
  /** Ports where the probe is tried first. */
  readonly ports: readonly number[]
  readonly request: Uint8Array
  /** Closes the sending side after the request, for services that respond only then. */
  readonly endsAfterRequest?: boolean
  /** Pattern for the response, decoded as Latin-1. */
  readonly responsePattern: RegExp
  /** Fingerprint field for the response; empty when another query follows. */
  readonly field: string
  /** Extracts the part of the response that fingerprints match. */
  readonly read?: (responsePattern: string) => string
  /** Isn't tried on other ports, to limit the connections to an unidentified service. */
  readonly isOwnPortsOnly?: boolean
  /** Any other recognized protocol is preferred, because the pattern describes a kind of service. */
  readonly isFallback?: boolean
  /** Ports where the probe is tried over TLS. */
  readonly tlsPorts?: readonly number[]
  /** The response is binary, so the extracted text is shown as the banner instead. */
  readonly isBinary?: boolean
}
