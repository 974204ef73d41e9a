import { isIP } from 'node:net'
import type { Observation, ScanJob } from '@glacis/contract/runner'
import { createBudget, limitsByProfile } from '#budget.ts'
import type { Budget, Limits } from '#budget.ts'
import { createChannel } from '#channel.ts'
import { commonPorts } from '#common-ports.ts'
import { findDatagramServices } from '#datagrams.ts'
import { judgeReach } from '#discover.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import { createGuard } from '#guard.ts'
import type { Guard } from '#guard.ts'
import { identifyPort } from '#identify.ts'
import type { Identification } from '#identify.ts'
import { runNative } from '#native/run.ts'
import { resolveName } from '#net/dns.ts'
import { createHttpClient } from '#net/http.ts'
import type { HttpClient } from '#net/http.ts'
import { dial } from '#net/tcp.ts'
import { createGate, forEachOf } from '#pool.ts'
import type { Gate } from '#pool.ts'
import { createSweeper, inOrder } from '#ports.ts'
import type { PortReading, Sweeper } from '#ports.ts'
import { isWorthAccelerating } from '#sweep-engine.ts'
import type { CheckPlan } from '#template/plan.ts'
import { runChecks } from '#template/run.ts'
import type { CheckTarget, CheckTools } from '#template/run.ts'

/** Knowledge that a scan applies: what software looks like, and what proves that something is wrong. */
export interface Knowledge {
  readonly fingerprints: Fingerprints
  /** Paths that fingerprints want to see on web servers. */
  readonly webPaths: readonly string[]
  readonly plan: CheckPlan
  /** The checks that are part of the scanner run, too. */
  readonly native: boolean
}
/** `callbacks`, `intrusive` and `given` say what checks may do beyond asking; without them they only ask. */
export interface ScanOptions extends Pick<CheckTools, 'callbacks' | 'intrusive' | 'given'> {
  readonly signal: AbortSignal
  /** Changes the profile's limits. */
  readonly limits?: Partial<Limits>
  /**
   * Ports that were open in earlier scans, by address. They are asked too, and those that refuse
   * now, twice, are reported as closed.
   */
  readonly knownOpen?: Readonly<Record<string, readonly number[]>>
  /** Told why, for the log, when ports are swept without the accelerator although it would have paid. */
  readonly withoutAccelerator?: (reason: string) => void
}

interface Run {
  readonly job: ScanJob
  readonly knowledge: Knowledge
  readonly options: ScanOptions
  readonly limits: Limits
  readonly guard: Guard
  readonly budget: Budget
  readonly sweeper: Sweeper
  readonly http: HttpClient
  readonly examined: Gate
  readonly signal: AbortSignal
  /** Hosts whose ports have been swept, and hosts that are finished. */
  readonly counts: { swept: number; done: number }
  readonly emit: (observation: Observation) => Promise<void>
}

const unreadMax = 500
const identifiedAtOnce = 6

/** The rate that the job sets holds for each way of asking a host. */
function ratesOf({ ratePerHost: rate }: ScanJob): Partial<Limits> {
  return rate === undefined ? {} : { sweepPerHostPerSecond: rate, requestsPerHostPerSecond: rate }
}

/**
 * Looks at every host of the job: ports, then what listens on them, then what is wrong with it.
 * Hosts run side by side; the observations of one host come in that order. A host that misbehaves
 * costs its own time and nothing else.
 *
 * Stop reading, or abort the signal, and everything ends: no socket, timer or thread stays behind.
 *
 * @throws the signal's reason when it aborts
 */
