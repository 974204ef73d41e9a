/** Runs checks on one address and reports findings and coverage. */
import type { CheckPermission, Observation, ScanProfile } from '@glacis/contract/runner'
import { isSerious } from '#template/finding.ts'
import { runHttp } from '#template/run-http.ts'
import { runNetwork, runTls } from '#template/run-tcp.ts'
import { runDns } from '#template/run-dns.ts'
import { reportSkipped } from '#template/skipped.ts'
import { payloadLimits } from '#template/payloads.ts'
import type {
  CheckTarget,
  CheckTools,
  Finding,
  IdentifiedService,
  ServiceEvent,
  ServiceRun,
} from '#template/service-run.ts'
import { createUnits } from '#unit.ts'
import { mergeConcurrently } from '#template/merge-concurrently.ts'
import { attributed } from '#template/attribution.ts'
import { prepare, type CheckPlan } from '#template/plan.ts'
import { identifiedNames } from '#template/relevance.ts'
import { isAbout } from '#template/selection.ts'

/** Deadline for all checks of one port, in milliseconds. */
const portDeadlineMs: Readonly<Record<ScanProfile, number>> = { gentle: 120_000, standard: 300_000, deep: 900_000 }
/** Number of serious findings at which a host is treated as a honeypot. */
const HONEYPOT_FINDINGS_MIN = 15
const HONEYPOT_QUALITY = 30
/** Other pages of a host on which the checks of the front page also run. */
const LINKED_PAGES_MAX = 16

/**
 * Runs every check of the plan that applies to one of the services. Yields findings, one coverage
 * per port, and problems. Transport errors are inconclusive: neither a finding nor coverage.
 * Findings of high and critical severity are yielded last: a host with fifteen or more unrelated
 * ones is probably a honeypot, and they are then reported with low quality.
 *
 * @throws only when the signal aborts, with its reason, after yielding the findings so far
 */
export async function* runChecks(target: CheckTarget, plan: CheckPlan, tools: CheckTools): AsyncIterable<Observation> {
  const serious: Finding[] = []
  const allowance = { payloadRequests: payloadLimits(tools).requestsPerHost, linkedPages: LINKED_PAGES_MAX }
  const units = tools.units ?? createUnits(target.address, payloadLimits(tools).requestsPerHost)
  const permissions = {
    allowed: tools.permissions ?? new Set<CheckPermission>(),
    callbacks: tools.callbacks !== undefined,
    suppliedValues: new Set(tools.suppliedValues?.keys()),
  }
  try {
    const services = target.services.filter(({ transport }) => transport === 'tcp')
    const check = (service: IdentifiedService, signal: AbortSignal) =>
      runService({ target, service, plan, tools: { ...tools, signal }, allowance, units, permissions }, serious)
    yield* mergeConcurrently(services, tools.servicesAtOnce ?? 1, tools.signal, check)
    yield* runDns(target, prepare(plan, permissions).dns, { ...tools, units }, serious)
  } catch (error) {
    // Findings confirmed before an abort are kept.
    yield* reportSerious(target.address, attributed(serious, target, plan), tools)
    throw error
  }
  yield* reportSerious(target.address, attributed(serious, target, plan), tools)
}

async function* runService(
  context: Omit<ServiceRun, 'origin' | 'signal'>,
  serious: Finding[],
): AsyncIterable<Observation> {
  const { target, service, tools } = context
  const { address, hostname } = target
  const origin = { address, port: service.port, tls: service.tls, hostname: hostname || address }
  const deadline = AbortSignal.timeout(portDeadlineMs[tools.profile])
  const run: ServiceRun = { ...context, origin, signal: AbortSignal.any([tools.signal, deadline]) }
  const finished = new Set<string>()
  const unfinished = new Set<string>()
  const stopReasons = new Map<string, string>()
  for await (const event of eventsOf(run, deadline)) {
    if (event.kind === 'ended') {
      ;(event.isFinished ? finished : unfinished).add(event.check)
      if (event.stopReason) stopReasons.set(event.check, event.stopReason)
    } else if (event.kind === 'problem') yield problem(address, `port ${service.port}: ${event.message}`)
    else if (event.kind === 'doubted') yield { ...event, address, port: service.port }
    else if (isSerious(event.severity)) serious.push(event.finding)
    else yield event.finding
  }
  yield* reportSkipped(run)
  const checks = [...finished.difference(unfinished)]
  const stopped = [...stopReasons].map(([check, reason]) => ({ check, reason }))
  if (checks.length + stopped.length > 0) yield { kind: 'coverage', address, port: service.port, checks, stopped }
}

