/** The TCP side of templates. */
import type { Guard } from '#guard.ts'
import type { Origin } from '#net/http.ts'
import { dial, lineOver, type Line } from '#net/tcp.ts'
import { shakeHands } from '#net/tls.ts'
import type { Lookup } from '#template/dsl.ts'
import { toBytes } from '#template/dsl-value.ts'
import type { Answer, NetworkBlock, Template } from '#template/template.ts'
import { fillBytes } from '#template/variables.ts'

const FIRST_BYTE_MS = 3_000
const SILENCE_MS = 300
const READING_MS = 5_000

export type NetworkReading =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly request: string; readonly received: Buffer }
  | { readonly kind: 'inconclusive'; readonly reason: string }

/** Whether a block has business with a service: by the protocol that was identified, else by the port. */
export function concerns(
  template: Template,
  block: NetworkBlock,
  service: { port: number; protocol: string; tls: boolean },
): boolean {
  const { protocols } = template
  if (!block.hosts.some((host) => host.tls === service.tls) && service.tls !== true) return false
  if (service.protocol !== '' && protocols.length > 0) return protocols.includes(service.protocol)
  return block.ports.includes(service.port) || block.hosts.some((host) => host.port === service.port)
}

/**
 * Carries out a block on a service. A silent port, one that closes at once and every transport error
 * are inconclusive, whatever the matchers are.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function askNetwork(
  block: NetworkBlock,
  origin: Origin,
  lookup: Lookup,
  options: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<NetworkReading> {
  const sends = block.inputs.map((input) => bytesOf(input.data, input.isHex, lookup))
  if (sends.some((send) => send === null)) return { kind: 'inconclusive', reason: 'a placeholder has no value' }
  const opened = await open(origin, options)
  if (typeof opened === 'string') return { kind: 'inconclusive', reason: opened }
  const reads = await converse(opened, block, sends).finally(() => opened.close())
  if (reads.every((read) => read.length === 0)) return { kind: 'inconclusive', reason: 'the service said nothing' }
  const received = Buffer.concat(reads)
  const request = Buffer.concat(sends.flatMap((send) => send ?? [])).toString('latin1')
  const named = new Map(block.inputs.map((input, at) => [input.name, reads[at]?.toString('latin1') ?? '']))
  const whole = received.toString('latin1')
  const values = new Map([
    ...named,
    ...['data', 'body', 'response', 'raw'].map((name): [string, string] => [name, whole]),
    ['request', request],
    ['host', toBytes(origin.hostname)],
  ])
  values.delete('')
  return {
    kind: 'answer',
    request,
    received,
    answer: { defaultPart: 'data', get: (name) => values.get(name) ?? lookup(name) },
  }
}

/** A line to the service, through TLS where it speaks that, or why there is none. */
async function open(
  origin: Origin,
  options: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<Line | string> {
  const { address, port, hostname } = origin
  if (origin.tls) {
    const shaken = await shakeHands(address, port, { ...options, hostname })
    return shaken.kind === 'handshake' ? lineOver(shaken.socket, options.signal) : shaken.reason
  }
  const dialled = await dial(address, port, options)
  if (dialled.kind === 'open') return dialled.line
  return dialled.kind === 'unknown' ? dialled.reason : `the port is ${dialled.kind}`
}

/** Sends each input and reads what the block asks for; the last reading takes the rest. */
async function converse(line: Line, block: NetworkBlock, sends: readonly (Buffer | null)[]): Promise<Buffer[]> {
  const reads: Buffer[] = []
  for (const [at, input] of block.inputs.entries()) {
    const send = sends[at]
    if (send && send.length > 0) line.write(send)
    reads.push(input.readBytesMax === null ? Buffer.alloc(0) : await read(line, input.readBytesMax, reads))
  }
  reads.push(await read(line, block.readBytesMax, reads))
  return reads
}

/** A service that has spoken before is not waited for as long as one that has not. */
function read(line: Line, bytesMax: number, before: readonly Buffer[]): Promise<Buffer> {
  const hasSpoken = before.some((one) => one.length > 0)
  return line.read({
    firstByteMs: hasSpoken ? SILENCE_MS : FIRST_BYTE_MS,
    idleMs: SILENCE_MS,
    totalMs: READING_MS,
    bytesMax,
  })
}

function bytesOf(data: string, isHex: boolean, lookup: Lookup): Buffer | null {
  const filled = fillBytes(data, lookup)
  if (filled === null) return null
  if (!isHex) return Buffer.from(filled, 'latin1')
  const hex = filled.replace(/\s/g, '')
  return /^([\da-f]{2})*$/i.test(hex) ? Buffer.from(hex, 'hex') : null
}
