/** Scans one host: ports, services, and checks. */
import type { Observation, ScanJob } from '@glacis/contract/runner'
import type PQueue from 'p-queue'
import type { Budget, Limits } from '#budget.ts'
import { judgeReach } from '#discover.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import type { WebPath } from '#fingerprint/web-paths.ts'
import type { Guard } from '#guard.ts'
import { identifyPort, type Identification } from '#identify.ts'
import { nativeChecks, runNative } from '#native/run.ts'
import { withoutSuperseded } from '#native/superseded.ts'
import type { HttpClient } from '#net/http.ts'
import { createSharedClient, type SharedClient } from '#net/shared-client.ts'
import { forEachOf } from '#pool.ts'
import { scanOrder, type PortReading, type Sweeper } from '#ports.ts'
import type { CheckPlan } from '#template/plan.ts'
import { runChecks } from '#template/run.ts'
import type { CheckTarget, CheckTools } from '#template/service-run.ts'
import { payloadLimits } from '#template/payloads.ts'
import { createUnits, type StoppedPair, type Units } from '#unit.ts'

/** Fingerprints and checks that a scan applies. */
export interface Knowledge {
  readonly fingerprints: Fingerprints
  /** Paths that fingerprints need from web servers. */
  readonly webPaths: readonly WebPath[]
  readonly plan: CheckPlan
  /** Whether to run the native checks. */
  readonly native: boolean
}
/** `callbacks` and `suppliedValues` enable checks that need them. */
export interface ScanOptions extends Pick<
  CheckTools,
  'callbacks' | 'suppliedValues' | 'isExhaustive' | 'acceptsEveryMatch' | 'resolvers'
> {
  /** Headers of every HTTP request, instead of those of the check. */
  readonly headers?: Readonly<Record<string, string>>
  /** Server name in TLS handshakes of HTTP; absent: the name of the host. */
  readonly serverName?: string
  readonly signal: AbortSignal
  /** Overrides the profile's limits. */
  readonly limits?: Partial<Limits>
  /**
   * Ports open in earlier scans, by address. They are scanned too, and reported as closed if they
   * refuse the connection twice.
   */
  readonly knownOpen?: Readonly<Record<string, readonly number[]>>
  /** Checks that an earlier attempt at the same job had to abandon. They don't run again. */
  readonly stopped?: readonly StoppedPair[]
  /** Ports of hosts that an earlier attempt completed, to be tried again at the end. */
  readonly closedCandidates?: readonly ClosedCandidates[]
  /** Receives the reason, for the log, when the accelerator would be useful but is unavailable. */
  readonly withoutAccelerator?: (reason: string) => void
}

/** Ports of an address that used to be open and refused a connection. */
export interface ClosedCandidates {
  readonly address: string
  readonly ports: readonly number[]
}

/** State shared by all hosts of one scan. */
export interface Run {
  readonly job: ScanJob
  readonly knowledge: Knowledge
  readonly options: ScanOptions
  readonly limits: Limits
  readonly guard: Guard
  readonly budget: Budget
  readonly sweeper: Sweeper
  readonly http: HttpClient
  readonly examined: PQueue
  readonly signal: AbortSignal
  /** Number of hosts whose ports were swept, and of completed hosts. */
  readonly counts: { swept: number; done: number }
  readonly emit: (observation: Observation) => Promise<void>
}

/** An address, and the names that resolved to it. */
export interface ResolvedHost {
  readonly address: string
  readonly names: readonly string[]
}
/** Concurrent ports per host. */
export const identifyConcurrency = 6

/** Reports whether the host is up, and which of its ports could not be scanned. */
export async function reportReach(
  { address, names }: ResolvedHost,
  reading: PortReading,
  datagrams: readonly Identification[],
  run: Run,
): Promise<void> {
  const { open, closed, filtered, unknown, answersEverything, denied, denialReason, localErrors } = reading
  const ports = { open: open.length + datagrams.length, closed, filtered, unknown }
  const reach = judgeReach(
    reading,
    datagrams.map(({ service }) => service.port),
  )
  await run.emit({ kind: 'host', address, names: [...names], ...reach, ports, answersEverything })
  if (denialReason) {
    await run.emit({
      kind: 'problem',
      address,
      level: 'warn',
      message: `${denied === 1 ? '1 port was' : `${denied} ports were`} not scanned: ${denialReason}.`,
    })
  }
  if (unknown === 0) return
  const codes = Object.entries(localErrors).map(([code, count]) => `${code} ${count === 1 ? 'once' : `${count} times`}`)
  const cause = codes.length > 0 ? ` (${codes.join(', ')})` : ''
  const message = `${unknown === 1 ? '1 port' : `${unknown} ports`} of ${address} could not be classified because of local errors or the deadline${cause}.`
  await run.emit({ kind: 'problem', address, level: 'warn', message })
}

