/** The common parts of SARIF 2.1.0 logs (OASIS): the log itself, and locations. */
import { version } from '#version.ts'

/** Maximum length of the evidence in a result. */
export const evidenceLengthMax = 4000

/** Builds the log as text. */
export function sarifLog(rules: readonly object[], results: readonly object[]): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Glacis', version, rules } }, results }],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

interface SarifLocation {
  readonly address: string
  readonly port?: number | null | undefined
  /** Starts with the port, followed by the path for web services. */
  readonly location: string
}

/**
 * `https://192.0.2.1:443/.env` for web services, `tcp://192.0.2.1:6379` for others.
 *
 * @param scheme `http`, `https`, or the transport protocol
 */
export function uriOf({ address, port, location }: SarifLocation, scheme: string): string {
  const host = address.includes(':') ? `[${address}]` : address
  const path = /^\d+(\/\S*)/.exec(location)?.[1] ?? ''
  return `${scheme}://${host}${port ? `:${port}` : ''}${scheme.startsWith('http') ? encoded(path) : ''}`
}

export function messageOf(name: string, { address, port }: SarifLocation): { readonly text: string } {
  return { text: `${name} at ${address}${port ? `, port ${port}` : ''}.` }
}

/** Encodes a path, but not parts that are encoded already. */
function encoded(path: string): string {
  return encodeURI(path).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%')
}
