import { isProblem, parseAddress } from '#address.ts'
import type { AddressProblem, ScanAddress } from '#address.ts'
import { formatIp, inNetworks, parseIp, parseNetwork } from '#ip.ts'
import type { Ip, Network } from '#ip.ts'

/** A part of a target that is never touched. */
export interface Exclusion {
  /** The one spelling under which equal exclusions are equal. */
  readonly text: string
  /** The addresses it is about; empty when it is about a port of every address. */
  readonly networks: readonly Network[]
  /** Absent: every port. */
  readonly port?: number
}

/**
 * Understands an address, a network in CIDR notation, a range, `address:port` (`[fd00::1]:443`), or
 * `*:port` for a port of every address. Host names are refused: what they point at changes, and an
 * exclusion must not.
 */
export function parseExclusion(input: string): Exclusion | AddressProblem {
  const text = input.trim()
  const [, place = '', digits] = /^(\*|\[[^\]]+\]|[^:]+):(\d+)$/.exec(text) ?? []
  if (digits === undefined) return wholeAddresses(text)
  const port = Number(digits)
  if (port < 1 || port > 65_535) return { problem: `${digits} is not a port between 1 and 65,535.` }
  if (place === '*') return { text: `*:${port}`, networks: [], port }
  const ip = parseIp(place.replace(/^\[(.*)\]$/, '$1'))
  if (!ip) return { problem: `'${place}' is not an IP address; a port is excluded as 10.0.0.1:22 or *:22.` }
  const { family, value } = ip
  const spelled = family === 6 ? `[${formatIp(ip)}]` : formatIp(ip)
  return { text: `${spelled}:${port}`, networks: [{ family, first: value, last: value }], port }
}

function wholeAddresses(text: string): Exclusion | AddressProblem {
  const bare = parseNetwork(text)
  // A network of any size may be left out; only what is scanned must be small.
  if (bare) return { text: spell(text, bare), networks: [bare] }
  const address = parseAddress(text)
  if (isProblem(address)) return address
  if (address.kind !== 'RANGE') {
    return { problem: `'${text}' names a host; exclude its addresses, because a name may point elsewhere tomorrow.` }
  }
  return { text: address.text, networks: [rangeOf(address)] }
}

function spell(text: string, { family, first }: Network): string {
  const base = formatIp({ family, value: first })
  return text.includes('/') ? `${base}/${text.split('/')[1]}` : base
}

function rangeOf({ text }: ScanAddress): Network {
  const [left, right] = text.split('-').map((end) => parseIp(end))
  if (!left || !right) throw new Error(`${text} was understood as a range`)
  return { family: left.family, first: left.value, last: right.value }
}

/** Whether an address is excluded as a whole. */
export function isExcluded(address: string, exclusions: readonly Exclusion[]): boolean {
  const ip = parseIp(address)
  return ip !== null && exclusions.some((one) => one.port === undefined && inNetworks(ip, one.networks))
}

/**
 * The exclusions as a job's `deny` knows them: networks in CIDR notation and `address:port` pairs.
 * A port of every address is spelled out for the addresses of the job.
 */
export function denials(exclusions: readonly Exclusion[], addresses: readonly string[]): string[] {
  return exclusions.flatMap((one) => {
    if (one.port === undefined) return one.networks.flatMap(blocks)
    return one.networks.length > 0 ? [one.text] : addresses.map((address) => endpoint(address, one.port))
  })
}

function endpoint(address: string, port: number | undefined): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** The fewest networks in CIDR notation that hold exactly these addresses. */
function blocks({ family, first, last }: Network): string[] {
  const width = family === 4 ? 32 : 128
  const found: string[] = []
  for (let at = first; at <= last;) {
    const bits = largestBlock({ family, value: at }, last, width)
    found.push(`${formatIp({ family, value: at })}/${width - bits}`)
    at += 1n << BigInt(bits)
  }
  return found
}

function largestBlock({ value }: Ip, last: bigint, width: number): number {
  let bits = 0
  while (bits < width && value % (2n << BigInt(bits)) === 0n && value + (2n << BigInt(bits)) - 1n <= last) bits++
  return bits
}
