/** Runs checks against one address and says what was found and which checks came to their end. */
import type { FindingObservation, Observation, ScanProfile } from '@glacis/contract/runner'
import type { Wfn } from '@glacis/contract/product'
import type { z } from 'zod'
import type { Callbacks } from '#callback/index.ts'
import type { Guard } from '#guard.ts'
import type { HttpClient, Origin } from '#net/http.ts'
import { isSerious } from '#template/finding.ts'
import { runHttp } from '#template/run-http.ts'
import { runNetwork, runTls } from '#template/run-tcp.ts'
import { runDns } from '#template/run-dns.ts'
import { payloadLimits } from '#template/payloads.ts'
import { sideBySide } from '#template/side-by-side.ts'
import { prepare, type CheckPlan, type Permissions } from '#template/plan.ts'

export interface CheckTarget {
  /** Pinned IP address: the only one that is dialled. */
  readonly address: string
  /** Name for `Host` and SNI; the address where none is known. */
  readonly hostname: string
  readonly basePath: string
  readonly services: readonly IdentifiedService[]
}
export interface IdentifiedService {
  readonly port: number
  readonly transport: 'tcp' | 'udp'
  /** `http`, `redis`, …; empty when it was not recognised. */
  readonly protocol: string
  readonly tls: boolean
  readonly banner: string
  readonly technologies: readonly { readonly name: string; readonly wfn: Wfn }[]
}
export interface CheckTools {
  /** Waits for its own budget before each request: give it `beforeRequest`. */
  readonly http: HttpClient
  readonly guard: Guard
  readonly signal: AbortSignal
  readonly profile: ScanProfile
  /** Checks that may change the target run, too. */
  readonly intrusive?: boolean
  /** Hears targets call back; without it checks that wait for that do not run. */
  readonly callbacks?: Callbacks
  /** Values that an operator gave for the placeholders of checks, such as an account to sign in with. */
  readonly given?: ReadonlyMap<string, string>
  /** Addresses of name servers, with a port where it is not 53; this machine's own where absent. */
  readonly resolvers?: readonly string[]
  /** Services of the host that are checked at one time; one where absent. */
  readonly servicesAtOnce?: number
  /** Asked before each connection that is not HTTP. */
  readonly budget: { take(address: string, signal: AbortSignal): Promise<void> }
}
/** What the runners of one service work with. */
export interface ServiceRun {
  readonly target: CheckTarget
  readonly service: IdentifiedService
  readonly origin: Origin
  readonly plan: CheckPlan
  readonly tools: CheckTools
  /** What is left to all services of the host together. */
  readonly allowance: { payloadRequests: number }
  readonly permissions: Permissions
  /** Ends with the scan, or with the time that one port may take. */
  readonly signal: AbortSignal
}
export type Finding = z.infer<typeof FindingObservation>
/** A finding with the severity of its check, which decides whether it is held back. */
export interface Found {
  readonly kind: 'found'
  readonly finding: Finding
  readonly severity: string
}
/** Whether a check came to its end with one protocol of the service: every question was answered. */
export interface Ended {
  readonly kind: 'ended'
  readonly isFinished: boolean
  readonly check: string
}
export interface Trouble {
  readonly kind: 'trouble'
  readonly message: string
}
export type ServiceEvent = Found | Ended | Trouble

/** How long the checks of one port may take, in milliseconds. */
const portDeadlineMs: Readonly<Record<ScanProfile, number>> = { gentle: 120_000, standard: 300_000, deep: 900_000 }
/** A host with so many serious weaknesses at once is more likely to be a decoy. */
const SERIOUS_MAX = 15
const DECOY_QUALITY = 30

/**
 * Runs every check of the plan that concerns one of the services. Yields findings, one coverage per
 * port, and problems. Transport errors are inconclusive: neither a finding nor coverage.
 *
 * Findings of high and critical severity come at the end, because a host on which fifteen or more
 * unrelated checks hit looks like a decoy, and then they are reported with a low quality.
 *
 * @throws only when the signal aborts, with its reason, after what was found until then
 */
export async function* runChecks(target: CheckTarget, plan: CheckPlan, tools: CheckTools): AsyncIterable<Observation> {
  const serious: Finding[] = []
  const allowance = { payloadRequests: payloadLimits[tools.profile].requestsPerHost }
  const permissions = {
    intrusive: tools.intrusive ?? false,
    callbacks: tools.callbacks !== undefined,
    given: new Set(tools.given?.keys()),
  }
  try {
    const services = target.services.filter(({ transport }) => transport === 'tcp')
    const check = (service: IdentifiedService, signal: AbortSignal) =>
      runService({ target, service, plan, tools: { ...tools, signal }, allowance, permissions }, serious)
    yield* sideBySide(services, tools.servicesAtOnce ?? 1, tools.signal, check)
    yield* runDns(target, prepare(plan, permissions).dns, tools, serious)
  } catch (error) {
    // What was proved before an abort stays proved.
    yield* settleSerious(target.address, serious)
    throw error
  }
  yield* settleSerious(target.address, serious)
}

async function* runService(
  about: Omit<ServiceRun, 'origin' | 'signal'>,
  serious: Finding[],
): AsyncIterable<Observation> {
  const { target, service, tools } = about
  const { address, hostname } = target
  const origin = { address, port: service.port, tls: service.tls, hostname: hostname || address }
  const deadline = AbortSignal.timeout(portDeadlineMs[tools.profile])
  const run: ServiceRun = { ...about, origin, signal: AbortSignal.any([tools.signal, deadline]) }
  const finished = new Set<string>()
  const unfinished = new Set<string>()
  for await (const event of eventsOf(run, deadline)) {
    if (event.kind === 'ended') (event.isFinished ? finished : unfinished).add(event.check)
    else if (event.kind === 'trouble') yield problem(address, `port ${service.port}: ${event.message}`)
    else if (isSerious(event.severity)) serious.push(event.finding)
    else yield event.finding
  }
  const checks = [...finished.difference(unfinished)]
  if (checks.length > 0) yield { kind: 'coverage', address, port: service.port, checks }
}

/** A check with blocks of several protocols is finished when it is so with each of them. */
async function* eventsOf(run: ServiceRun, deadline: AbortSignal): AsyncIterable<ServiceEvent> {
  const { service, plan, tools } = run
  try {
    if (isHttp(service)) yield* runHttp(run)
    if (service.tls) yield* runTls(run)
    yield* runNetwork(run)
  } catch (error) {
    if (!deadline.aborted || tools.signal.aborted) throw error
    yield { kind: 'trouble', message: `stopped after ${portDeadlineMs[tools.profile] / 1000} s of checks` }
    for (const { id, counts } of plan.templates) {
      if (Object.values(counts).filter((count) => count > 0).length > 1)
        yield { kind: 'ended', isFinished: false, check: id }
    }
  }
}

function problem(address: string, message: string): Observation {
  return { kind: 'problem', address, level: 'warn', message: message.slice(0, 1000) }
}

function isHttp({ protocol }: IdentifiedService): boolean {
  return protocol === 'http' || protocol === 'https'
}

function* settleSerious(address: string, serious: readonly Finding[]): Iterable<Observation> {
  const isDecoy = new Set(serious.map(({ check }) => check)).size >= SERIOUS_MAX
  for (const finding of serious)
    yield isDecoy ? { ...finding, quality: Math.min(finding.quality, DECOY_QUALITY) } : finding
  if (!isDecoy) return
  const message = `${SERIOUS_MAX} or more serious weaknesses at once: the host looks like a decoy, and its findings are kept at low quality`
  yield problem(address, message)
}
