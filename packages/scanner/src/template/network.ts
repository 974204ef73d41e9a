/** The TCP side of templates. */
import type { Guard } from '#guard.ts'
import { converse } from '#net/dialogue.ts'
import type { Origin } from '#net/http.ts'
import type { Lookup } from '#template/dsl.ts'
import { toBytes } from '#template/dsl-value.ts'
import type { Answer, NetworkBlock, Template } from '#template/template.ts'
import { fillIn } from '#template/variables.ts'

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
  const turns = block.inputs.map((input, at) => ({
    send: sends[at] ?? Buffer.alloc(0),
    readBytesMax: input.readBytesMax,
  }))
  const last = { send: Buffer.alloc(0), readBytesMax: block.readBytesMax }
  const heard = await converse(origin, [...turns, last], options)
  if (heard.kind === 'failure') return { kind: 'inconclusive', reason: heard.reason }
  const received = Buffer.concat(heard.reads)
  const request = Buffer.concat(sends.flatMap((send) => send ?? [])).toString('latin1')
  const named = new Map(block.inputs.map((input, at) => [input.name, heard.reads[at]?.toString('latin1') ?? '']))
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

function bytesOf(data: string, isHex: boolean, lookup: Lookup): Buffer | null {
  const filled = fillIn(data, lookup)
  if (filled === null) return null
  if (!isHex) return Buffer.from(filled, 'utf8')
  const hex = filled.replace(/\s/g, '')
  return /^([\da-f]{2})*$/i.test(hex) ? Buffer.from(hex, 'hex') : null
}
