/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/**
 * Discovers UDP services. Sends only probes of known protocols, because UDP services ignore
 * anything else.
 */
import type { Budget } from '#budget.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import { sipOptions } from '#fingerprint/infrastructure-probes.ts'
import { bindingRequest, isBindingAnswer, softwareOf } from '#fingerprint/stun.ts'
import { identifyTechnologies } from '#fingerprint/technology.ts'
import { printableBytes } from '#fingerprint/text.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { exposedDatagramProbes } from '#exposed-datagrams.ts'
import type { Guard } from '#guard.ts'
import type { Identification } from '#identify.ts'
import { dnsQuery, localhostQuery, readAnswer, recordsOf, softwareByLocalhost, versionQuestion } from '#native/dns.ts'
import { bytes, hex } from '#wire.ts'
import { isRadiusAnswer, statusRequest } from '#native/radius.ts'
import { descriptionOf, engineOf, snmpDiscovery, snmpGet } from '#native/snmp.ts'
import { readVariables, servicesQuestion } from '#native/udp-checks.ts'
import { textsOf } from '#net/dns-message.ts'
import { queryUdp } from '#net/udp.ts'
import { forEachOf } from '#pool.ts'

interface DatagramProbe {
  readonly protocol: string
  readonly ports: readonly number[]
  /** Sent in order until one gets a response. */
  readonly requests: readonly (Uint8Array | (() => Uint8Array))[]
  readonly fromAnyPort?: boolean
  /** Waits once, for this long, where servers delay their response. */
  readonly onceMs?: number
  isAnswer(answer: Buffer): boolean
  traces?(answer: Buffer): readonly FingerprintText[]
  /** Sent once the protocol is known. */
  readonly followUps?: readonly FollowUp[]
}
interface FollowUp {
  readonly request: Uint8Array
  traces(answer: Buffer): readonly FingerprintText[]
}

const probes: readonly DatagramProbe[] = [
  {
    protocol: 'dns',
    ports: [53, 5300, 1053, 8053, 10053],
    // Some resolvers ignore questions of class CHAOS.
    requests: [dnsQuery(versionQuestion), localhostQuery],
    isAnswer: (response) => readAnswer(response) !== null,
    traces: (response) => [
      ...recordsOf(readAnswer(response)).flatMap((record) =>
        textsOf(record).map((text) => ({ field: 'dns.versionbind', text })),
      ),
      ...softwareByLocalhost(response).map((text) => ({ field: 'protocol.software', text })),
    ],
  },
  {
    protocol: 'snmp',
    ports: [161, 1161, 16161],
    requests: [snmpDiscovery, snmpGet(1, 'public')],
    isAnswer: (response) => response[0] === 0x30 && /\x02\x01[\x00\x01\x03]/.test(response.toString('latin1', 0, 12)),
    traces: (response) => [{ field: 'snmp.engine', text: engineOf(response) }],
    followUps: [
      {
        request: snmpGet(1, 'public'),
        traces: (response) => {
          const text = descriptionOf(response)
          return text === '' ? [] : [{ field: 'snmp.sys_description', text }]
        },
      },
    ],
  },
  {
    protocol: 'ntp',
    ports: [123],
    requests: [Buffer.concat([hex('e3000406'), Buffer.alloc(44)])],
    isAnswer: (response) => response.length >= 48 && ((response[0] ?? 0) & 7) === 4,
    followUps: [
      {
        request: readVariables,
        traces: (response) => [
          { field: 'ntp.readvar', text: response.subarray(12).toString('latin1').replaceAll('\r\n', ' ') },
        ],
      },
    ],
  },
  {
    // Requests a nonexistent file; every server returns an error.
    protocol: 'tftp',
    ports: [69, 6969],
    requests: [Buffer.concat([hex('0001'), bytes('glacis-no-such-file\0octet\0')])],
    fromAnyPort: true,
    isAnswer: (response) => response.length >= 4 && response[0] === 0 && (response[1] === 5 || response[1] === 3),
  },
  {
    protocol: 'memcached',
    ports: [11211],
    requests: [Buffer.concat([hex('4743 0000 0001 0000'), bytes('version\r\n')])],
    isAnswer: (response) => /^GC[\s\S]{6}VERSION /.test(response.toString('latin1', 0, 40)),
    traces: (response) => [{ field: 'memcached.version', text: response.toString('latin1', 8).trim() }],
  },
  {
    protocol: 'mdns',
    ports: [5353],
    requests: [servicesQuestion],
    isAnswer: (response) => response.length > 12 && ((response[2] ?? 0) & 0x80) !== 0,
  },
  {
    protocol: 'sip',
    ports: [5060, 5080],
    requests: [sipOptions('UDP')],
    isAnswer: (response) => response.toString('latin1', 0, 8) === 'SIP/2.0 ',
    traces: (response) => {
      const text = response.toString('latin1')
      return ['server', 'user-agent'].flatMap((name) => {
        const value = new RegExp(`^${name}:\\s*([^\\r\\n]{1,200})`, 'im').exec(text)?.[1]
        // FreeSWITCH and many phones name themselves in User-Agent in responses, too.
        const fields = new Set(['sip_header.server', `sip_header.${name.replace('-', '_')}`])
        return value === undefined ? [] : [...fields].map((field) => ({ field, text: value }))
      })
    },
  },
  {
    protocol: 'stun',
    ports: [3478],
    requests: [bindingRequest],
    isAnswer: isBindingAnswer,
    traces: (response) => [{ field: 'stun.software', text: softwareOf(response) }],
  },
  {
    // Servers only answer clients that share a secret with them; this request uses the common default.
    protocol: 'radius',
    ports: [1812, 1813],
    requests: [statusRequest],
    isAnswer: isRadiusAnswer,
  },
  ...exposedDatagramProbes,
]

