import type { Observation } from '@glacis/contract/runner'
import { conversations } from '#fingerprint/answer.ts'
import { fragilePorts, greetingOf, tlsPorts, untouchedPorts } from '#fingerprint/greeting.ts'
import { certificateBehind, certificateTraces, shownCertificate } from '#fingerprint/certificate.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import { giveaways, probes, webProbe } from '#fingerprint/probe.ts'
import type { Probe } from '#fingerprint/probe.ts'
import { recognise } from '#fingerprint/technology.ts'
import type { Technology } from '#fingerprint/technology.ts'
import { printable, printableBytes } from '#fingerprint/text.ts'
import { readWeb } from '#fingerprint/web.ts'
import type { Trace } from '#fingerprint/web.ts'
import { greetingPatience, greetingWaitMs, listen, onLine, quietWaitMs, say } from '#fingerprint/line.ts'
import type { LineTools, Place, Way } from '#fingerprint/line.ts'
import type { HttpClient } from '#net/http.ts'
import { lineOver } from '#net/tcp.ts'
import { upgradable } from '#native/starttls.ts'
import { shakeHands } from '#net/tls.ts'
import type { Certificate } from '#net/tls.ts'

export type Service = Extract<Observation, { kind: 'service' }>

/** What one open port turned out to be. */
export interface Identification {
  readonly service: Service
  readonly technologies: readonly Technology[]
  /** The service said something, in whatever language. */
  readonly spoke: boolean
}
export interface IdentifyTools extends LineTools {
  readonly http: HttpClient
  readonly fingerprints: Fingerprints
  /** Paths that fingerprints want to see on web servers. */
  readonly webPaths: readonly string[]
}
/** What was learnt of a port so far. */
interface Reading {
  readonly protocol: string
  readonly tls: boolean
  readonly banner: string
  readonly traces: readonly Trace[]
  readonly spoke: boolean
  readonly certificate?: Certificate
  readonly http?: { status: number; title: string; server: string }
}

const probesMax = 4
const silent: Reading = { protocol: '', tls: false, banner: '', traces: [], spoke: false }