export async function* runScan(
  job: ScanJob,
  knowledge: Knowledge,
  options: ScanOptions,
): AsyncGenerator<Observation, void, undefined> {
  options.signal.throwIfAborted()
  const ending = new AbortController()
  const signal = AbortSignal.any([options.signal, ending.signal])
  const limits = { ...limitsByProfile[job.profile ?? 'gentle'], ...ratesOf(job), ...options.limits }
  const guard = createGuard(job)
  const budget = createBudget(limits)
  const sweeper = createSweeper({
    guard,
    limits,
    signal,
    isAccelerated: isWorthAccelerating(job.hosts.length, limits),
    ...(options.withoutAccelerator && { withoutAccelerator: options.withoutAccelerator }),
  })
  const http = createHttpClient({ guard, perHostConnections: limits.connectionsPerHost, beforeRequest: budget.take })
  const channel = createChannel<Observation>(unreadMax)
  const examined = createGate(limits.hostsExamined)
  const counts = { swept: 0, done: 0 }
  const emit = (observation: Observation) => channel.put(observation)
  const stop = () => channel.end({ reason: options.signal.reason })
  options.signal.addEventListener('abort', stop, { once: true })
  const run = {
    job,
    knowledge: wanted(knowledge, job),
    options,
    limits,
    guard,
    budget,
    sweeper,
    http,
    examined,
    signal,
    counts,
    emit,
  }
  const running = examineAll(run).then(
    () => channel.end(),
    (error: unknown) => channel.end({ reason: error }),
  )
  try {
    yield* channel
  } finally {
    options.signal.removeEventListener('abort', stop)
    ending.abort(new Error('the scan has ended'))
    channel.end()
    await Promise.all([sweeper.close(), http.close(), running])
  }
}

/** What the job asks for: all checks, or those that it names. */
function wanted(knowledge: Knowledge, { checks }: ScanJob): Knowledge {
  if (!checks) return knowledge
  const names = new Set(checks)
  const templates = knowledge.plan.templates.filter(({ id }) => names.has(id))
  return { ...knowledge, plan: { ...knowledge.plan, templates } }
}

async function examineAll(run: Run): Promise<void> {
  const refusing: Refusing[] = []
  await run.emit({ kind: 'progress', phase: 'PHASE_DISCOVERY', hostsDone: 0 })
  await forEachOf(run.job.hosts, run.limits.hostsInParallel, async ({ address, names = [] }) => {
    for (const place of await placesOf(address, names, run)) {
      const ports = await examineHost(place, run)
      if (ports.length > 0) refusing.push({ address: place.address, ports })
    }
    run.counts.done++
    const phase = run.counts.swept < run.job.hosts.length ? 'PHASE_PORTS' : 'PHASE_CHECKS'
    await run.emit({ kind: 'progress', phase, hostsDone: run.counts.done })
  })
  await forEachOf(refusing, identifiedAtOnce, (host) => confirmClosed(host, run))
}

interface HostPlace {
  readonly address: string
  readonly names: readonly string[]
}
interface Refusing {
  readonly address: string
  readonly ports: readonly number[]
}

/** A name is resolved once, here; each of its addresses is a host of its own. */
async function placesOf(address: string, names: readonly string[], run: Run): Promise<HostPlace[]> {
  if (isIP(address)) return [{ address, names }]
  const resolved = await resolveName(address, run)
  if (resolved.kind === 'failure') {
    run.counts.swept++
    await run.emit({
      kind: 'host',
      address,
      names: [...names],
      reached: false,
      reason: resolved.reason,
      answersEverything: false,
    })
    return []
  }
  const known = [...new Set([address, ...names])]
  return resolved.addresses.slice(0, addressesPerName).map((one) => ({ address: one, names: known }))
}
const addressesPerName = 8

/** @returns ports that were open once and refuse now */
async function examineHost(place: HostPlace, run: Run): Promise<readonly number[]> {
  const known = run.options.knownOpen?.[place.address] ?? []
  try {
    const { job, guard, budget, knowledge, signal } = run
    const ports = [...new Set([...(job.ports ?? portsOf(job.profile)), ...known])]
    const [reading, datagrams] = await Promise.all([
      run.sweeper.host(place.address, ports),
      findDatagramServices(place.address, job.ports, { guard, budget, fingerprints: knowledge.fingerprints, signal }),
    ])
    run.counts.swept++
    await tellReach(place, reading, datagrams, run)
    const hasServices = reading.open.length + datagrams.length > 0
    if (hasServices) await run.examined.pass(() => examineServices(place, reading, datagrams, run), run.signal)
    const gone = known.filter((port) => !reading.open.includes(port))
    return await refusingPorts({ address: place.address, ports: gone }, run)
  } catch (error) {
    run.signal.throwIfAborted()
    const message = `The scan of ${place.address} failed: ${error instanceof Error ? error.message : String(error)}`
    await run.emit({ kind: 'problem', address: place.address, level: 'error', message: message.slice(0, 1000) })
    return []
  }
}

/** The deep profile asks every port, the common ones first; the others ask the common 1,000. */
function portsOf(profile: ScanJob['profile']): readonly number[] {
  return profile === 'deep' ? allPorts : commonPorts
}
const allPorts = Array.from({ length: 65_535 }, (_, index) => index + 1)

