/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Finds services that answer by UDP. Only questions of known protocols are sent: silence is what UDP says to anything else. */
import type { Budget } from '#budget.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import { sipOptions } from '#fingerprint/probe-infrastructure.ts'
import { bindingRequest, isBindingAnswer, softwareOf } from '#fingerprint/stun.ts'
import { recognise } from '#fingerprint/technology.ts'
import { printableBytes } from '#fingerprint/text.ts'
import type { Trace } from '#fingerprint/web.ts'
import type { Guard } from '#guard.ts'
import type { Identification } from '#identify.ts'
import { dnsQuestion, classes, readDns, textOf, types } from '#native/dns-message.ts'
import { bytes, hex } from '#native/native.ts'
import { descriptionOf, readVariables, servicesQuestion, snmpGet } from '#native/udp-subjects.ts'
import { askUdp } from '#net/udp.ts'
import { forEachOf } from '#pool.ts'

interface DatagramProbe {
  readonly protocol: string
  readonly ports: readonly number[]
  /** One after the other until one is answered. */
  readonly say: readonly Uint8Array[]
  readonly fromAnyPort?: boolean
  isAnswer(answer: Buffer): boolean
  traces?(answer: Buffer): readonly Trace[]
  /** Asked once the protocol is known. */
  readonly more?: readonly FurtherQuestion[]
}
interface FurtherQuestion {
  readonly say: Uint8Array
  traces(answer: Buffer): readonly Trace[]
}

/** SNMP 3 discovery (RFC 3414, 4): answered without any name, with the maker's number in the engine's id. */
const snmpDiscovery = hex(
  '303a 020103 300f 02024743 020300ffe3 040104 020103 0410 300e 0400 020100 020100 0400 0400 0400 3012 0400 0400 a00c 02024743 020100 020100 3000',
)

const probes: readonly DatagramProbe[] = [
  {
    protocol: 'dns',
    ports: [53, 5300],
    say: [dnsQuestion('version.bind', types.TXT, { kind: classes.CHAOS })],
    isAnswer: (answer) => readDns(answer) !== null,
    traces: (answer) =>
      (readDns(answer)?.records ?? [])
        .filter(({ type }) => type === types.TXT)
        .map((record) => ({ field: 'dns.versionbind', text: textOf(record) })),
  },
  {
    protocol: 'snmp',
    ports: [161],
    say: [snmpDiscovery, snmpGet(1, 'public')],
    isAnswer: (answer) => answer[0] === 0x30 && /\x02\x01[\x00\x01\x03]/.test(answer.toString('latin1', 0, 12)),
    traces: (answer) => [{ field: 'snmp.engine', text: engineOf(answer) }],
    more: [
      {
        say: snmpGet(1, 'public'),
        traces: (answer) => {
          const text = descriptionOf(answer)
          return text === '' ? [] : [{ field: 'snmp.sys_description', text }]
        },
      },
    ],
  },
  {
    protocol: 'ntp',
    ports: [123],
    say: [Buffer.concat([hex('e3000406'), Buffer.alloc(44)])],
    isAnswer: (answer) => answer.length >= 48 && ((answer[0] ?? 0) & 7) === 4,
    more: [
      {
        say: readVariables,
        traces: (answer) => [
          { field: 'ntp.readvar', text: answer.subarray(12).toString('latin1').replaceAll('\r\n', ' ') },
        ],
      },
    ],
  },
  {
    // A name that no server has: any server answers that it has not.
    protocol: 'tftp',
    ports: [69],
    say: [Buffer.concat([hex('0001'), bytes('glacis-no-such-file\0octet\0')])],
    fromAnyPort: true,
    isAnswer: (answer) => answer.length >= 4 && answer[0] === 0 && (answer[1] === 5 || answer[1] === 3),
  },
  {
    protocol: 'memcached',
    ports: [11211],
    say: [Buffer.concat([hex('4743 0000 0001 0000'), bytes('version\r\n')])],
    isAnswer: (answer) => /^GC[\s\S]{6}VERSION /.test(answer.toString('latin1', 0, 40)),
    traces: (answer) => [{ field: 'memcached.version', text: answer.toString('latin1', 8).trim() }],
  },
  {
    protocol: 'mdns',
    ports: [5353],
    say: [servicesQuestion],
    isAnswer: (answer) => answer.length > 12 && ((answer[2] ?? 0) & 0x80) !== 0,
  },
  {
    protocol: 'sip',
    ports: [5060],
    say: [sipOptions('UDP')],
    isAnswer: (answer) => answer.toString('latin1', 0, 8) === 'SIP/2.0 ',
    traces: (answer) => {
      const text = answer.toString('latin1')
      return ['server', 'user-agent'].flatMap((name) => {
        const value = new RegExp(`^${name}:\\s*([^\\r\\n]{1,200})`, 'im').exec(text)?.[1]
        return value === undefined ? [] : [{ field: `sip_header.${name.replace('-', '_')}`, text: value }]
      })
    },
  },
  {
    protocol: 'stun',
    ports: [3478],
    say: [bindingRequest],
    isAnswer: isBindingAnswer,
    traces: (answer) => [{ field: 'stun.software', text: softwareOf(answer) }],
  },
]

