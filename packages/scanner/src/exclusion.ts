import { isProblem, parseAddress, type AddressProblem, type ScanAddress } from '#address.ts'
import { bracketed, formatIp, inNetworks, parseIp, parseNetwork, type Ip, type Network } from '#ip.ts'

/** A part of a target that is never scanned. */
export interface Exclusion {
  /** Canonical form: equal exclusions have equal text. */
  readonly text: string
  /** Excluded addresses; empty when a port is excluded on every address. */
  readonly networks: readonly Network[]
  /** Absent: every port. */
  readonly port?: number
}

/**
 * Parses an address, a network in CIDR notation, a range, `address:port` (`[fd00::1]:443`), or
 * `*:port` for a port on every address. Hostnames are rejected because an exclusion must not
 * change with DNS.
 */
export function parseExclusion(input: string): Exclusion | AddressProblem {
  const text = input.trim()
  const [, host = '', digits] = /^(\*|\[[^\]]+\]|[^:]+):(\d+)$/.exec(text) ?? []
  if (digits === undefined) return parseWholeAddresses(text)
  const port = Number(digits)
  if (port < 1 || port > 65_535) return { problem: `${digits} is not a port between 1 and 65,535.` }
  if (host === '*') return { text: `*:${port}`, networks: [], port }
  const ip = parseIp(host.replace(/^\[(.*)\]$/, '$1'))
  if (!ip) return { problem: `'${host}' is not an IP address; exclude a port as 10.0.0.1:22 or *:22.` }
  const { family, value } = ip
  const spelled = family === 6 ? `[${formatIp(ip)}]` : formatIp(ip)
  return { text: `${spelled}:${port}`, networks: [{ family, first: value, last: value }], port }
}

function parseWholeAddresses(text: string): Exclusion | AddressProblem {
  const bare = parseNetwork(text)
  // An excluded network can have any size; only scanned networks are limited.
  if (bare) return { text: format(text, bare), networks: [bare] }
  const address = parseAddress(text)
  if (isProblem(address)) return address
  if (address.kind !== 'RANGE') {
    return { problem: `'${text}' is a hostname; exclude its IP addresses instead, because DNS records can change.` }
  }
  return { text: address.text, networks: [rangeOf(address)] }
}

function format(text: string, { family, first }: Network): string {
  const base = formatIp({ family, value: first })
  return text.includes('/') ? `${base}/${text.split('/')[1]}` : base
}

function rangeOf({ text }: ScanAddress): Network {
  const [left, right] = text.split('-').map((end) => parseIp(end))
  if (!left || !right) throw new Error(`${text} was parsed as a range`)
  return { family: left.family, first: left.value, last: right.value }
}

/** Whether an address is excluded on all ports. */
export function isExcluded(address: string, exclusions: readonly Exclusion[]): boolean {
  const ip = parseIp(address)
  return (
    ip !== null && exclusions.some((exclusion) => exclusion.port === undefined && inNetworks(ip, exclusion.networks))
  )
}

/**
 * Exclusions in the form of a job's `deny`: networks in CIDR notation and `address:port` pairs.
 * `*:port` is expanded for each address of the job.
 */
export function denyEntries(exclusions: readonly Exclusion[], addresses: readonly string[]): string[] {
  return exclusions.flatMap((exclusion) => {
    if (exclusion.port === undefined) return exclusion.networks.flatMap(blocks)
    return exclusion.networks.length > 0
      ? [exclusion.text]
      : addresses.map((address) => endpoint(address, exclusion.port))
  })
}

function endpoint(address: string, port: number | undefined): string {
  return `${bracketed(address)}:${port}`
}

/** The smallest set of CIDR networks that covers exactly these addresses. */
function blocks({ family, first, last }: Network): string[] {
  const width = family === 4 ? 32 : 128
  const networks: string[] = []
  for (let at = first; at <= last;) {
    const bits = largestBlock({ family, value: at }, last, width)
    networks.push(`${formatIp({ family, value: at })}/${width - bits}`)
    at += 1n << BigInt(bits)
  }
  return networks
}

function largestBlock({ value }: Ip, last: bigint, width: number): number {
  let bits = 0
  while (bits < width && value % (2n << BigInt(bits)) === 0n && value + (2n << BigInt(bits)) - 1n <= last) bits++
  return bits
}