const waitMs = 500

export interface DatagramTools {
  readonly guard: Guard
  readonly budget: Budget
  readonly fingerprints: Fingerprints
  readonly signal: AbortSignal
}

/**
 * Services of a host that responded over UDP.
 *
 * @param ports ports to probe, limited to those with a known protocol; absent: each protocol's
 * default ports
 * @throws only when the signal aborts, with its reason
 */
export async function findDatagramServices(
  address: string,
  ports: readonly number[] | undefined,
  tools: DatagramTools,
): Promise<readonly Identification[]> {
  const portFilter = ports && new Set(ports)
  const questions = probes.flatMap((probe) => probe.ports.map((port) => ({ probe, port })))
  const identifications: Identification[] = []
  const applicable = questions.filter(
    ({ port }) => (portFilter?.has(port) ?? true) && tools.guard.denialReason(address, port) === null,
  )
  await forEachOf(applicable, applicable.length, async ({ probe, port }) => {
    const response = await sendProbe(address, port, probe, tools)
    if (!response) return
    const more = await sendFollowUps(address, port, probe, tools)
    identifications.push(identificationOf(address, port, probe, response, more, tools.fingerprints))
  })
  return identifications.toSorted((a, b) => a.service.port - b.service.port)
}

async function sendProbe(
  address: string,
  port: number,
  { requests, fromAnyPort = false, onceMs, isAnswer }: DatagramProbe,
  { guard, budget, signal }: DatagramTools,
): Promise<Buffer | undefined> {
  for (const request of requests) {
    await budget.take(address, signal)
    const message = typeof request === 'function' ? request() : request
    const patience = onceMs === undefined ? { waitMs } : { waitMs: onceMs, tries: 1 }
    const received = await queryUdp(address, port, message, { guard, signal, fromAnyPort, ...patience })
    if (received.kind === 'answer') return isAnswer(received.bytes) ? received.bytes : undefined
    if (received.kind === 'closed') return undefined
  }
  return undefined
}

async function sendFollowUps(
  address: string,
  port: number,
  { followUps = [] }: DatagramProbe,
  { guard, budget, signal }: DatagramTools,
): Promise<readonly FingerprintText[]> {
  const traces: FingerprintText[] = []
  for (const { request, traces: read } of followUps) {
    await budget.take(address, signal)
    const received = await queryUdp(address, port, request, { guard, signal, waitMs, tries: 1 })
    if (received.kind === 'answer') traces.push(...read(received.bytes))
  }
  return traces
}

function identificationOf(
  address: string,
  port: number,
  probe: DatagramProbe,
  response: Buffer,
  more: readonly FingerprintText[],
  fingerprints: Fingerprints,
): Identification {
  const traces = [...(probe.traces?.(response) ?? []), ...more]
  const endpoint = { address, port, transport: 'udp' } as const
  return {
    service: {
      kind: 'service',
      ...endpoint,
      protocol: probe.protocol,
      tls: false,
      banner: printableBytes(response, 4096),
    },
    technologies: identifyTechnologies(traces, endpoint, fingerprints),
    responded: true,
  }
}
