/** Runs the HTTP checks of one service: shared requests, calibration, and matching. */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpRequest } from '#net/http-message.ts'
import { calibrate } from '#template/calibration.ts'
import { variantsOf, type Group, type Variant } from '#template/groups.ts'
import { createHealth } from '#template/health.ts'
import { requestBuildersOf, type RequestBuilder } from '#template/request-builders.ts'
import { matchLinkedPages } from '#template/linked-pages.ts'
import { candidatesOf, lookupOf, markBroken, matchExchange, type HttpRun } from '#template/match-http.ts'
import { follow, isUnanswered, type Chain } from '#template/redirects.ts'
import { prepare } from '#template/plan.ts'
import { completions, addPending } from '#template/progress.ts'
import { identifiedNames } from '#template/relevance.ts'
import { runSequences } from '#template/run-sequences.ts'
import { isAbout, isForeignPath, shouldSend, runtimesOf } from '#template/selection.ts'
import { createSharedClient } from '#net/shared-client.ts'
import type { ServiceEvent, ServiceRun } from '#template/service-run.ts'
import type { Template } from '#template/template.ts'
import { variablesOf, withSuppliedValues } from '#template/variables.ts'
import { runUnit, Stopped } from '#unit.ts'

/** Concurrent requests per origin; the client may allow fewer. */
const CONCURRENT_REQUESTS = 6
/** Responses that may wait for an earlier one. */
const UNMATCHED_RESPONSES = 32
/** Number of templates to match before yielding to the event loop. */
const MATCHES_PER_TICK = 200

interface SentRequest {
  readonly group: Group
  readonly variant: Variant
  readonly path: string
  readonly chain: Chain
}

/** @throws only when the run's signal aborts */
export async function* runHttp(run: ServiceRun): AsyncIterable<ServiceEvent> {
  const { target, origin, tools, signal } = run
  const { groups, sequences, isSmall } = prepare(run.plan, run.permissions)
  if (groups.length === 0 && sequences.length === 0) return
  const basePath = target.basePath.startsWith('/') ? target.basePath : '/'
  const variables = targetVariables(run, basePath)
  const calibration = await calibrate(tools.http, origin, basePath, signal)
  const work: HttpRun = {
    run,
    client: tools.shared ?? createSharedClient(tools.http),
    basePath,
    calibration,
    // A service that hasn't responded so far gets one more attempt: the front page.
    health: createHealth(calibration.responses.length > 0),
    progress: new Map(),
    lookups: new Map(),
    targetLookup: withSuppliedValues(tools.suppliedValues, (name) => variables.get(name)),
    isSmall: isSmall || tools.isExhaustive === true,
    names: identifiedNames(run.service.technologies).union(runtimesOf(calibration.responses)),
    found: new Set(),
  }
  try {
    const { last = [], first = [] } = Object.groupBy(groups, (group) => (group.isUndecodable ? 'last' : 'first'))
    // A slow server may reach the deadline, so checks about its own product come first.
    const isOwn = (item: Template) => !item.isUnsafe && !item.permission && isAbout(item, work.names)
    const { own = [], other = [] } = Object.groupBy(sequences, (item) => (isOwn(item) ? 'own' : 'other'))
    yield* runSequences(run, { ...work, variables, sequences: own })
    yield* runGroups(work, first)
    yield* runSequences(run, { ...work, variables, sequences: other })
    if (last.length > 0) yield* runGroups(work, last)
  } finally {
    if (!tools.shared) work.client.clear()
  }
  const failureReason = work.health.stopReason()
  if (failureReason !== null) yield { kind: 'problem', message: failureReason }
  const limited = work.health.limitedCount()
  if (limited > 0)
    yield {
      kind: 'problem',
      message: `rejected ${limited === 1 ? 'a request' : `${limited} requests`} as too many (429), so some checks have no result`,
    }
}

function targetVariables({ origin }: ServiceRun, basePath: string) {
  const scheme = origin.tls ? 'https' : 'http'
  return variablesOf({ scheme, hostname: origin.hostname, address: origin.address, port: origin.port, basePath })
}

