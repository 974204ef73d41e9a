/** Runs the native checks on the services of one host. */
import type { CheckPermission, Observation, ScanProfile } from '@glacis/contract/runner'
import type { Callbacks } from '#callback/index.ts'
import type { Guard } from '#guard.ts'
import type { SharedClient } from '#net/shared-client.ts'
import { type TcpConnection, sendAndRead, redial, connectionOver } from '#net/tcp.ts'
import { tlsHandshake } from '#net/tls.ts'
import { queryUdp } from '#net/udp.ts'
import { nativeCheckList } from '#native/check-list.ts'
import { domainChecks, runDomainRecords } from '#native/domain-records.ts'
import { nativeCommand, requestIn } from '#native/reproduce.ts'
import type { NativeContext, NativeCheck, Proof, CheckResults } from '#native/native-check.ts'
import type { CheckInfo, IdentifiedService } from '#native/types.ts'
import { RateLimited } from '#native/web/request.ts'
import { curlCommand } from '#template/reproduce.ts'
import { maskSecrets, printable } from '#template/evidence.ts'
import { mergeConcurrently } from '#template/merge-concurrently.ts'
import type { CheckTarget } from '#template/service-run.ts'

/** Metadata of each native check. */
export const nativeChecks: readonly CheckInfo[] = [
  ...new Map(
    [...nativeCheckList.flatMap(({ checks }) => checks), ...domainChecks].map((check) => [check.id, check]),
  ).values(),
]

export interface NativeTools {
  /** For requests that other checks repeat. */
  readonly shared: Pick<SharedClient, 'request' | 'requestUncached' | 'usesHttp2'>
  readonly guard: Guard
  readonly budget: { take(address: string, signal: AbortSignal): Promise<void> }
  readonly signal: AbortSignal
  readonly profile: ScanProfile
  readonly servicesAtOnce: number
  /** Kinds of intrusive checks that may run. */
  readonly permissions?: ReadonlySet<CheckPermission>
  /** Restricts the run to these checks; absent: all. */
  readonly onlyChecks?: ReadonlySet<string>
  /** Resolver addresses with an optional port (default 53); absent: this machine's resolvers. */
  readonly resolvers?: readonly string[]
  readonly callbacks?: Callbacks
}

const portDeadlineMs = 60_000
const pageDeadlineMs = 5000
/** Maximum number of unidentified services per host on which checks are tried. */
const unidentifiedMax = 8
/** A service that has responded may be slow. */
const identifiedWaitMs = 4000
const readOptions = { firstByteMs: 2500, idleMs: 200, totalMs: 6000, bytesMax: 65_536 }

/**
 * Yields findings and one coverage per port. Checks of a failed exchange are neither found nor
 * covered.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function* runNative(target: CheckTarget, tools: NativeTools): AsyncIterable<Observation> {
  const { signal, servicesAtOnce } = tools
  const unidentified = new Set(target.services.filter(isUnidentified).slice(0, unidentifiedMax))
  const services = withoutUdpTwins(target.services)
  const checksAtOnce = Math.max(1, Math.floor(servicesAtOnce / services.length))
  const check = (service: IdentifiedService, within: AbortSignal) =>
    checkService(service, target, { ...tools, signal: within, checksAtOnce, isTried: unidentified.has(service) })
  yield* runDomainRecords(target, tools)
  yield* mergeConcurrently(services, servicesAtOnce, signal, check)
}

/** Abused over UDP in ways that TCP does not allow. */
const reflectors: ReadonlySet<string> = new Set(['echo', 'chargen', 'rpcbind'])

/** A port that responds over both TCP and UDP with one protocol is one service. */
function withoutUdpTwins(services: readonly IdentifiedService[]): IdentifiedService[] {
  const isUdpTwin = (service: IdentifiedService) =>
    service.transport === 'udp' &&
    !reflectors.has(service.protocol) &&
    services.some(
      (other) => other.transport === 'tcp' && other.port === service.port && other.protocol === service.protocol,
    )
  return services.filter((service) => !isUdpTwin(service))
}

function isUnidentified({ transport, protocol, banner, tls }: IdentifiedService): boolean {
  return transport === 'tcp' && protocol === '' && banner === '' && !tls
}

interface ServiceTools extends NativeTools {
  /** Checks of a slow web server that may run concurrently. */
  readonly checksAtOnce: number
  /** Also runs checks that try unidentified services. */
  readonly isTried: boolean
}