async function tellReach(
  { address, names }: HostPlace,
  reading: PortReading,
  datagrams: readonly Identification[],
  run: Run,
): Promise<void> {
  const { open, closed, filtered, unknown, answersEverything, refused, refusal, localErrors } = reading
  const ports = { open: open.length + datagrams.length, closed, filtered, unknown }
  const reach = judgeReach(
    reading,
    datagrams.map(({ service }) => service.port),
  )
  await run.emit({ kind: 'host', address, names: [...names], ...reach, ports, answersEverything })
  if (refusal) {
    await run.emit({ kind: 'problem', address, level: 'warn', message: `${refused} ports were not asked: ${refusal}.` })
  }
  if (unknown === 0) return
  const codes = Object.entries(localErrors).map(([code, count]) => `${code} ${count} times`)
  const cause = codes.length > 0 ? ` (${codes.join(', ')})` : ''
  const message = `${unknown} ports of ${address} stayed undecided: errors of this machine or no time left${cause}.`
  await run.emit({ kind: 'problem', address, level: 'warn', message })
}

/** Identifies what listens and checks it, within the time that one host may take. */
async function examineServices(
  place: HostPlace,
  reading: PortReading,
  datagrams: readonly Identification[],
  run: Run,
): Promise<void> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(run.limits.hostDeadlineMs)])
  try {
    const identifications = [...(await identifyAll(place, reading, run, signal)), ...datagrams]
    for (const { service, technologies } of identifications) {
      await run.emit(service)
      for (const technology of technologies) await run.emit(technology)
    }
    const { job, http, guard, budget, knowledge } = run
    const target = targetOf(place, job.basePath ?? '/', identifications)
    const servicesAtOnce = run.limits.connectionsPerHost
    const { callbacks, intrusive = false, given = new Map<string, string>() } = run.options
    const beyond = { intrusive, given, ...(callbacks && { callbacks }) }
    const tools = { http, guard, budget, signal, servicesAtOnce, profile: job.profile ?? 'gentle', ...beyond }
    const only = job.checks && new Set(job.checks)
    const native = knowledge.native ? runNative(target, { ...tools, ...(only && { only }) }) : []
    for await (const observation of native) await run.emit(observation)
    for await (const observation of runChecks(target, knowledge.plan, tools)) await run.emit(observation)
  } catch (error) {
    run.signal.throwIfAborted()
    if (!signal.aborted) throw error
    const message = `The time for ${place.address} was spent after ${run.limits.hostDeadlineMs / 60_000} minutes.`
    await run.emit({ kind: 'problem', address: place.address, level: 'warn', message })
  }
}

function targetOf(place: HostPlace, basePath: string, identifications: readonly Identification[]): CheckTarget {
  const services = identifications.map(({ service, technologies }) => ({ ...service, technologies }))
  return { address: place.address, hostname: place.names[0] ?? place.address, basePath, services }
}

async function identifyAll(
  place: HostPlace,
  reading: PortReading,
  run: Run,
  signal: AbortSignal,
): Promise<readonly Identification[]> {
  const { fingerprints, webPaths } = run.knowledge
  const tools = { guard: run.guard, budget: run.budget, http: run.http, fingerprints, webPaths, signal }
  const hostname = place.names[0] ?? place.address
  const found = new Map<number, Identification>()
  const ports = inOrder(reading.open, 0).slice(0, run.limits.portsIdentifiedMax)
  await forEachOf(ports, identifiedAtOnce, async (port) => {
    found.set(port, await identifyPort({ address: place.address, port, hostname }, tools))
  })
  const inRisingOrder = [...found].toSorted(([a], [b]) => a - b).map(([, identification]) => identification)
  return reading.answersEverything ? inRisingOrder.filter(({ spoke }) => spoke) : inRisingOrder
}

async function refusingPorts({ address, ports }: Refusing, run: Run): Promise<number[]> {
  const refusing: number[] = []
  for (const port of ports) {
    await run.budget.take(address, run.signal)
    if ((await dial(address, port, run)).kind === 'closed') refusing.push(port)
  }
  return refusing
}

async function confirmClosed(host: Refusing, run: Run): Promise<void> {
  const ports = await refusingPorts(host, run)
  if (ports.length > 0) await run.emit({ kind: 'closed', address: host.address, ports })
}
