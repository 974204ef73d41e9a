/** IP addresses as numbers: strict parsing, canonical formatting, network membership. */

export interface Ip {
  readonly family: 4 | 6
  readonly value: bigint
}
/** A host as in URLs: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** A contiguous range of addresses of one family, inclusive. */
export interface Network {
  readonly family: 4 | 6
  readonly first: bigint
  readonly last: bigint
}

/**
 * Parses a fully written address: dotted decimal without leading zeros, or IPv6 (RFC 4291, without
 * brackets and zone).
 * An IPv4-mapped IPv6 address becomes its IPv4 address, which is what a connection would reach.
 * Returns null for octal, hexadecimal, and short forms.
 */
export function parseIp(text: string): Ip | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

function parseIpv4(text: string): Ip | null {
  const parts = text.split('.')
  if (parts.length !== 4) return null
  if (!parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null
  return { family: 4, value: parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) }
}

function parseIpv6(text: string): Ip | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const head = groups(halves[0] ?? '')
  const tail = groups(halves[1] ?? '')
  if (!head || !tail) return null
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const all = [...head, ...Array<bigint>(missing).fill(0n), ...tail]
  const value = all.reduce((sum, group) => (sum << 16n) | group, 0n)
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value }
}

function groups(text: string): bigint[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const embedded = parts.at(-1)?.includes('.') ? parseIpv4(parts.pop() ?? '') : undefined
  if (embedded === null) return null
  if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return null
  const numbers = parts.map((part) => BigInt(`0x${part}`))
  return embedded ? [...numbers, embedded.value >> 16n, embedded.value & 0xffffn] : numbers
}

/** Canonical form of an address (RFC 5952 for IPv6). */
export function formatIp({ family, value }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16))
  const zeros = [...` ${groups.join(' ')} `.matchAll(/ 0(?: 0){1,7}(?= )/g)].map(([run]) => run)
  const longest = zeros.reduce((best, run) => (run.length > best.length ? run : best), '')
  if (longest === '') return groups.join(':')
  const [before, after] = splitOnce(` ${groups.join(' ')}`, longest)
  return `${before.trim().replaceAll(' ', ':')}::${after.trim().replaceAll(' ', ':')}`
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return [text.slice(0, at), text.slice(at + separator.length)]
}

/** Parses `10.0.0.0/8`, `fd00::/8`, or a single address; clears host bits. Null when invalid. */
export function parseNetwork(text: string): Network | null {
  const [base = '', length, ...rest] = text.split('/')
  const ip = parseIp(base)
  if (!ip || rest.length > 0) return null
  const width = ip.family === 4 ? 32 : 128
  if (length === undefined) return { family: ip.family, first: ip.value, last: ip.value }
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > width) return null
  const size = 1n << BigInt(width - Number(length))
  const first = ip.value - (ip.value % size)
  return { family: ip.family, first, last: first + size - 1n }
}

/**
 * Parses a list of networks. For constant or trusted lists that must be entirely valid.
 *
 * @throws on the first invalid entry
 */
export function networksOf(texts: readonly string[]): readonly Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text)
    if (!network) throw new Error(`"${text}" is neither an address nor a network in CIDR notation`)
    return network
  })
}

function listed(texts: string): readonly Network[] {
  return networksOf(texts.split(' '))
}

/** Whether one of the networks contains the address. */
export function inNetworks(ip: Ip, networks: readonly Network[]): boolean {
  return networks.some(({ family, first, last }) => family === ip.family && first <= ip.value && ip.value <= last)
}

/** Whether two networks overlap. */
export function overlaps(network: Network, networks: readonly Network[]): boolean {
  return networks.some(
    ({ family, first, last }) => family === network.family && first <= network.last && network.first <= last,
  )
}

/** Cloud instance metadata services: AWS, GCP, Azure, Oracle, Alibaba, and others. */
export const metadataNetworks = listed(
  '169.254.169.254 169.254.170.2 169.254.170.23 168.63.129.16 192.0.0.192 100.100.100.200 fd00:ec2::254 ' +
    'fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe',
)
/** Addresses that never identify a single host: "this host", multicast, reserved, and broadcast. */
export const unusableNetworks = listed('0.0.0.0/8 224.0.0.0/4 240.0.0.0/4 ::/128 ff00::/8')
/** Everything not routed on the public internet (IANA special-purpose registries). */
export const privateNetworks = listed(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
    '192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ::/127 ' +
    '64:ff9b:1::/48 100::/64 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/9 ff00::/8',
)

/**
 * Addresses that a connection may actually reach: the address itself and the IPv4 address embedded
 * by NAT64 (RFC 6052) or 6to4 (RFC 3056). A guard must allow all of them.
 */
export function reachedThrough(ip: Ip): readonly Ip[] {
  if (ip.family === 4) return [ip]
  if (ip.value >> 32n === 0x64ff9bn << 64n) return [ip, { family: 4, value: ip.value & 0xffff_ffffn }]
  if (ip.value >> 112n === 0x2002n) return [ip, { family: 4, value: (ip.value >> 80n) & 0xffff_ffffn }]
  return [ip]
}

/** Whether this is a cloud metadata address, including through NAT64 or 6to4. */
export function isMetadataAddress(text: string): boolean {
  const ip = parseIp(text)
  return ip !== null && reachedThrough(ip).some((reachable) => inNetworks(reachable, metadataNetworks))
}

/** Whether the address is publicly routed, including through NAT64 or 6to4. */
export function isPublicAddress(text: string): boolean {
  const ip = parseIp(text)
  return ip !== null && reachedThrough(ip).every((reachable) => !inNetworks(reachable, privateNetworks))
}