async function* checkService(
  service: IdentifiedService,
  target: CheckTarget,
  tools: ServiceTools,
): AsyncIterable<Observation> {
  const { address } = target
  const deadline = AbortSignal.timeout(portDeadlineMs)
  const signal = AbortSignal.any([tools.signal, deadline])
  const covered: string[] = []
  const virtualHosts = target.basePath === '/' ? (service.virtualHosts ?? []) : []
  const contexts = [
    ...foldersOf(service, target).map((basePath) => contextFor(service, { ...target, basePath }, { ...tools, signal })),
    ...virtualHosts.map((virtualHost) => ({
      ...contextFor(service, { ...target, hostname: virtualHost }, { ...tools, signal }),
      virtualHost,
    })),
  ]
  const relevant = nativeCheckList.filter((check) => isRelevant(check, service, tools))
  const atOnce = Math.min(service.requestsAtOnce ?? 1, tools.checksAtOnce)
  yield* mergeConcurrently(relevant, atOnce, tools.signal, async function* (nativeCheck): AsyncIterable<Observation> {
    const { permission } = nativeCheck
    if (permission && !tools.permissions?.has(permission)) {
      yield { kind: 'skipped', address, port: service.port, permission, checks: idsOf(nativeCheck, tools) }
      return
    }
    // Without the folder that was limited, the others decide nothing.
    const results = await runInFolders(nativeCheck, contexts, deadline, tools.signal).catch(
      (error: unknown): CheckResults => {
        if (error instanceof RateLimited) return {}
        throw error
      },
    )
    for (const { id, threat, tags } of nativeCheck.checks) {
      // A service inside TLS doesn't need encryption of its own.
      if (service.tls && tags.includes('cleartext')) continue
      const proof = results[id]
      if (proof === undefined || (tools.onlyChecks && !tools.onlyChecks.has(id))) continue
      covered.push(id)
      if (proof) yield findingOf(target, service, id, threat, proof)
    }
  })
  if (covered.length > 0) yield { kind: 'coverage', address, port: service.port, checks: covered }
}

function isRelevant(nativeCheck: NativeCheck, service: IdentifiedService, tools: ServiceTools): boolean {
  const applies = nativeCheck.appliesTo(service) || (tools.isTried && nativeCheck.triesUnidentified === true)
  return applies && idsOf(nativeCheck, tools).length > 0
}

/** The selected checks that an exchange decides. */
function idsOf({ checks }: NativeCheck, { onlyChecks }: NativeTools): string[] {
  return checks.flatMap(({ id }) => (!onlyChecks || onlyChecks.has(id) ? id : []))
}

/** The root of a service, and the applications below it unless the scan is limited to a folder. */
function foldersOf({ ownFolder, linkedFolders = [] }: IdentifiedService, { basePath }: CheckTarget): readonly string[] {
  if (basePath !== '/') return [basePath]
  return [basePath, ...(ownFolder === undefined ? [] : [ownFolder]), ...linkedFolders]
}

/** A check that proves its weaknesses in one folder or site is not repeated in the others. */
async function runInFolders(
  nativeCheck: NativeCheck,
  [root, ...folders]: readonly NativeContext[],
  deadline: AbortSignal,
  scan: AbortSignal,
): Promise<CheckResults> {
  if (!root) return {}
  let results = await runCheck(nativeCheck, root, deadline, scan)
  for (const context of nativeCheck.isPerFolder === true ? folders : []) {
    if (Object.values(results).some((proof) => proof !== null)) break
    const { virtualHost } = context
    const inFolder = Object.entries(await runCheck(nativeCheck, context, deadline, scan))
    const located = inFolder.map(([id, proof]) => [id, proof && virtualHost ? { ...proof, virtualHost } : proof])
    results = { ...results, ...Object.fromEntries(located) }
  }
  return results
}

/** A timed-out exchange decides nothing. */
async function runCheck(
  nativeCheck: NativeCheck,
  context: NativeContext,
  deadline: AbortSignal,
  scan: AbortSignal,
): Promise<CheckResults> {
  if (deadline.aborted) return {}
  try {
    return await nativeCheck.run(context)
  } catch (error) {
    if (deadline.aborted && !scan.aborted) return {}
    // A truncated response or invalid lengths only end this exchange.
    if (error instanceof RangeError && !scan.aborted) return {}
    throw error
  }
}

