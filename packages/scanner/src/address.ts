import { domainToASCII } from 'node:url'
import {
  bracketed,
  formatIp,
  inNetworks,
  metadataNetworks,
  overlaps,
  parseIp,
  parseNetwork,
  privateNetworks,
  reachedThrough,
  unusableNetworks,
  type Ip,
  type Network,
} from '#ip.ts'

/** A parsed scan target. */
export interface ScanAddress {
  readonly kind: 'HOST_NAME' | 'IPV4' | 'IPV6' | 'CIDR' | 'RANGE' | 'URL'
  /** Canonical form: equal targets have equal text. */
  readonly text: string
  /** Number of addresses to scan; 1 for a hostname. */
  readonly hostCount: number
  /** At least one address is not publicly routable. Names are checked when they are resolved. */
  readonly isPrivate: boolean
  /** Hostname or address without brackets; empty for networks and ranges. */
  readonly host: string
  /** URLs only. */
  readonly url?: { readonly tls: boolean; readonly port: number; readonly path: string }
}
/** Why an address is invalid, as one sentence for the user. */
export interface AddressProblem {
  readonly problem: string
}

const lengthMax = 2048
const tooLong: AddressProblem = { problem: 'The address is longer than 2,048 characters.' }

/** Maximum number of addresses in one target. */
export const hostsMax = 65_536

/**
 * Parses a hostname (IDN to punycode), an IPv4 or IPv6 address, a network in CIDR notation, a
 * range (`10.0.0.1-10.0.0.20`, `10.0.0.1-20`), or an http(s) URL.
 * Addresses must be written in full. The octal, hexadecimal, and short forms accepted by the C
 * library are rejected, so that the displayed address is the dialed address.
 */
export function parseAddress(input: string): ScanAddress | AddressProblem {
  const text = input.trim()
  if (text === '') return { problem: 'Nothing was entered.' }
  if (text.length > lengthMax) return tooLong
  if (/\s/.test(text)) return { problem: `${quoted(text)} contains a space.` }
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (/[\u0000-\u001f\u007f]/.test(text)) return { problem: 'The address contains a control character.' }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return parseUrl(text)
  const [left = ''] = text.split('-')
  if (text.includes('-') && parseIp(left)) return parseRange(text)
  if (text.includes('/')) return parseCidr(text)
  return parseHost(text)
}

/** Maximum length of quoted user input in error messages, in characters. */
const shownMax = 60

/** Quotes user input in an error message, shortening long text in the middle. */
function quoted(text: string): string {
  return `'${shortened(text)}'`
}

function shortened(text: string): string {
  const characters = Array.from(text)
  if (characters.length <= shownMax) return text
  return `${characters.slice(0, shownMax - 20).join('')}…${characters.slice(-19).join('')}`
}

/** Type guard for the result of {@link parseAddress}. */
export function isProblem(outcome: ScanAddress | AddressProblem): outcome is AddressProblem {
  return 'problem' in outcome
}

/**
 * IP addresses of a target in ascending order. IPv4 network and broadcast addresses are skipped,
 * except in /31 and /32 (RFC 3021). IPv6 has no broadcast address, so all addresses of a network
 * are returned. A hostname yields nothing; resolve it first.
 */
export function* expand(address: ScanAddress): Iterable<string> {
  const network = address.kind === 'RANGE' ? rangeOf(address.text) : hostsOf(address)
  if (!network) return
  for (let value = network.first; value <= network.last; value++) yield formatIp({ family: network.family, value })
}

function hostsOf(address: ScanAddress): Network | null {
  if (address.kind !== 'CIDR') return parseNetwork(address.host)
  const network = parseNetwork(address.text)
  return network && hostsIn(network)
}

function hostsIn(network: Network): Network {
  if (network.family === 6 || network.last - network.first < 2n) return network
  return { ...network, first: network.first + 1n, last: network.last - 1n }
}

function parseHost(text: string): ScanAddress | AddressProblem {
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text
  if (bare.includes('%') && bare.includes(':')) {
    return {
      problem: `${quoted(text)} includes a network interface after '%', which is only valid on the local machine.`,
    }
  }
  const ip = parseIp(bare)
  if (ip) return singleAddress(ip)
  const [, host = '', port] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(text) ?? []
  if (port) {
    if (Number(port) < 1 || Number(port) > 65_535)
      return { problem: `${shortened(port)} is not a port. Ports are numbers from 1 to 65535.` }
    const url = `https://${shortened(`${host}:${port}`)}`
    return { problem: `Enter the host without its port and list ${port} under ports, or enter a URL such as ${url}.` }
  }
  if (text.includes(':')) return { problem: `${quoted(text)} is not an IPv6 address.` }
  return parseName(text)
}

function singleAddress(ip: Ip): ScanAddress | AddressProblem {
  const text = formatIp(ip)
  const problem = forbiddenReason(text, { family: ip.family, first: ip.value, last: ip.value })
  if (problem) return { problem }
  const isPrivate = reachedThrough(ip).some((reachable) => inNetworks(reachable, privateNetworks))
  return { kind: ip.family === 4 ? 'IPV4' : 'IPV6', text, hostCount: 1, isPrivate, host: text }
}

function forbiddenReason(text: string, network: Network): string | null {
  const isSingle = network.first === network.last
  if (isSingle && reachedThrough({ family: network.family, value: network.first }).some(isMetadata)) {
    return `${text} is a cloud metadata address, which is never scanned.`
  }
  return overlaps(network, unusableNetworks) ? `${text} contains addresses that do not identify a single host.` : null
}