const waitMs = 700

export interface DatagramTools {
  readonly guard: Guard
  readonly budget: Budget
  readonly fingerprints: Fingerprints
  readonly signal: AbortSignal
}

/**
 * The services of a host that answered by UDP.
 *
 * @param ports those to ask, of the ones that have a protocol; absent: each protocol's own
 * @throws only when the signal aborts, with its reason
 */
export async function findDatagramServices(
  address: string,
  ports: readonly number[] | undefined,
  tools: DatagramTools,
): Promise<readonly Identification[]> {
  const wanted = ports && new Set(ports)
  const questions = probes.flatMap((probe) => probe.ports.map((port) => ({ probe, port })))
  const found: Identification[] = []
  const asked = questions.filter(
    ({ port }) => (wanted?.has(port) ?? true) && tools.guard.refusal(address, port) === null,
  )
  await forEachOf(asked, asked.length, async ({ probe, port }) => {
    const answer = await askProbe(address, port, probe, tools)
    if (!answer) return
    const more = await askMore(address, port, probe, tools)
    found.push(identificationOf(address, port, probe, answer, more, tools.fingerprints))
  })
  return found.toSorted((a, b) => a.service.port - b.service.port)
}

async function askProbe(
  address: string,
  port: number,
  { say, fromAnyPort = false, isAnswer }: DatagramProbe,
  { guard, budget, signal }: DatagramTools,
): Promise<Buffer | undefined> {
  for (const question of say) {
    await budget.take(address, signal)
    const heard = await askUdp(address, port, question, { guard, signal, waitMs, fromAnyPort })
    if (heard.kind === 'answer') return isAnswer(heard.bytes) ? heard.bytes : undefined
    if (heard.kind === 'closed') return undefined
  }
  return undefined
}

async function askMore(
  address: string,
  port: number,
  { more = [] }: DatagramProbe,
  { guard, budget, signal }: DatagramTools,
): Promise<readonly Trace[]> {
  const traces: Trace[] = []
  for (const { say, traces: read } of more) {
    await budget.take(address, signal)
    const heard = await askUdp(address, port, say, { guard, signal, waitMs, tries: 1 })
    if (heard.kind === 'answer') traces.push(...read(heard.bytes))
  }
  return traces
}

function identificationOf(
  address: string,
  port: number,
  probe: DatagramProbe,
  answer: Buffer,
  more: readonly Trace[],
  fingerprints: Fingerprints,
): Identification {
  const traces = [...(probe.traces?.(answer) ?? []), ...more]
  const place = { address, port, transport: 'udp' } as const
  return {
    service: { kind: 'service', ...place, protocol: probe.protocol, tls: false, banner: printableBytes(answer, 4096) },
    technologies: recognise(traces, place, fingerprints),
    spoke: true,
  }
}

/** The maker's number of an SNMP engine (RFC 3411, SnmpEngineID); empty where none was told. */
function engineOf(answer: Buffer): string {
  const [, number = ''] = /\x04[\x05-\x20](\x80[\s\S]{3})/.exec(answer.toString('latin1')) ?? []
  return number === '' ? 'unknown' : `enterprise ${Buffer.from(number, 'latin1').readUInt32BE(0) & 0x7fffffff}`
}
