/** Reads what the service on a port reveals: its greeting, its replies to probes, its pages, and what is inside TLS. */
import { fragilePorts, identifyBanner, tlsPorts, untouchedPorts } from '#fingerprint/banner.ts'
import { readStartTlsCertificate, certificateTraces } from '#fingerprint/certificate.ts'
import { httpResponseProtocols, probes, webProbe } from '#fingerprint/probes.ts'
import type { Probe } from '#fingerprint/probe.ts'
import { printable, printableBytes } from '#fingerprint/text.ts'
import { isTlsAlert, isVideoStream, isWeb, longer, responseTraces } from '#fingerprint/responses.ts'
import { isUnknownPrompt } from '#native/console.ts'
import { statedName } from '#fingerprint/stated-name.ts'
import { readWeb } from '#fingerprint/web.ts'
import { webSocketTraces } from '#fingerprint/web-socket-greeting.ts'
import { isNegotiationOnly, negotiateTelnet } from '#fingerprint/telnet.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import {
  bannerReadOptions,
  bannerWaitMs,
  readInitialBanner,
  quietWaitMs,
  exchange,
  withConnection,
  type Endpoint,
  type ProbeTarget,
} from '#fingerprint/connection.ts'
import { forEachOf } from '#pool.ts'
import { connectionOver } from '#net/tcp.ts'
import { supportsStartTls } from '#native/starttls.ts'
import { tlsHandshake } from '#net/tls.ts'
import { runQueries } from '#service-queries.ts'
import { bannerOnly, type IdentifyTools, type Reading, silent, webTools } from '#reading.ts'

const probesMax = 4
const guessesAtOnce = 32
/** Each guess inside TLS needs a handshake. */
const tlsGuessesAtOnce = 8
const tlsDeadlineMs = 4000
/** A service on its usual port may be slow. */
const expectedWaitMs = 3500
const guessWaitMs = 1000
const slowPageMs = 8000
const lateResponseMs = 3500
/** A service that ignores plaintext gets less time for a TLS handshake than one on a TLS port. */
const tlsGuessMs = 1500

