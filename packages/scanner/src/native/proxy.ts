import { bracketed, parseIp } from '#ip.ts'
import { bytes, hex } from '#wire.ts'
import { isWeb } from '#fingerprint/responses.ts'
import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'
import { ownHost, requestWeb, webProof, type WebRequest, type WebResponse } from '#native/web/request.ts'

const http = checkInfo({
  id: 'http-proxy-open',
  name: 'Open HTTP proxy',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
  score: 7.2,
  summary: 'The HTTP proxy forwards requests from unauthenticated clients.',
  impact:
    'An attacker can reach internal services through the proxy, and send requests to third parties from your address.',
  remediation:
    'Allow only your own networks (`http_access` rules ending with `http_access deny all` in Squid, `Allow` in Tinyproxy), or require authentication.',
  reference: 'https://cwe.mitre.org/data/definitions/441.html',
  tags: 'misconfig proxy unauth network',
  verifiedOn: 'apache-connect-proxy privoxy squid squid-tls tinyproxy trafficserver warcprox xray',
})
const socks = checkInfo({
  id: 'socks-proxy-open',
  name: 'Open SOCKS proxy',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
  score: 7.2,
  summary: 'The SOCKS proxy accepts connections without authentication.',
  impact: 'An attacker can reach internal services through the proxy, and connect to third parties from your address.',
  remediation:
    'Require authentication (`socksmethod: username` in Dante), and allow only your own networks to connect.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1928',
  tags: 'misconfig proxy unauth network',
  verifiedOn: 'dante microsocks pproxy xray',
})
/** A name that cannot exist (RFC 6761): an open proxy reports that it could not resolve it. */
const unresolvableName = 'glacis-proxy-check.invalid'

/**
 * Asks the proxy to connect to itself and to a nonexistent name; nothing outside the target is
 * contacted.
 */
export const httpProxy: NativeCheck = {
  checks: [http],
  // A proxy that takes the target from the Host header connects to itself endlessly when asked for its own page, so its
  // only response may be an error.
  // Development servers of Vite are no proxies; Astro 3, which is based on it, exits on such a request.
  appliesTo: ({ protocol, banner, technologies }) =>
    (protocol === 'http' || isWeb(banner)) &&
    !technologies.some(({ wfn }) => wfn.vendor === 'vitejs' && wfn.product === 'vite'),
  async run(context) {
    const own = await throughTunnel(context, context.port)
    const tunnelProof = own && (await tunnelTo(context, own))
    if (tunnelProof) return { [http.id]: tunnelProof }
    const forwardProof = await requestClosedPort(context)
    const resolveProof = forwardProof === null ? await requestUnresolvableName(context) : forwardProof
    const isForbidden = resolveProof === null && own !== undefined && / 403 /.test(statusLine(own.first))
    const proof = isForbidden ? await tunnelToUnresolvableName(context) : resolveProof
    return proof === undefined ? {} : { [http.id]: proof }
  },
}

/**
 * A tunnel from the proxy to itself, and a request through it that the proxy answers. A web server that returns 200 for
 * any method answers the same request the same way after a tunnel to a closed port.
 */
async function tunnelTo(context: NativeContext, own: Tunnel): Promise<Proof | null> {
  if (own.inner === '') return null
  const toClosed = await throughTunnel(context, closedPort)
  if (toClosed?.inner && statusLine(toClosed.inner) === statusLine(own.inner)) return null
  return {
    request: own.request,
    answer: `${own.first}${own.inner.slice(0, 1500)}`,
    highlights: [statusLine(own.first)],
  }
}

interface Tunnel {
  readonly request: string
  /** The response to the request for a tunnel. */
  readonly first: string
  /** The response through the tunnel; empty without a tunnel. */
  readonly inner: string
}

const closedPort = 1

