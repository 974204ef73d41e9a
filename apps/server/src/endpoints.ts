/** The addresses and ports of the installation itself. Scans never connect to them. */
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'

interface Services {
  readonly hosts: readonly string[]
  readonly port: number
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** Undefined: the embedded database, which listens on no port. */
  readonly databaseUrl: string | undefined
  /** Undefined: the embedded identity service. */
  readonly identityUrl: string | undefined
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
const databasePort = 5432

/** The API, the metrics, the database with the job queue, and the identity service. Names are resolved once. */
export async function ownEndpoints(services: Services): Promise<string[]> {
  const { hosts, port, metrics, databaseUrl, identityUrl } = services
  const elsewhere = [databaseUrl, identityUrl].flatMap((url) => (url === undefined ? [] : [endpointsOf(new URL(url))]))
  return [
    ...endpointsAt(hosts, port),
    ...(metrics ? endpointsAt([metrics.host], metrics.port) : []),
    ...(await Promise.all(elsewhere)).flat(),
  ]
}

/** None for a socket in the file system, and for a name that can't be resolved. */
async function endpointsOf({ protocol, hostname, port }: URL): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = host === '' ? [] : await lookup(host, { all: true }).catch(() => [])
  const addresses = found.map(({ address }) => address)
  return endpointsAt(addresses, Number(port) || (defaultPorts[protocol] ?? databasePort))
}

/** Every `address:port` at which a listener on these hosts is reachable from this machine. Scans exclude them. */
export function endpointsAt(hosts: readonly string[], port: number): string[] {
  const isAny = hosts.some((host) => host === '0.0.0.0' || host === '::')
  const addresses = isAny
    ? [...ownAddresses(), '127.0.0.1', '::1']
    : hosts.map((host) => (host === 'localhost' ? '127.0.0.1' : host))
  return addresses.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`))
}

/** The addresses of this machine's interfaces. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => list?.map((item) => item.address) ?? [])
}