/** A check may send its payloads in several blocks, and on several ports. */
const requestsFactor = 4
const requestsMin = 200

/** Identifies and checks services within the host's deadline. */
export async function examineServices(
  host: ResolvedHost,
  reading: PortReading,
  datagrams: readonly Identification[],
  run: Run,
): Promise<void> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(run.limits.hostDeadlineMs)])
  const profile = run.job.profile ?? 'gentle'
  const requestsMax = requestsMin + requestsFactor * payloadLimits(run.options).requestsPerCheck
  const units = createUnits(host.address, requestsMax, run.options.stopped)
  const shared = createSharedClient(run.http)
  try {
    const streams = await identifyAll(host, reading, run, { signal, units, shared })
    const identifications = withoutImitations([...streams, ...datagrams])
    for (const { service, technologies } of identifications) {
      await run.emit(service)
      for (const technology of technologies) await run.emit(technology)
    }
    const { job, http, guard, budget, knowledge } = run
    const target = targetOf(host, job.basePath ?? '/', identifications)
    const servicesAtOnce = run.limits.connectionsPerHost
    const {
      callbacks,
      resolvers,
      acceptsEveryMatch = false,
      isExhaustive = false,
      suppliedValues = new Map<string, string>(),
    } = run.options
    const permissions = new Set(job.permissions)
    const extraTools = {
      permissions,
      isExhaustive,
      acceptsEveryMatch,
      suppliedValues,
      ...(callbacks && { callbacks }),
      ...(resolvers && { resolvers }),
    }
    const tools = { http, shared, guard, budget, signal, servicesAtOnce, profile, units, ...extraTools }
    const onlyChecks = job.checks && new Set(job.checks)
    const native = knowledge.native ? runNative(target, { ...tools, ...(onlyChecks && { onlyChecks }) }) : []
    const all = inOrder([native, runChecks(target, knowledge.plan, tools)])
    for await (const observation of withoutSuperseded(all, tagsOf(knowledge.plan))) await run.emit(observation)
  } catch (error) {
    run.signal.throwIfAborted()
    if (!signal.aborted) throw error
    const message = `${host.address} reached its time limit of ${run.limits.hostDeadlineMs / 60_000} minutes.`
    await run.emit({ kind: 'problem', address: host.address, level: 'warn', message })
  } finally {
    shared.clear()
  }
}

/** SoftEther VPN speaks OpenVPN's protocol as well, and its responses don't differ from those of OpenVPN. */
function withoutImitations(identifications: readonly Identification[]): readonly Identification[] {
  const isSoftEther = identifications.some(({ technologies }) =>
    technologies.some(({ wfn }) => wfn.vendor === 'softether'),
  )
  if (!isSoftEther) return identifications
  return identifications.map((found) => ({
    ...found,
    technologies: found.technologies.filter(({ wfn }) => wfn.vendor !== 'openvpn'),
  }))
}

async function* inOrder<Item>(parts: readonly (AsyncIterable<Item> | Iterable<Item>)[]): AsyncIterable<Item> {
  for (const part of parts) yield* part
}

/** Reads the metadata of checks with findings only: parsing that of every template would delay the scan. */
function tagsOf({ templates }: CheckPlan): (check: string) => readonly string[] {
  return (check) => {
    const native = nativeChecks.find(({ id }) => id === check)
    return native?.tags ?? templates.find(({ id }) => id === check)?.info.tags ?? []
  }
}

function targetOf(host: ResolvedHost, basePath: string, identifications: readonly Identification[]): CheckTarget {
  const services = identifications.map(({ service, ...found }) => ({ ...service, ...found }))
  return { address: host.address, hostname: host.names[0] ?? host.address, basePath, services }
}

async function identifyAll(
  host: ResolvedHost,
  reading: PortReading,
  run: Run,
  own: { readonly signal: AbortSignal; readonly units: Units; readonly shared: SharedClient },
): Promise<readonly Identification[]> {
  const { fingerprints, webPaths } = run.knowledge
  const isOneFolder = (run.job.basePath ?? '/') !== '/'
  const tools = { guard: run.guard, budget: run.budget, http: run.http, fingerprints, webPaths, isOneFolder, ...own }
  const hostname = host.names[0] ?? host.address
  const identifications = new Map<number, Identification>()
  const ports = scanOrder(reading.open, 0).slice(0, run.limits.portsIdentifiedMax)
  await forEachOf(ports, identifyConcurrency, async (port) => {
    identifications.set(port, await identifyPort({ address: host.address, port, hostname }, tools))
  })
  const inRisingOrder = [...identifications].toSorted(([a], [b]) => a - b).map(([, identification]) => identification)
  return reading.answersEverything ? inRisingOrder.filter(({ responded }) => responded) : inRisingOrder
}