/**
 * Finds out what listens on an open port: it is first listened to, because who speaks first punishes
 * early talkers, and then asked at most four questions, the likeliest first. TLS is looked into.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function identifyPort(place: Place, tools: IdentifyTools): Promise<Identification> {
  const reading = await read(place, tools)
  const { address, port } = place
  const technologies = recognise(reading.traces, { address, port, transport: 'tcp' }, tools.fingerprints)
  return { service: serviceOf(place, reading), technologies, spoke: reading.spoke }
}

async function read(place: Place, tools: IdentifyTools): Promise<Reading> {
  if (untouchedPorts.has(place.port)) return silent
  const isTls = tlsPorts.has(place.port)
  const heard = isTls ? Buffer.alloc(0) : await listen(place, tools)
  if (heard.length > 0) return withGreeting(heard, place, tools)
  const encrypted = isTls ? await readTls(place, tools) : undefined
  if (encrypted) return encrypted
  if (fragilePorts.has(place.port)) return (await readPage(place, tools, false)) ?? silent
  return question(place, tools, !isTls)
}

/** Asks until something is recognised; what was heard last is kept as the banner otherwise. */
async function question(place: Place, tools: IdentifyTools, mayBeTls: boolean): Promise<Reading> {
  const expected = probes.filter(({ ports }) => ports.includes(place.port))
  let heard: Buffer = Buffer.alloc(0)
  let left = probesMax
  for (const probe of expected) {
    left--
    heard = longer(await say(place, probe.say, tools), heard)
    const known = await recognised(heard, probe, place, tools)
    if (known) return known
  }
  const answer = left > 0 ? await say(place, webProbe(place.hostname), tools) : Buffer.alloc(0)
  const text = answer.toString('latin1')
  if (isWeb(text)) return (await web(text, place, tools)) ?? bannerOnly(answer)
  if (mayBeTls && (answer.length === 0 || isTlsAlert(answer))) {
    const encrypted = await readTls(place, tools)
    if (encrypted) return encrypted
  }
  const hint = giveaways.find(([pattern]) => pattern.test(text))?.[1]
  for (const probe of probes.filter(({ protocol, ports }) => protocol === hint && !ports.includes(place.port))) {
    const known = await recognised(await say(place, probe.say, tools), probe, place, tools)
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

/** An answer of TLS to what is not TLS: an alert record. */
function isTlsAlert(answer: Buffer): boolean {
  return answer[0] === 0x15 && answer[1] === 3
}

/** A server for https tells those who forget to encrypt so. */
async function web(text: string, place: Place, tools: IdentifyTools): Promise<Reading | undefined> {
  const wantsTls = /^HTTP\/\d\S* 4\d\d/.test(text) && /plain http|https? (server|port)|ssl-enabled|tls/i.test(text)
  return (wantsTls ? await readTls(place, tools) : undefined) ?? readPage(place, tools, false)
}

async function recognised(heard: Buffer, probe: Probe, place: Way, tools: IdentifyTools): Promise<Reading | undefined> {
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

async function converse(protocol: string, place: Way, tools: IdentifyTools): Promise<readonly Trace[]> {
  const traces: Trace[] = []
  for (const conversation of conversations[protocol] ?? []) {
    traces.push(...(await onLine(place, tools, conversation, [])))
  }
  return traces
}

async function withGreeting(heard: Buffer, place: Place, tools: IdentifyTools, isTls = false): Promise<Reading> {
  const text = heard.toString('latin1')
  const greeting = greetingOf(text, place.port)
  if (greeting?.protocol === 'http') return (await readPage(place, tools, false)) ?? bannerOnly(heard)
  if (!greeting) return bannerOnly(heard)
  const greeted = greeting.field === '' ? [] : [{ field: greeting.field, text: greeting.text }]
  const { protocol } = greeting
  const traces = [...greeted, ...(await converse(protocol, { ...place, isTls }, tools))]
  const behind = isTls ? nothingBehind : await upgradedCertificate(protocol, place, tools)
  return { ...bannerOnly(heard), protocol, traces: [...traces, ...behind.traces], ...behind.shown }
}

/** The certificate of a service that changes to TLS when it is asked to. */
async function upgradedCertificate(protocol: string, place: Place, tools: IdentifyTools) {
  if (!upgradable(protocol)) return nothingBehind
  await tools.budget.take(place.address, tools.signal)
  const certificate = await certificateBehind(protocol, place, tools)
  return certificate ? { traces: certificateTraces(certificate), shown: { certificate } } : nothingBehind
}
const nothingBehind = { traces: [], shown: {} }

/** Looks inside TLS: a greeting where mail and directories are kept, the web otherwise. */
async function readTls(place: Place, tools: IdentifyTools): Promise<Reading | undefined> {
  await tools.budget.take(place.address, tools.signal)
  const shaken = await shakeHands(place.address, place.port, { ...tools, hostname: place.hostname })
  if (shaken.kind === 'failure') return undefined
  const { certificate, socket } = shaken
  const outer = { tls: true, spoke: true, ...(certificate ? { certificate } : {}) }
  const shown = certificateTraces(certificate)
  let heard: Buffer = Buffer.alloc(0)
  try {
    const isMail = /^(465|563|636|990|99[2-5]|6697)$/.test(String(place.port))
    heard = await lineOver(socket, tools.signal).read({
      ...greetingPatience,
      firstByteMs: isMail ? greetingWaitMs : quietWaitMs,
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

/** Asks inside TLS where a protocol that waits to be asked has a port for it. */
async function askInside(place: Place, tools: IdentifyTools): Promise<Reading | undefined> {
  const inside = { ...place, isTls: true }
  for (const probe of probes.filter(({ tlsPorts: ports = [] }) => ports.includes(place.port))) {
    const known = await recognised(await say(inside, probe.say, tools), probe, inside, tools)
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
    ...(certificate ? { certificate: shownCertificate(certificate) } : {}),
    ...(http ? { http } : {}),
  }
}
