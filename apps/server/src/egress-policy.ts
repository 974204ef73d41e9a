/** The destinations that the server may connect to on behalf of a workspace: webhooks and identity providers. */
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { isMetadataAddress, isPublicAddress } from '@glacis/scanner'

/**
 * Allowed destinations: public addresses over https, everything, or also the networks listed by the
 * operator.
 */
export type EgressPolicy = 'public' | 'all' | readonly string[]

/**
 * The reason why the URL can't be used, as far as known without resolving its name; undefined if it
 * can.
 */
export function urlError(url: string, egress: EgressPolicy): string | undefined {
  const destination = new URL(url)
  const host = hostOf(destination)
  const isHere = host === 'localhost' || host.endsWith('.localhost')
  return blockedReason(destination, isIP(host) ? [host] : isHere ? ['127.0.0.1'] : [], egress)
}

/** The address to connect to, after name resolution, or why it is blocked. */
export async function resolveAllowed(
  destination: URL,
  egress: EgressPolicy,
): Promise<{ ip: string } | { blocked: string }> {
  const host = hostOf(destination)
  const blockedByUrl = blockedReason(destination, [], egress)
  if (blockedByUrl) return { blocked: blockedByUrl }
  const found = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address)
  const blocked = blockedReason(destination, found, egress)
  if (blocked) return { blocked }
  const [ip] = found
  return ip ? { ip } : { blocked: `${host} could not be resolved` }
}

function blockedReason(destination: URL, addresses: readonly string[], egress: EgressPolicy): string | undefined {
  const isOpen = destination.protocol !== 'https:'
  const onlyHttps = 'Use https. Plain http is allowed only for networks listed in GLACIS_WEBHOOK_NETWORKS'
  if (isOpen && egress === 'public') return onlyHttps
  const metadata = addresses.find(isMetadataAddress)
  if (metadata) return `${metadata} is a cloud metadata address. Glacis doesn't connect to such addresses`
  const blocked = addresses.find((address) => !isPublicAddress(address) && !isListed(address, egress))
  if (blocked) return `Glacis can't connect to ${blocked}. GLACIS_WEBHOOK_NETWORKS lists the allowed networks`
  return isOpen && addresses.some((address) => !isListed(address, egress)) ? onlyHttps : undefined
}

/** The host of a URL, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function isListed(address: string, egress: EgressPolicy): boolean {
  if (egress === 'all') return true
  if (egress === 'public') return false
  const list = new BlockList()
  for (const network of egress) {
    const [base = '', bits = ''] = network.split('/')
    list.addSubnet(base, Number(bits), isIP(base) === 6 ? 'ipv6' : 'ipv4')
  }
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
