/** What every SARIF 2.1.0 log (OASIS) of ours has in common: the log around rules and results, and how places are named. */
import { version } from '#version.ts'

/** Characters of an evidence that a result takes along. */
export const evidenceLengthMax = 4000

/** The log as a text. */
export function sarifLog(rules: readonly object[], results: readonly object[]): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Glacis', version, rules } }, results }],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

interface Place {
  readonly address: string
  readonly port?: number | null | undefined
  /** Begins with its port, and goes on with the path where it is one of the web. */
  readonly location: string
}

/**
 * `https://192.0.2.1:443/.env` for the web, `tcp://192.0.2.1:6379` for anything else.
 *
 * @param scheme `http`, `https` or the transport
 */
export function uriOf({ address, port, location }: Place, scheme: string): string {
  const host = address.includes(':') ? `[${address}]` : address
  const path = /^\d+(\/\S*)/.exec(location)?.[1] ?? ''
  return `${scheme}://${host}${port ? `:${port}` : ''}${scheme.startsWith('http') ? encoded(path) : ''}`
}

/** What was seen there, in a sentence. */
export function sentenceOf(name: string, { address, port }: Place): { readonly text: string } {
  return { text: `${name} at ${address}${port ? `, port ${port}` : ''}.` }
}

/** A path as it was asked for: what is encoded in it already stays as it is. */
function encoded(path: string): string {
  return encodeURI(path).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%')
}
