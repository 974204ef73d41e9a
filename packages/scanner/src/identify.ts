import type { Observation } from '@glacis/contract/runner'
import { protocolQueries } from '#fingerprint/protocol-queries.ts'
import { fragilePorts, identifyBanner, tlsPorts, untouchedPorts } from '#fingerprint/banner.ts'
import { readStartTlsCertificate, certificateTraces, reportedCertificate } from '#fingerprint/certificate.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import { httpResponseProtocols, probes, webProbe } from '#fingerprint/probes.ts'
import type { Probe } from '#fingerprint/probe.ts'
import { identifyTechnologies, type Technology } from '#fingerprint/technology.ts'
import { printable, printableBytes } from '#fingerprint/text.ts'
import { readWeb } from '#fingerprint/web.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import {
  bannerReadOptions,
  bannerWaitMs,
  readInitialBanner,
  withConnection,
  quietWaitMs,
  exchange,
  type ConnectionTools,
  type Place,
  type ProbeTarget,
} from '#fingerprint/connection.ts'
import type { HttpClient } from '#net/http.ts'
import { connectionOver } from '#net/tcp.ts'
import { startTlsProtocols } from '#native/starttls.ts'
import { tlsHandshake, type Certificate } from '#net/tls.ts'

export type Service = Extract<Observation, { kind: 'service' }>

/** Identification result of one open port. */
export interface Identification {
  readonly service: Service
  readonly technologies: readonly Technology[]
  /** The service sent data in any protocol. */
  readonly spoke: boolean
}
export interface IdentifyTools extends ConnectionTools {
  readonly http: HttpClient
  readonly fingerprints: Fingerprints
  /** Paths that fingerprints need from web servers. */
  readonly webPaths: readonly string[]
}
/** Findings about a port so far. */
interface Reading {
  readonly protocol: string
  readonly tls: boolean
  readonly banner: string
  readonly traces: readonly FingerprintText[]
  readonly spoke: boolean
  readonly certificate?: Certificate
  readonly http?: { status: number; title: string; server: string }
}

const probesMax = 4
const silent: Reading = { protocol: '', tls: false, banner: '', traces: [], spoke: false }

/**
 * Identifies the service on an open port. Waits for a banner first, because some servers reject
 * clients that speak early, then sends at most four probes, most likely first. Looks inside TLS.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function identifyPort(place: Place, tools: IdentifyTools): Promise<Identification> {
  const reading = await read(place, tools)
  const { address, port } = place
  const technologies = identifyTechnologies(reading.traces, { address, port, transport: 'tcp' }, tools.fingerprints)
  return { service: serviceOf(place, reading), technologies, spoke: reading.spoke }
}

async function read(place: Place, tools: IdentifyTools): Promise<Reading> {
  if (untouchedPorts.has(place.port)) return silent
  const isTls = tlsPorts.has(place.port)
  const heard = isTls ? Buffer.alloc(0) : await readInitialBanner(place, tools)
  if (heard.length > 0) return withGreeting(heard, place, tools)
  const encrypted = isTls ? await readTls(place, tools) : undefined
  if (encrypted) return encrypted
  if (fragilePorts.has(place.port)) return (await readPage(place, tools, false)) ?? silent
  return question(place, tools, !isTls)
}

/** Sends probes until one is recognized; otherwise the last response becomes the banner. */
async function question(place: Place, tools: IdentifyTools, mayBeTls: boolean): Promise<Reading> {
  const expected = probes.filter(({ ports }) => ports.includes(place.port))
  let heard: Buffer = Buffer.alloc(0)
  let left = probesMax
  for (const probe of expected) {
    left--
    heard = longer(await exchange(place, probe.say, tools), heard)
    const known = await recognised(heard, probe, place, tools)
    if (known) return known
  }
  const answer = left > 0 ? await exchange(place, webProbe(place.hostname), tools) : Buffer.alloc(0)
  const text = answer.toString('latin1')
  if (isWeb(text)) return (await web(text, place, tools)) ?? bannerOnly(answer)
  if (mayBeTls && (answer.length === 0 || isTlsAlert(answer))) {
    const encrypted = await readTls(place, tools)
    if (encrypted) return encrypted
  }
  const hint = httpResponseProtocols.find(([pattern]) => pattern.test(text))?.[1]
  for (const probe of probes.filter(({ protocol, ports }) => protocol === hint && !ports.includes(place.port))) {
    const known = await recognised(await exchange(place, probe.say, tools), probe, place, tools)
    if (known) return known
  }
  return bannerOnly(longer(answer, heard))
}

function longer(one: Buffer, other: Buffer): Buffer {
  return one.length >= other.length ? one : other
}

function isWeb(text: string): boolean {
  return /^HTTP\/\d/.test(text)
}

/** A TLS alert in response to plaintext. */
function isTlsAlert(answer: Buffer): boolean {
  return answer[0] === 0x15 && answer[1] === 3
}

/** HTTPS servers answer plaintext HTTP with a characteristic error. */
async function web(text: string, place: Place, tools: IdentifyTools): Promise<Reading | undefined> {
  const wantsTls = /^HTTP\/\d\S* 4\d\d/.test(text) && /plain http|https? (server|port)|ssl-enabled|tls/i.test(text)
  return (wantsTls ? await readTls(place, tools) : undefined) ?? readPage(place, tools, false)
}

