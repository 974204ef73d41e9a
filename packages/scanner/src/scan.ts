import { isIP } from 'node:net'
import type { Observation, ScanJob } from '@glacis/contract/runner'
import PQueue from 'p-queue'
import { createBudget, limitsByProfile, type Limits } from '#budget.ts'
import { createChannel } from '#channel.ts'
import { commonPorts } from '#common-ports.ts'
import { findDatagramServices } from '#datagrams.ts'
import { createGuard } from '#guard.ts'
import { resolveName } from '#net/dns.ts'
import { createHttpClient } from '#net/http.ts'
import { dial } from '#net/tcp.ts'
import { forEachOf } from '#pool.ts'
import { createSweeper } from '#ports.ts'
import {
  examineServices,
  identifyConcurrency,
  reportReach,
  type ClosedCandidates,
  type ResolvedHost,
  type Knowledge,
  type Run,
  type ScanOptions,
} from '#scan-host.ts'
import { isWorthAccelerating } from '#sweep-engine.ts'

const unreadMax = 500

/** The job's rate applies to the sweep and to requests alike. */
function ratesOf({ ratePerHost: rate }: ScanJob): Partial<Limits> {
  return rate === undefined ? {} : { sweepPerHostPerSecond: rate, requestsPerHostPerSecond: rate }
}

/**
 * Scans each host of the job: ports, services, checks. Hosts run concurrently; observations of one
 * host come in that order. A misbehaving host only costs its own time.
 * Stopping iteration or aborting the signal releases all sockets, timers, and threads.
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
  const { headers, serverName } = options
  const http = createHttpClient({
    guard,
    perHostConnections: limits.connectionsPerHost,
    beforeRequest: budget.take,
    ...(headers && { headers }),
    ...(serverName !== undefined && { serverName }),
  })
  const channel = createChannel<Observation>(unreadMax)
  const examined = new PQueue({ concurrency: limits.hostsExamined })
  const counts = { swept: 0, done: 0 }
  const emit = (observation: Observation) => channel.put(observation)
  const stop = () => channel.end({ reason: options.signal.reason })
  options.signal.addEventListener('abort', stop, { once: true })
  const run = {
    job,
    knowledge: selectChecks(knowledge, job),
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

/** The checks that the job selects, or all. */
function selectChecks(knowledge: Knowledge, { checks }: ScanJob): Knowledge {
  if (!checks) return knowledge
  const names = new Set(checks)
  const templates = knowledge.plan.templates.filter(({ id }) => names.has(id))
  return { ...knowledge, plan: { ...knowledge.plan, templates } }
}

async function examineAll(run: Run): Promise<void> {
  const candidates: ClosedCandidates[] = [...(run.options.closedCandidates ?? [])]
  await run.emit({ kind: 'progress', phase: 'PHASE_DISCOVERY', hostsDone: 0 })
  await forEachOf(run.job.hosts, run.limits.hostsInParallel, async ({ address, names = [] }) => {
    const closedCandidates: ClosedCandidates[] = []
    const resolved = await resolveHosts(address, names, run)
    for (const resolvedHost of resolved) {
      const ports = await examineHost(resolvedHost, run)
      if (ports.length > 0) closedCandidates.push({ address: resolvedHost.address, ports })
    }
    candidates.push(...closedCandidates)
    run.counts.done++
    const phase = run.counts.swept < run.job.hosts.length ? 'PHASE_PORTS' : 'PHASE_CHECKS'
    const addresses = [address, ...resolved.map((entry) => entry.address)]
    const finished = {
      host: address,
      addresses,
      closedCandidates: closedCandidates.map((candidate) => ({ ...candidate, ports: [...candidate.ports] })),
    }
    await run.emit({ kind: 'progress', phase, hostsDone: run.counts.done, finished })
  })
  await forEachOf(candidates, identifyConcurrency, (host) => reportClosed(host, run))
}

/** Names are resolved once, here; each address is a separate host. */
async function resolveHosts(address: string, names: readonly string[], run: Run): Promise<ResolvedHost[]> {
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
  const allNames = [...new Set([address, ...names])]
  return resolved.addresses.slice(0, addressesPerName).map((address) => ({ address, names: allNames }))
}
const addressesPerName = 8

/** @returns ports that used to be open and now refuse connections */
async function examineHost(resolvedHost: ResolvedHost, run: Run): Promise<readonly number[]> {
  const knownOpen = run.options.knownOpen?.[resolvedHost.address] ?? []
  try {
    const { job, guard, budget, knowledge, signal } = run
    const wantedPorts = job.ports ?? portsOf(job.profile)
    // Hosts with the same ports share one list, which is ordered once.
    const ports = knownOpen.length === 0 ? wantedPorts : [...new Set([...wantedPorts, ...knownOpen])]
    const [reading, datagrams] = await Promise.all([
      run.sweeper.host(resolvedHost.address, ports),
      findDatagramServices(resolvedHost.address, job.ports, {
        guard,
        budget,
        fingerprints: knowledge.fingerprints,
        signal,
      }),
    ])
    run.counts.swept++
    await reportReach(resolvedHost, reading, datagrams, run)
    const hasServices = reading.open.length + datagrams.length > 0
    if (hasServices) {
      await run.examined.add(async () => {
        signal.throwIfAborted()
        await examineServices(resolvedHost, reading, datagrams, run)
      })
    }
    const missing = knownOpen.filter((port) => !reading.open.includes(port))
    return await closedPorts({ address: resolvedHost.address, ports: missing }, run)
  } catch (error) {
    run.signal.throwIfAborted()
    const message = `The scan of ${resolvedHost.address} failed: ${error instanceof Error ? error.message : String(error)}`
    await run.emit({ kind: 'problem', address: resolvedHost.address, level: 'error', message: message.slice(0, 1000) })
    return []
  }
}

/** The deep profile scans every port, common ones first; the others scan the common 1,100. */
function portsOf(profile: ScanJob['profile']): readonly number[] {
  return profile === 'deep' ? allPorts : commonPorts
}
const allPorts = Array.from({ length: 65_535 }, (_, index) => index + 1)

async function closedPorts({ address, ports }: ClosedCandidates, run: Run): Promise<number[]> {
  const closed: number[] = []
  for (const port of ports) {
    await run.budget.take(address, run.signal)
    if ((await dial(address, port, run)).kind === 'closed') closed.push(port)
  }
  return closed
}

async function reportClosed(host: ClosedCandidates, run: Run): Promise<void> {
  const ports = await closedPorts(host, run)
  if (ports.length > 0) await run.emit({ kind: 'closed', address: host.address, ports })
}