async function throughTunnel(context: NativeContext, port: number): Promise<Tunnel | undefined> {
  const host = `${bracketed(context.address)}:${port}`
  const request = `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  return context.withConnection(async (connection) => {
    connection.write(bytes(request))
    const first = (await connection.read({ firstByteMs: 3000, idleMs: 300 })).toString('latin1')
    if (!/^HTTP\/1\.[01] 200/.test(first) || !connection.isAlive) return { request, first, inner: '' }
    connection.write(bytes(`GET /glacis-proxy-check HTTP/1.0\r\nHost: ${unresolvableName}\r\n\r\n`))
    const inner = (await connection.read({ firstByteMs: 3000, idleMs: 300 })).toString('latin1')
    // A server that returns 200 for every method might have its own body mistaken for a tunnel.
    const isTunnel = first.endsWith('\r\n\r\n') && !/content-length: [1-9]|transfer-encoding/i.test(first)
    return isTunnel && /^HTTP\/1\.[01] \d{3}/.test(inner) ? { request, first, inner } : { request, first, inner: '' }
  })
}

function statusLine(response: string): string {
  return response.split('\r\n', 1)[0] ?? ''
}

/** Proxy error messages for names that can't be resolved. */
const resolutionErrors =
  /ERR_DNS_FAIL|ERR_CANNOT_FORWARD|unable to (connect|determine|resolve)|could not (resolve|be resolved|find)|cannot resolve|name or service not known|host ?name (lookup|resolution)|unknown host|no such (host|domain)|ENOTFOUND|EAI_AGAIN|DNS (lookup|error|fail)|getaddrinfo|temporary failure in name/i

const gatewayStatuses = [502, 503, 504]

const connectionErrors =
  /connection refused|ECONNREFUSED|(?:could|can) ?no?t connect|connect(?:ion)? (?:to \S+ )?failed|unable to connect/i

/**
 * Requests a closed port of the target itself. Only a proxy tries to connect to it. A gateway whose backend is down
 * reports the same for its own address.
 */
async function requestClosedPort(context: NativeContext): Promise<Proof | null | undefined> {
  const host = `${bracketed(context.address)}:${closedPort}`
  const closed = await requestWeb(context, absolute(host))
  if (!closed) return undefined
  const reason = gatewayError(closed, connectionErrors)
  if (!reason) return forwardingProof(context, host, closed)
  const own = await requestWeb(context, absolute(ownHost(context)))
  if (!own || gatewayError(own, connectionErrors)) return null
  return { ...webProof(closed, [reason]), quality: 97 }
}

/**
 * An error without a reason must depend on the form of the request: a gateway also returns it for a path with the same
 * Host header. It must come twice, because a busy server may return it once.
 */
async function forwardingProof(context: NativeContext, host: string, closed: WebResponse): Promise<Proof | null> {
  if (!gatewayStatuses.includes(closed.status)) return null
  const pathOnly = await requestWeb(context, { target: '/', host })
  if (!pathOnly || gatewayStatuses.includes(pathOnly.status)) return null
  const again = await requestWeb(context, absolute(host))
  if (again?.status !== closed.status) return null
  return { ...webProof(closed, [statusLine(closed.received)]), quality: 97 }
}

async function requestUnresolvableName(context: NativeContext): Promise<Proof | null | undefined> {
  const response = await requestWeb(context, { ...absolute(unresolvableName), waitMs: 8000 })
  const error = response && gatewayError(response, resolutionErrors)
  return response && (error ? { ...webProof(response, [error]), quality: 97 } : null)
}

/** Proxies that only open tunnels usually limit them to the port of HTTPS, and forbid other ports. */
async function tunnelToUnresolvableName(context: NativeContext): Promise<Proof | null> {
  const target = `${unresolvableName}:443`
  const response = await requestWeb(context, { method: 'CONNECT', target, host: target, waitMs: 8000 })
  const error = response && gatewayError(response, resolutionErrors)
  return error ? { ...webProof(response, [error]), quality: 97 } : null
}

function absolute(host: string): WebRequest {
  return { target: `http://${host}/`, host }
}

/** What a proxy reports about a server that it can't reach. */
function gatewayError({ status, received }: WebResponse, errors: RegExp): string | undefined {
  return [500, ...gatewayStatuses].includes(status) ? errors.exec(received)?.[0] : undefined
}

export const socksProxy: NativeCheck = {
  checks: [socks],
  appliesTo: ({ protocol }) => protocol === 'socks5',
  async run(context) {
    const toItself = await socksConnect(context, ownAddress(context))
    if (toItself?.[1] === 0) return { [socks.id]: socksProof(`${context.address}:${context.port}`, toItself) }
    const toName = await socksConnect(context, unresolvableAddress)
    if (!toName) return {}
    return { [socks.id]: isAttempt(toName) ? socksProof(unresolvableName, toName) : null }
  },
}

/** The type and bytes of the address, and the port (RFC 1928, section 5). */
function ownAddress({ address, port }: NativeContext): Buffer {
  const ip = parseIp(address)
  const [type, digits] = ip?.family === 6 ? [4, 32] : [1, 8]
  const value = (ip?.value ?? 0n).toString(16).padStart(digits, '0')
  return Buffer.concat([Buffer.from([type]), hex(value), Buffer.from([port >> 8, port & 0xff])])
}

const unresolvableAddress = Buffer.concat([
  Buffer.from([3, unresolvableName.length]),
  bytes(unresolvableName),
  hex('0050'),
])

/** @returns the reply; empty if the proxy requires authentication, undefined if the connection failed */
async function socksConnect(context: NativeContext, target: Buffer): Promise<Buffer | undefined> {
  return context.withConnection(async (connection) => {
    connection.write(hex('050100'))
    const method = await connection.read({ firstByteMs: 3000, enough: (all) => all.length >= 2 })
    if (method[0] !== 5 || method[1] !== 0) return Buffer.alloc(0)
    connection.write(Buffer.concat([hex('050100'), target]))
    return connection.read({ firstByteMs: 8000, enough: (all) => all.length >= 10 })
  })
}

/**
 * Some proxies refuse connections to themselves. A proxy that reports the host as unreachable tried to resolve its
 * name; one with rules replies "not allowed" (RFC 1928, section 6).
 */
function isAttempt(reply: Buffer): boolean {
  const [version, code = 2] = reply
  return version === 5 && (code === 3 || code === 4)
}

function socksProof(target: string, reply: Buffer): Proof {
  const request = `SOCKS5 CONNECT ${target} without authentication`
  const answer = `reply ${reply.toString('hex')}`
  return { request, answer, highlights: [reply.subarray(0, 2).toString('hex')] }
}