/**
 * Waits for a banner first, because some servers reject clients that speak early, then sends at most four probes, most
 * likely first. Looks inside TLS.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function readService(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading> {
  const isTls = tlsPorts.has(endpoint.port)
  if (untouchedPorts.has(endpoint.port))
    return (isTls ? await readTls(endpoint, tools) : undefined) ?? sendOwnProbe(endpoint, tools)
  const received = isTls ? Buffer.alloc(0) : await readInitialBanner(endpoint, tools)
  if (received.length > 0) return identifyByBanner(received, endpoint, tools)
  const encrypted = isTls ? await readTls(endpoint, tools) : undefined
  if (encrypted) return encrypted
  if (fragilePorts.has(endpoint.port)) return readFragile(endpoint, tools)
  return sendProbes(endpoint, tools, !isTls)
}

/** Printers print all data that they receive, so only web servers get more than one HTTP request. */
async function readFragile(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading> {
  const own = await sendOwnProbe(endpoint, tools)
  if (own !== silent) return own
  const received = await exchange(endpoint, { request: webProbe(endpoint.hostname) }, tools)
  const text = received.toString('latin1')
  return isWeb(text) ? ((await readWebServer(text, endpoint, tools)) ?? bannerOnly(received)) : bannerOnly(received)
}

/** Industrial controllers only receive the read-only request of their own protocol. */
async function sendOwnProbe(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading> {
  const probe = probes.find(({ ports }) => ports.includes(endpoint.port))
  if (!probe) return silent
  return (await recognize(await exchange(endpoint, probe, tools, expectedWaitMs), probe, endpoint, tools)) ?? silent
}

/** Sends probes until one is recognized; otherwise the last response becomes the banner. */
async function sendProbes(endpoint: Endpoint, tools: IdentifyTools, mayBeTls: boolean): Promise<Reading> {
  const expected = probes.filter(({ ports }) => ports.includes(endpoint.port))
  let received: Buffer = Buffer.alloc(0)
  let left = probesMax
  for (const probe of expected) {
    left--
    const reply = await exchange(endpoint, probe, tools, expectedWaitMs)
    received = longer(reply, received)
    const known = await recognize(reply, probe, endpoint, tools)
    if (known) return known
  }
  const response =
    left > 0 ? await exchange(endpoint, { request: webProbe(endpoint.hostname) }, tools) : Buffer.alloc(0)
  const text = response.toString('latin1')
  if (isVideoStream(text)) return { ...bannerOnly(response), protocol: 'mjpeg', traces: responseTraces(text) }
  const hint = httpResponseProtocols.find(([pattern]) => pattern.test(text))?.[1]
  if (isWeb(text) && hint === undefined)
    return (await readWebServer(text, endpoint, tools)) ?? { ...bannerOnly(response), traces: responseTraces(text) }
  const isQuiet = response.length === 0
  const [encrypted, guessed] = await Promise.all([
    mayBeTls && (isQuiet || isTlsAlert(response)) ? readTls(endpoint, tools, tlsGuessMs) : undefined,
    isQuiet ? guessProtocol(expected, endpoint, tools) : undefined,
  ])
  if (encrypted) return encrypted
  if (guessed) return guessed
  for (const probe of probes.filter(({ protocol }) => protocol === hint)) {
    // The answer to the protocol's own request says more than that to HTTP, such as the product and version of AMQP brokers.
    const known =
      (expected.includes(probe)
        ? undefined
        : await recognize(await exchange(endpoint, probe, tools), probe, endpoint, tools)) ??
      (await recognize(response, probe, endpoint, tools))
    if (known) return known
  }
  const rest = longer(response, received)
  if (rest.length === 0) return (await readWebSocket(endpoint, tools)) ?? (await readLate(endpoint, tools)) ?? silent
  const stated = rest.toString('latin1')
  return { ...bannerOnly(rest), traces: isWeb(stated) ? responseTraces(stated) : statedTraces(stated) }
}

/** The name that a service of an unknown protocol states. */
function statedTraces(text: string): readonly FingerprintText[] {
  const named = statedName(text)
  return named === undefined ? [] : [{ field: 'banner.stated_name', text: named }]
}

/** Sends the probes of other ports to a service that ignored HTTP, several at once. */
async function guessProtocol(
  sent: readonly Probe[],
  endpoint: ProbeTarget,
  tools: IdentifyTools,
): Promise<Reading | undefined> {
  const others = probes.filter((probe) => !sent.includes(probe) && probe.isOwnPortsOnly !== true)
  let known: Reading | undefined
  let named: Reading | undefined
  // A web server that ignores its start page rejects every probe with an HTTP error: try the page once more, not each time.
  let page: Promise<Reading | undefined> | undefined
  await forEachOf(others, endpoint.isTls ? tlsGuessesAtOnce : guessesAtOnce, async (probe) => {
    if (known) return
    const received = await exchange(endpoint, probe, tools, guessWaitMs)
    if (received.length === 0) return
    const text = received.toString('latin1')
    const isPage = endpoint.isTls !== true && isWeb(text) && !probe.responsePattern.test(text)
    const reading = await (isPage
      ? (page ??= readSlowPage(text, endpoint, tools))
      : recognize(received, probe, endpoint, tools))
    if (probe.isFallback) named ??= reading
    else known ??= reading
    const traces = isWeb(text) ? [] : statedTraces(text)
    if (traces.length > 0) named ??= { ...bannerOnly(received), traces }
  })
  // A web server whose page is too slow even now is no other kind of service.
  return known ?? (page ? undefined : named)
}

/** The start page of a server that ignored it once, in less time than requests usually get. */
async function readSlowPage(text: string, endpoint: Endpoint, tools: IdentifyTools): Promise<Reading | undefined> {
  const signal = AbortSignal.any([tools.signal, AbortSignal.timeout(slowPageMs)])
  try {
    return await readWebServer(text, endpoint, { ...tools, signal })
  } catch {
    tools.signal.throwIfAborted()
    return undefined
  }
}

/** Some servers answer only the handshake of a WebSocket, and no other request. */
async function readWebSocket(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading | undefined> {
  const traces = await webSocketTraces(endpoint, tools)
  return traces && { ...silent, responded: true, protocol: 'websocket', banner: traces[0]?.text ?? '', traces }
}

/** The start page of a server that was busy with it before, such as a development server that compiles on demand, or a late greeting. */
async function readLate(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading | undefined> {
  const received = await exchange(endpoint, { request: webProbe(endpoint.hostname) }, tools, lateResponseMs)
  const text = received.toString('latin1')
  if (isWeb(text))
    return (await readWebServer(text, endpoint, tools)) ?? { ...bannerOnly(received), traces: responseTraces(text) }
  return received.length > 0 ? identifyByBanner(received, endpoint, tools) : undefined
}

/** HTTPS servers answer plaintext HTTP with a characteristic error. */
async function readWebServer(text: string, endpoint: Endpoint, tools: IdentifyTools): Promise<Reading | undefined> {
  const wantsTls = /^HTTP\/\d\S* 4\d\d/.test(text) && /plain http|https? (server|port)|ssl-enabled|tls/i.test(text)
  const encrypted = wantsTls ? await readTls(endpoint, tools) : undefined
  if (encrypted) return encrypted
  const page = await readPage(endpoint, tools, false)
  return page && { ...page, traces: [...page.traces, { field: 'nmap.getrequest', text }] }
}

async function recognize(
  received: Buffer,
  probe: Probe,
  endpoint: ProbeTarget,
  tools: IdentifyTools,
): Promise<Reading | undefined> {
  const text = received.toString('latin1')
  const isExpected = probe.responsePattern.test(text)
  if (isWeb(text) && !isExpected) return endpoint.isTls ? undefined : readWebServer(text, endpoint, tools)
  if (!isExpected) return undefined
  const { protocol, field, isBinary = false } = probe
  const read = probe.read?.(text) ?? text.trim()
  const traces = field === '' ? [] : [{ field, text: read }]
  const banner = isBinary ? printable(read, 4096) : printableBytes(received, 4096)
  const more = await runQueries(protocol, endpoint, tools)
  const upgraded = endpoint.isTls ? noCertificate : await upgradedCertificate(protocol, endpoint, tools)
  return {
    ...silent,
    banner,
    responded: true,
    protocol,
    traces: [...traces, ...more, ...upgraded.traces],
    ...upgraded.shown,
  }
}

async function identifyByBanner(
  received: Buffer,
  endpoint: Endpoint,
  tools: IdentifyTools,
  isTls = false,
): Promise<Reading> {
  const text = received.toString('latin1')
  const greeting = identifyBanner(text, endpoint.port)
  if (greeting?.protocol === 'http') return (await readPage(endpoint, tools, isTls)) ?? bannerOnly(received)
  if (greeting?.protocol === 'grpc' && !isTls && (await hasPageOverHttp2(endpoint, tools))) {
    const page = await readPage(endpoint, tools, false)
    if (page) return page
  }
  if (!greeting) {
    const console = isUnknownPrompt(text) && !isTls ? await readConsole(endpoint, tools) : undefined
    return console ?? { ...bannerOnly(received), traces: [{ field: 'nmap.null', text }, ...statedTraces(text)] }
  }
  const greeted = [
    ...(greeting.field === '' ? [] : [{ field: greeting.field, text: greeting.text }]),
    { field: 'nmap.null', text },
  ]
  const { protocol } = greeting
  if (protocol === 'telnet' && !isTls && isNegotiationOnly(received)) return readTelnet(received, endpoint, tools)
  const traces = [...greeted, ...(await runQueries(protocol, { ...endpoint, isTls }, tools))]
  const upgraded = isTls ? noCertificate : await upgradedCertificate(protocol, endpoint, tools)
  return { ...bannerOnly(received), protocol, traces: [...traces, ...upgraded.traces], ...upgraded.shown }
}

async function readTelnet(received: Buffer, endpoint: Endpoint, tools: IdentifyTools): Promise<Reading> {
  const text = await withConnection(endpoint, tools, negotiateTelnet, '')
  const greeting = [
    { field: 'telnet.banner', text: text.trim() },
    { field: 'nmap.null', text: received.toString('latin1') },
  ]
  const banner = text.trim() === '' ? printableBytes(received, 4096) : printable(text, 4096)
  return { ...bannerOnly(received), banner, protocol: 'telnet', traces: greeting }
}

/** Asks a service that only greets with a prompt for its commands. */
async function readConsole(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading | undefined> {
  const [probe] = probes.filter(({ protocol }) => protocol === 'command-console')
  return probe && recognize(await exchange(endpoint, probe, tools), probe, endpoint, tools)
}

/** Whether a server that speaks HTTP/2 without TLS has web pages, unlike those of gRPC. */
async function hasPageOverHttp2(endpoint: Endpoint, { http, signal }: IdentifyTools): Promise<boolean> {
  const request = { method: 'GET', path: '/' }
  const page = await http.request({ ...endpoint, tls: false }, request, { signal, protocol: 'h2' })
  if (page.kind === 'failure') return false
  const isGrpc = page.headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/grpc'))
  return !isGrpc && (page.status < 400 || page.status === 401 || page.status === 403 || page.status === 404)
}

/** The certificate of a service that supports STARTTLS. */
async function upgradedCertificate(protocol: string, endpoint: Endpoint, tools: IdentifyTools) {
  if (!supportsStartTls(protocol)) return noCertificate
  await tools.budget.take(endpoint.address, tools.signal)
  const certificate = await readStartTlsCertificate(protocol, endpoint, tools)
  return certificate ? { traces: certificateTraces(certificate), shown: { certificate } } : noCertificate
}
const noCertificate = { traces: [], shown: {} }

/**
 * Identifies the service inside TLS: waits for a banner on mail and directory ports, otherwise
 * sends HTTP.
 */
async function readTls(
  endpoint: Endpoint,
  tools: IdentifyTools,
  deadlineMs = tlsDeadlineMs,
): Promise<Reading | undefined> {
  await tools.budget.take(endpoint.address, tools.signal)
  const handshake = await tlsHandshake(endpoint.address, endpoint.port, {
    ...tools,
    hostname: endpoint.hostname,
    deadlineMs,
  })
  if (handshake.kind === 'failure') return undefined
  const { certificate, socket } = handshake
  const outer = { tls: true, responded: true, ...(certificate ? { certificate } : {}) }
  const shown = certificateTraces(certificate)
  let received: Buffer = Buffer.alloc(0)
  try {
    const isMail = /^(465|563|636|990|99[2-5]|6697)$/.test(String(endpoint.port))
    received = await connectionOver(socket, tools.signal).read({
      ...bannerReadOptions,
      firstByteMs: isMail ? bannerWaitMs : quietWaitMs,
    })
  } finally {
    socket.destroy()
  }
  const inner =
    received.length > 0
      ? await identifyByBanner(received, endpoint, tools, true)
      : ((await probeInsideTls(endpoint, tools)) ?? (await guessInsideTls(endpoint, tools)))
  return { ...(inner ?? silent), ...outer, traces: [...(inner?.traces ?? []), ...shown] }
}

/** Sends probes inside TLS on ports of protocols where the client speaks first. */
async function probeInsideTls(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading | undefined> {
  const inside = { ...endpoint, isTls: true }
  for (const probe of expectedInsideTls(endpoint)) {
    const known = await recognize(await exchange(inside, probe, tools), probe, inside, tools)
    if (known) return known
  }
  return undefined
}

async function guessInsideTls(endpoint: Endpoint, tools: IdentifyTools): Promise<Reading | undefined> {
  if (untouchedPorts.has(endpoint.port)) return undefined
  const page = await readPage(endpoint, tools, true)
  return page ?? guessProtocol(expectedInsideTls(endpoint), { ...endpoint, isTls: true }, tools)
}

function expectedInsideTls({ port }: Endpoint): readonly Probe[] {
  return probes.filter(({ tlsPorts: ports = [] }) => ports.includes(port))
}

async function readPage(endpoint: Endpoint, tools: IdentifyTools, tls: boolean): Promise<Reading | undefined> {
  const page = await readWeb({ ...endpoint, tls }, webTools(tools))
  if (!page) return undefined
  const { status, title, server, head, ...found } = page
  // A gRPC server answers each request for a page with an error of its own.
  if (/^grpc-status: /im.test(head)) return { ...silent, protocol: 'grpc', tls, banner: head, responded: true }
  const greeting =
    status === 400 || status === 426 ? await webSocketTraces({ ...endpoint, isTls: tls }, tools) : undefined
  const traces = [...found.traces, ...(greeting ?? [])]
  return { protocol: 'http', tls, banner: head, responded: true, http: { status, title, server }, ...found, traces }
}