async function recognised(
  heard: Buffer,
  probe: Probe,
  place: ProbeTarget,
  tools: IdentifyTools,
): Promise<Reading | undefined> {
  const text = heard.toString('latin1')
  if (isWeb(text)) return place.isTls ? undefined : web(text, place, tools)
  if (!probe.answer.test(text)) return undefined
  const { protocol, field, isBinary = false } = probe
  const read = probe.read?.(text) ?? text.trim()
  const traces = field === '' ? [] : [{ field, text: read }]
  const banner = isBinary ? printable(read, 4096) : printableBytes(heard, 4096)
  const more = await converse(protocol, place, tools)
  const behind = place.isTls ? nothingBehind : await upgradedCertificate(protocol, place, tools)
  return { ...silent, banner, spoke: true, protocol, traces: [...traces, ...more, ...behind.traces], ...behind.shown }
}

function bannerOnly(heard: Buffer): Reading {
  return { ...silent, banner: printableBytes(heard, 4096), spoke: heard.length > 0 }
}

async function converse(
  protocol: string,
  place: ProbeTarget,
  tools: IdentifyTools,
): Promise<readonly FingerprintText[]> {
  const traces: FingerprintText[] = []
  for (const conversation of protocolQueries[protocol] ?? []) {
    traces.push(...(await withConnection(place, tools, conversation, [])))
  }
  return traces
}

async function withGreeting(heard: Buffer, place: Place, tools: IdentifyTools, isTls = false): Promise<Reading> {
  const text = heard.toString('latin1')
  const greeting = identifyBanner(text, place.port)
  if (greeting?.protocol === 'http') return (await readPage(place, tools, false)) ?? bannerOnly(heard)
  if (!greeting) return bannerOnly(heard)
  const greeted = greeting.field === '' ? [] : [{ field: greeting.field, text: greeting.text }]
  const { protocol } = greeting
  const traces = [...greeted, ...(await converse(protocol, { ...place, isTls }, tools))]
  const behind = isTls ? nothingBehind : await upgradedCertificate(protocol, place, tools)
  return { ...bannerOnly(heard), protocol, traces: [...traces, ...behind.traces], ...behind.shown }
}

/** The certificate of a service that supports STARTTLS. */
async function upgradedCertificate(protocol: string, place: Place, tools: IdentifyTools) {
  if (!startTlsProtocols(protocol)) return nothingBehind
  await tools.budget.take(place.address, tools.signal)
  const certificate = await readStartTlsCertificate(protocol, place, tools)
  return certificate ? { traces: certificateTraces(certificate), shown: { certificate } } : nothingBehind
}
const nothingBehind = { traces: [], shown: {} }

/**
 * Identifies the service inside TLS: waits for a banner on mail and directory ports, otherwise
 * sends HTTP.
 */
async function readTls(place: Place, tools: IdentifyTools): Promise<Reading | undefined> {
  await tools.budget.take(place.address, tools.signal)
  const shaken = await tlsHandshake(place.address, place.port, { ...tools, hostname: place.hostname })
  if (shaken.kind === 'failure') return undefined
  const { certificate, socket } = shaken
  const outer = { tls: true, spoke: true, ...(certificate ? { certificate } : {}) }
  const shown = certificateTraces(certificate)
  let heard: Buffer = Buffer.alloc(0)
  try {
    const isMail = /^(465|563|636|990|99[2-5]|6697)$/.test(String(place.port))
    heard = await connectionOver(socket, tools.signal).read({
      ...bannerReadOptions,
      firstByteMs: isMail ? bannerWaitMs : quietWaitMs,
    })
  } finally {
    socket.destroy()
  }
  const inner =
    heard.length > 0
      ? await withGreeting(heard, place, tools, true)
      : ((await askInside(place, tools)) ?? (await readPage(place, tools, true)))
  return { ...(inner ?? silent), ...outer, traces: [...(inner?.traces ?? []), ...shown] }
}

/** Sends probes inside TLS on ports of protocols where the client speaks first. */
async function askInside(place: Place, tools: IdentifyTools): Promise<Reading | undefined> {
  const inside = { ...place, isTls: true }
  for (const probe of probes.filter(({ tlsPorts: ports = [] }) => ports.includes(place.port))) {
    const known = await recognised(await exchange(inside, probe.say, tools), probe, inside, tools)
    if (known) return known
  }
  return undefined
}

async function readPage(place: Place, tools: IdentifyTools, tls: boolean): Promise<Reading | undefined> {
  const page = await readWeb({ ...place, tls }, { http: tools.http, signal: tools.signal, paths: tools.webPaths })
  if (!page) return undefined
  const { status, title, server, head, traces } = page
  return { protocol: 'http', tls, banner: head, traces, spoke: true, http: { status, title, server } }
}

function serviceOf({ address, port }: Place, reading: Reading): Service {
  const { protocol, tls, banner, certificate, http } = reading
  return {
    kind: 'service',
    address,
    port,
    transport: 'tcp',
    protocol,
    tls,
    banner: banner.slice(0, 4096),
    ...(certificate ? { certificate: reportedCertificate(certificate) } : {}),
    ...(http ? { http } : {}),
  }
}