function contextFor(service: IdentifiedService, target: CheckTarget, tools: NativeTools): NativeContext {
  const { address, hostname, basePath } = target
  const { port, tls } = service
  const { guard, signal, profile } = tools
  const origin = { address, port, tls, hostname }
  const withConnection: NativeContext['withConnection'] = async (talk) => {
    if (service.transport === 'udp') return undefined
    await tools.budget.take(address, signal)
    const connection = await open(tls)
    if (!connection) return undefined
    try {
      return await talk(connection)
    } finally {
      connection.close()
    }
  }
  const open = async (isTls: boolean): Promise<TcpConnection | undefined> => {
    if (isTls) {
      const tlsResult = await tlsHandshake(address, port, { guard, signal, hostname })
      return tlsResult.kind === 'handshake' ? connectionOver(tlsResult.socket, signal) : undefined
    }
    const dialed = await redial(address, port, { guard, signal })
    return dialed.kind === 'open' ? dialed.connection : undefined
  }
  return {
    service,
    address,
    port,
    hostname,
    basePath,
    profile,
    signal,
    hostNames: hostNamesOf(target),
    ...(tools.callbacks && { callbacks: tools.callbacks }),
    requestPage: (path) =>
      tools.shared.request(origin, { method: 'GET', path }, { signal, deadlineMs: pageDeadlineMs }),
    requestHttp2: (request, deadlineMs) =>
      tools.shared.usesHttp2(origin)
        ? tools.shared.requestUncached(origin, request, { signal, deadlineMs })
        : undefined,
    withConnection,
    async handshake({ before, ...range } = {}) {
      if (service.transport === 'udp') return undefined
      await tools.budget.take(address, signal)
      const connection = await open(false)
      if (!connection) return undefined
      // TLS now owns the connection and destroys it.
      if ((await before?.(connection)) !== false)
        return tlsHandshake(address, port, { ...range, guard, signal, hostname, over: connection.release() })
      connection.close()
      return undefined
    },
    exchange: (question, options) =>
      withConnection((connection) => {
        if (question !== null) connection.write(question)
        const firstByteMs = isUnidentified(service) ? readOptions.firstByteMs : identifiedWaitMs
        return connection.read({ ...readOptions, firstByteMs, ...options })
      }),
    async exchangeOnPort(other, question, options) {
      await tools.budget.take(address, signal)
      return sendAndRead(address, other, question, { guard, signal, ...readOptions, ...options })
    },
    async sendDatagram(question, options) {
      await tools.budget.take(address, signal)
      return queryUdp(address, port, question, { guard, signal, ...options })
    },
  }
}

/** Hostnames in banners and certificates, and the name used to reach the host. */
function hostNamesOf({ hostname, services }: CheckTarget): string[] {
  const greetings = services.flatMap(
    ({ banner }) => banner.slice(0, 500).match(/\b(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,20}\b/gi) ?? [],
  )
  return [...new Set([hostname, ...greetings].map((name) => name.toLowerCase()))].slice(0, 20)
}

function findingOf(
  { address, hostname }: CheckTarget,
  service: IdentifiedService,
  check: string,
  threat: string,
  proof: Proof,
): Observation {
  const host = proof.virtualHost ?? hostname
  const site = proof.virtualHost === undefined ? '' : ` ${proof.virtualHost}`
  const sanitized = (text: string, lengthMax: number) =>
    maskSecrets(printable(Buffer.from(text, 'latin1').toString('utf8'))).slice(0, lengthMax)
  const origin = { ...service, address, hostname: host }
  const sent = proof.path === undefined ? undefined : (requestIn(proof.request) ?? { method: 'GET', path: proof.path })
  const reproduce = sent ? curlCommand(origin, sent) : nativeCommand(check, origin)
  return {
    kind: 'finding',
    address,
    port: service.port,
    transport: service.transport,
    check,
    threat,
    location: `${service.port}${site}${service.transport === 'udp' ? '/udp' : (proof.path ?? '')}`,
    quality: proof.quality ?? 99,
    request: sanitized(proof.request, 4000),
    evidence: sanitized(proof.answer, 16_000),
    ...(reproduce && { reproduce }),
    highlights: proof.highlights.slice(0, 20).map((span) => sanitized(span, 480)),
  }
}
