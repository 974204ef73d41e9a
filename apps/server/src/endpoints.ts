import { networkInterfaces } from 'node:os'

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
