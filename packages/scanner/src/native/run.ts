/** Runs the native checks on the services of one host. */
import type { Observation, ScanProfile } from '@glacis/contract/runner'
import type { Guard } from '#guard.ts'
import { type TcpConnection, sendAndRead, dial, connectionOver } from '#net/tcp.ts'
import { tlsHandshake } from '#net/tls.ts'
import { queryUdp } from '#net/udp.ts'
import { nativeCheckList } from '#native/check-list.ts'
import type { NativeContext, NativeCheck, Proof, CheckResults } from '#native/native-check.ts'
import type { CheckInfo, IdentifiedService } from '#native/types.ts'
import { maskSecrets, printable } from '#template/evidence.ts'
import { mergeConcurrently } from '#template/merge-concurrently.ts'
import type { CheckTarget } from '#template/service-run.ts'

/** Metadata of each native check. */
export const nativeChecks: readonly CheckInfo[] = [
  ...new Map(nativeCheckList.flatMap(({ checks }) => checks).map((check) => [check.id, check])).values(),
]

export interface NativeTools {
  readonly guard: Guard
  readonly budget: { take(address: string, signal: AbortSignal): Promise<void> }
  readonly signal: AbortSignal
  readonly profile: ScanProfile
  readonly servicesAtOnce: number
  /** Restricts the run to these checks; absent: all. */
  readonly only?: ReadonlySet<string>
}

const order: readonly ScanProfile[] = ['gentle', 'standard', 'deep']
const portDeadlineMs = 60_000
const patience = { firstByteMs: 2500, idleMs: 200, totalMs: 6000, bytesMax: 65_536 }

/**
 * Yields findings and one coverage per port. Checks of a failed exchange are neither found nor
 * covered.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function* runNative(target: CheckTarget, tools: NativeTools): AsyncIterable<Observation> {
  const { signal, servicesAtOnce } = tools
  const check = (service: IdentifiedService, within: AbortSignal) =>
    examine(service, target, { ...tools, signal: within })
  yield* mergeConcurrently(distinct(target.services), servicesAtOnce, signal, check)
}

/** A port that answers over both TCP and UDP with one protocol is one service. */
function distinct(services: readonly IdentifiedService[]): IdentifiedService[] {
  const isTwin = (one: IdentifiedService) =>
    one.transport === 'udp' &&
    services.some((other) => other.transport === 'tcp' && other.port === one.port && other.protocol === one.protocol)
  return services.filter((one) => !isTwin(one))
}

async function* examine(
  service: IdentifiedService,
  target: CheckTarget,
  tools: NativeTools,
): AsyncIterable<Observation> {
  const { address } = target
  const deadline = AbortSignal.timeout(portDeadlineMs)
  const signal = AbortSignal.any([tools.signal, deadline])
  const place = placeOf(service, target, { ...tools, signal })
  const covered: string[] = []
  for (const subject of nativeCheckList.filter((one) => isWanted(one, service, tools))) {
    const verdicts = await examined(subject, place, deadline, tools.signal)
    for (const { id, threat } of subject.checks) {
      const proof = verdicts[id]
      if (proof === undefined || (tools.only && !tools.only.has(id))) continue
      covered.push(id)
      if (proof) yield findingOf(address, service, id, threat, proof)
    }
  }
  if (covered.length > 0) yield { kind: 'coverage', address, port: service.port, checks: covered }
}

function isWanted(subject: NativeCheck, service: IdentifiedService, { profile, only }: NativeTools): boolean {
  if (order.indexOf(profile) < order.indexOf(subject.from ?? 'gentle')) return false
  return subject.concerns(service) && (!only || subject.checks.some(({ id }) => only.has(id)))
}

/** A timed-out exchange decides nothing. */
async function examined(
  subject: NativeCheck,
  place: NativeContext,
  deadline: AbortSignal,
  scan: AbortSignal,
): Promise<CheckResults> {
  if (deadline.aborted) return {}
  try {
    return await subject.examine(place)
  } catch (error) {
    if (deadline.aborted && !scan.aborted) return {}
    // A truncated response or invalid lengths only end this exchange.
    if (error instanceof RangeError && !scan.aborted) return {}
    throw error
  }
}

function placeOf(service: IdentifiedService, target: CheckTarget, tools: NativeTools): NativeContext {
  const { address, hostname } = target
  const { port, tls } = service
  const { guard, signal, profile } = tools
  const speak: NativeContext['speak'] = async (words) => {
    if (service.transport === 'udp') return undefined
    await tools.budget.take(address, signal)
    const line = await open(tls)
    if (!line) return undefined
    try {
      return await words(line)
    } finally {
      line.close()
    }
  }
  const open = async (isTls: boolean): Promise<TcpConnection | undefined> => {
    if (isTls) {
      const shaken = await tlsHandshake(address, port, { guard, signal, hostname })
      return shaken.kind === 'handshake' ? connectionOver(shaken.socket, signal) : undefined
    }
    const dialled = await dial(address, port, { guard, signal })
    return dialled.kind === 'open' ? dialled.line : undefined
  }
  return {
    service,
    address,
    port,
    hostname,
    profile,
    signal,
    hostNames: namesOf(target),
    speak,
    async handshake({ before, ...range } = {}) {
      if (service.transport === 'udp') return undefined
      await tools.budget.take(address, signal)
      const line = await open(false)
      if (!line) return undefined
      // TLS now owns the connection and destroys it.
      if ((await before?.(line)) !== false)
        return tlsHandshake(address, port, { ...range, guard, signal, hostname, over: line.release() })
      line.close()
      return undefined
    },
    ask: (question, options) =>
      speak((line) => {
        if (question !== null) line.write(question)
        return line.read({ ...patience, ...options })
      }),
    async askAt(other, question, options) {
      await tools.budget.take(address, signal)
      return sendAndRead(address, other, question, { guard, signal, ...patience, ...options })
    },
    async datagram(question, options) {
      await tools.budget.take(address, signal)
      return queryUdp(address, port, question, { guard, signal, ...options })
    },
  }
}

/** Host names in banners and certificates, and the name used to reach the host. */
function namesOf({ hostname, services }: CheckTarget): string[] {
  const greetings = services.flatMap(
    ({ banner }) => banner.slice(0, 500).match(/\b(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,20}\b/gi) ?? [],
  )
  return [...new Set([hostname, ...greetings].map((name) => name.toLowerCase()))].slice(0, 20)
}

function findingOf(
  address: string,
  service: IdentifiedService,
  check: string,
  threat: string,
  proof: Proof,
): Observation {
  const shown = (text: string, lengthMax: number) =>
    maskSecrets(printable(Buffer.from(text, 'latin1').toString('utf8'))).slice(0, lengthMax)
  return {
    kind: 'finding',
    address,
    port: service.port,
    transport: service.transport,
    check,
    threat,
    location: `${service.port}${service.transport === 'udp' ? '/udp' : ''}`,
    quality: proof.quality ?? 99,
    request: shown(proof.request, 4000),
    evidence: shown(proof.answer, 16_000),
    highlights: proof.highlights.slice(0, 20).map((span) => shown(span, 480)),
  }
}
