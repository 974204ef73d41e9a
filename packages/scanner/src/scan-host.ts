/** One host of a scan: what is told of its ports, what listens on them, and what is wrong with that. */
import type { Observation, ScanJob } from '@glacis/contract/runner'
import type { Budget, Limits } from '#budget.ts'
import { judgeReach } from '#discover.ts'
import type { Fingerprints } from '#fingerprint/match.ts'
import type { Guard } from '#guard.ts'
import { identifyPort } from '#identify.ts'
import type { Identification } from '#identify.ts'
import { runNative } from '#native/run.ts'
import type { HttpClient } from '#net/http.ts'
import { forEachOf } from '#pool.ts'
import type { Gate } from '#pool.ts'
import { inOrder } from '#ports.ts'
import type { PortReading, Sweeper } from '#ports.ts'
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

/** What all hosts of one scan share. */
export interface Run {
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

/** An address, and the names under which it was asked for. */
export interface HostPlace {
  readonly address: string
  readonly names: readonly string[]
}
/** Ports of one host that are asked at one time. */
export const identifiedAtOnce = 6

/** Tells whether a host is there, and which of its ports could not be asked. */
export async function tellReach(
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
export async function examineServices(
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