/** A check with several protocols is completed when each of them is. */
async function* eventsOf(run: ServiceRun, deadline: AbortSignal): AsyncIterable<ServiceEvent> {
  const { service, plan, tools } = run
  const webRuns = webRunsOf(run)
  try {
    if (isHttp(service)) yield* runWeb(webRuns)
    if (service.tls) yield* runTls(run)
    yield* runNetwork(run)
  } catch (error) {
    if (!deadline.aborted || tools.signal.aborted) throw error
    yield { kind: 'problem', message: `stopped checking after ${portDeadlineMs[tools.profile] / 1000} s` }
    for (const { id, counts } of plan.templates) {
      if (webRuns.length > 1 || Object.values(counts).filter((count) => count > 0).length > 1)
        yield { kind: 'ended', isFinished: false, check: id }
    }
  }
}

/** A finding in the root is not repeated for each application below it. */
async function* runWeb(runs: readonly ServiceRun[]): AsyncIterable<ServiceEvent> {
  const found = new Set<string>()
  for (const run of runs) {
    const earlier = new Set(found)
    for await (const event of runHttp(run)) {
      if (event.kind === 'found') {
        if (earlier.has(event.finding.check)) continue
        found.add(event.finding.check)
      }
      yield event
    }
  }
}

/** Topics of checks for any application, such as the endpoint for its metrics. */
const topicsOfAllApplications: ReadonlySet<string> = new Set(['metrics'])

/**
 * The root, the applications below it, and sites under other names, unless the scan is limited to a folder. With all
 * checks in each linked folder, a front page that links to five products would get more than five thousand requests.
 */
function webRunsOf(run: ServiceRun): readonly ServiceRun[] {
  const { target, plan } = run
  const { ownFolder, linkedFolders = [], virtualHosts = [], technologies } = run.service
  if (target.basePath !== '/') return [run]
  const below = (basePath: string) => ({ ...run, target: { ...target, basePath } })
  const names = identifiedNames(technologies).union(topicsOfAllApplications)
  const ofProducts = { templates: plan.templates.filter((item) => isAbout(item, names)) }
  return [
    run,
    ...(ownFolder === undefined ? [] : [below(ownFolder)]),
    ...linkedFolders.map((folder) => ({ ...below(folder), plan: ofProducts })),
    ...virtualHosts.map((virtualHost, at) => ({
      ...run,
      virtualHost,
      origin: { ...run.origin, hostname: virtualHost },
      target: { ...target, hostname: virtualHost },
      plan: at === 0 ? plan : ofProducts,
    })),
  ]
}

function problem(address: string, message: string): Observation {
  return { kind: 'problem', address, level: 'warn', message: message.slice(0, 1000) }
}

function isHttp({ protocol }: IdentifiedService): boolean {
  return protocol === 'http' || protocol === 'https'
}

function* reportSerious(
  address: string,
  serious: readonly Finding[],
  { acceptsEveryMatch = false }: CheckTools,
): Iterable<Observation> {
  const isHoneypot = !acceptsEveryMatch && new Set(serious.map(({ check }) => check)).size >= HONEYPOT_FINDINGS_MIN
  for (const finding of serious)
    yield isHoneypot ? { ...finding, quality: Math.min(finding.quality, HONEYPOT_QUALITY) } : finding
  if (!isHoneypot) return
  const message = `${HONEYPOT_FINDINGS_MIN} or more serious findings on one host: it looks like a honeypot, so its findings get a low detection quality`
  yield problem(address, message)
}