/** The front page first: the products identified there determine the remaining requests. */
async function* runGroups(work: HttpRun, groups: readonly Group[]): AsyncIterable<ServiceEvent> {
  for (const { members } of groups) for (const { template } of members) addPending(work.progress, template)
  try {
    yield* sendAll(
      work,
      groups.filter(({ isFront }) => isFront),
    )
    const rest = groups.filter((group) => !group.isFront && (work.isSmall || shouldSend(group, work.names)))
    const rankOfGroup = (group: Group) =>
      Number(!group.members.some(({ template }) => !template.subjects.isDisjointFrom(work.names)))
    const ranked = rest.map((group) => [rankOfGroup(group), group] as const)
    yield* sendAll(
      work,
      ranked.toSorted(([left], [right]) => left - right).map(([, group]) => group),
    )
    yield* matchLinkedPages(work, groups)
  } catch (error) {
    // Checks completed before the deadline count as completed.
    yield* completions(work.progress)
    throw error
  }
  yield* completions(work.progress)
}

/**
 * Sends requests concurrently and matches the responses in the order of the groups, so that a template that stops at its
 * first match finds the same in every scan.
 */
async function* sendAll(work: HttpRun, groups: readonly Group[]): AsyncIterable<ServiceEvent> {
  const stop = new AbortController()
  const signal = AbortSignal.any([work.run.signal, stop.signal])
  const options = { concurrency: CONCURRENT_REQUESTS, highWaterMark: UNMATCHED_RESPONSES }
  // Settled, because a stream that fails drops what wasn't read yet.
  const send = (group: Group) => Promise.allSettled([sendGroup(work, group, signal)])
  const responses: AsyncIterable<Awaited<ReturnType<typeof send>>> = Readable.from(groups).map(send, options)
  try {
    for await (const [outcome] of responses) {
      if (outcome.status === 'rejected') throw outcome.reason
      for (const sent of outcome.value ?? []) yield* matchChain(work, sent)
      if (work.health.stopReason() !== null) return
    }
  } finally {
    stop.abort(new Error('request canceled'))
  }
}

/**
 * Sends a group's request; null when no template needs it anymore or it can't be built for this
 * target.
 */
function sendGroup(work: HttpRun, group: Group, signal: AbortSignal): Promise<readonly SentRequest[]> | null {
  const waiting = group.members.filter(
    ({ template }) => !work.progress.get(template)?.isDone && !isStopped(work, template),
  )
  const [first] = waiting
  const block = first?.template.http[first.block]
  const builder = block && requestBuildersOf(block)[first.request]
  if (!first || !builder) return null
  const request = writeRequest(work, builder, first.template)
  if (!request || work.health.rejectsBodyOf(request)) {
    for (const { template } of waiting) markBroken(work, template)
    return null
  }
  if (!work.isSmall && isForeignPath(request.path.slice(work.basePath.length - 1), work.names)) return null
  const variants = variantsOf(group).map(async (variant): Promise<SentRequest> => {
    const { policy, redirectsMax } = variant
    const chain = await follow(work.client, work.run.origin, request, { policy, redirectsMax, signal })
    work.health.record(chain)
    return { group, variant, path: request.path, chain }
  })
  return Promise.all(variants)
}

/** Whether its budget is spent; records the reason. */
function isStopped(work: HttpRun, template: Template): boolean {
  const { stopReason } = work.run.units.of(template.id)
  if (stopReason !== null) markBroken(work, template, stopReason)
  return stopReason !== null
}

function writeRequest(work: HttpRun, builder: RequestBuilder, template: Template): HttpRequest | null {
  const unit = work.run.units.of(template.id)
  try {
    return runUnit(unit, () => builder.write(work.basePath, lookupOf(work, template)))
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    markBroken(work, template, error.message)
    return null
  }
}

async function* matchChain(work: HttpRun, sent: SentRequest): AsyncIterable<ServiceEvent> {
  let seen = 0
  const { members } = sent.variant
  const candidates = sent.chain.exchanges.map(({ response }) => candidatesOf(members, response))
  for (const [at, member] of members.entries()) {
    const progress = work.progress.get(member.template)
    if (!progress || progress.isDone) continue
    let isInconclusive = false
    for (const [hop, exchange] of sent.chain.exchanges.entries()) {
      if (candidates[hop]?.[at] === 0) continue
      if (++seen % MATCHES_PER_TICK === 0) await nextTurn()
      try {
        isInconclusive = (yield* matchExchange(work, { path: sent.path, exchange }, member)) || isInconclusive
      } catch (error) {
        if (!(error instanceof Stopped)) throw error
        markBroken(work, member.template, error.message)
      }
    }
    progress.left -= 1
    // A template that stopped at its first match did not send everything, so it has no coverage.
    if (isUnanswered(sent.chain) || isInconclusive || progress.isDone) progress.isBroken = true
  }
}