function isMetadata(ip: Ip): boolean {
  return inNetworks(ip, metadataNetworks)
}

function parseName(text: string): ScanAddress | AddressProblem {
  if (text.includes('@'))
    return { problem: `${quoted(text)} looks like an email address; enter only the domain after the @.` }
  if (text.includes('*')) return { problem: `${quoted(text)} contains a wildcard; enter each hostname separately.` }
  if (text.includes(',')) return { problem: `${quoted(text)} contains a comma; enter one address at a time.` }
  const typed = text.replace(/\.$/, '')
  // The C library treats a name whose last label is a number as an IPv4 address (RFC 3696).
  if (/(^|\.)(\d+|0x[0-9a-f]*)$/i.test(typed)) {
    return {
      problem: `${quoted(text)} is not an IPv4 address: use four numbers from 0 to 255 without leading zeros.`,
    }
  }
  const name = domainToASCII(typed)
  const labels = name.split('.')
  // Invisible and wide characters are mapped only now: the result must not be read as a range later.
  const isAddress = parseIp(name.split('-', 1)[0] ?? '') !== null
  if (isAddress || !labels.every((label) => /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/.test(label))) {
    return { problem: `${quoted(text)} is not a hostname, IP address, network, range, or URL.` }
  }
  if (name.length > 253 || labels.some((label) => label.length > 63)) {
    return { problem: `${quoted(text)} is too long for a hostname.` }
  }
  const isPrivate = labels.at(-1) === 'localhost'
  return { kind: 'HOST_NAME', text: name, hostCount: 1, isPrivate, host: name }
}

function parseCidr(text: string): ScanAddress | AddressProblem {
  const [base = '', length = ''] = text.split('/')
  const ip = parseIp(base)
  if (!ip) return { problem: `${quoted(text)} is not a network; start a URL with http:// or https://.` }
  const network = parseNetwork(text)
  if (!network)
    return { problem: `${quoted(`/${length}`)} is not a prefix length between 0 and ${ip.family === 4 ? 32 : 128}.` }
  return multipleAddresses(
    'CIDR',
    `${formatIp({ family: ip.family, value: network.first })}/${length}`,
    network,
    hostsIn(network),
  )
}

function parseRange(text: string): ScanAddress | AddressProblem {
  const network = rangeOf(text)
  if (!network) return { problem: `${quoted(text)} is not a range such as 10.0.0.1-10.0.0.20 or 10.0.0.1-20.` }
  if (network.last < network.first) return { problem: `The range ${quoted(text)} ends before it begins.` }
  const { family, first, last } = network
  return multipleAddresses(
    'RANGE',
    `${formatIp({ family, value: first })}-${formatIp({ family, value: last })}`,
    network,
    network,
  )
}

function rangeOf(text: string): Network | null {
  const [left = '', right = '', ...rest] = text.split('-')
  const first = parseIp(left)
  const isShort = /^(0|[1-9]\d{0,2})$/.test(right)
  const last = parseIp(isShort ? left.replace(/\d{1,4}$/, right) : right)
  if (!first || !last || first.family !== last.family || rest.length > 0) return null
  return { family: first.family, first: first.value, last: last.value }
}

function multipleAddresses(
  kind: 'CIDR' | 'RANGE',
  text: string,
  whole: Network,
  hosts: Network,
): ScanAddress | AddressProblem {
  const count = hosts.last - hosts.first + 1n
  if (count > BigInt(hostsMax)) {
    return {
      problem: `${text} contains more than ${hostsMax.toLocaleString('en')} addresses; split it into smaller ranges.`,
    }
  }
  const problem = forbiddenReason(text, whole)
  if (problem) return { problem }
  return { kind, text, hostCount: Number(count), isPrivate: overlaps(whole, privateNetworks), host: '' }
}

function parseUrl(text: string): ScanAddress | AddressProblem {
  const [, scheme = '', authority = '', rest = ''] = /^([^:]+):\/\/([^/?#]*)([^?#]*)/.exec(text) ?? []
  const tls = scheme.toLowerCase() === 'https'
  if (!tls && scheme.toLowerCase() !== 'http')
    return { problem: `Only http and https URLs can be scanned, not ${shortened(scheme)}.` }
  if (authority.includes('@')) return { problem: 'Remove the username and password from the URL.' }
  if (authority === '') return { problem: `${quoted(text)} has no host.` }
  const [, hostText = '', portText] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority) ?? []
  if (hostText === '') return { problem: `${quoted(authority)} is not a host with a port.` }
  const port = Number(portText || (tls ? 443 : 80))
  if (port < 1 || port > 65_535) return { problem: `${shortened(portText ?? '')} is not a port between 1 and 65,535.` }
  const host = parseHost(hostText)
  if (isProblem(host)) return host
  const path = rest === '' ? '/' : rest.replace(/[^\u0021-\u007e]/gu, (char) => encodeURIComponent(char.toWellFormed()))
  const canonical = urlText(tls, host, port, path)
  // Encoding can triple the length.
  if (canonical.length > lengthMax) return tooLong
  return { ...host, kind: 'URL', text: canonical, url: { tls, port, path } }
}

function urlText(tls: boolean, { host }: ScanAddress, port: number, path: string): string {
  const isUsual = port === (tls ? 443 : 80)
  return `${tls ? 'https' : 'http'}://${bracketed(host)}${isUsual ? '' : `:${port}`}${path}`
}
