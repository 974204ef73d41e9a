/** Runs the HTTP checks of one service: shared requests, calibration, matching answer by answer. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { calibrate, controlOf, isNonsense, matchesToo, needsControl, type Calibration } from '#template/calibration.ts'
import { httpEvidence } from '#template/evidence.ts'
import { answerOf, follow, type Chain, type Exchange } from '#template/http.ts'
import { evaluateOperators, type Match } from '#template/matcher.ts'
import { planOrigin, type Listener, type SharedRequest } from '#template/plan.ts'
import type { ServiceEvent, ServiceRun } from '#template/run.ts'
import type { HttpBlock, Template } from '#template/template.ts'

/** Requests under way to one origin; the client may allow fewer. */
const SIDE_BY_SIDE = 6
/** After so many requests in a row, or in all, without an answer a service is left alone. */
const FAILURES_IN_A_ROW_MAX = 6
const FAILURES_MAX = 24
/** Matching goes on for so many templates before other work gets its turn. */
const LISTENERS_PER_TURN = 100

/** What is known of a template on this service while its requests come back. */
interface Progress {
  /** Requests that were not answered in full yet. */
  left: number
  isBroken: boolean
  /** Stopped on purpose at its first match. */
  isDone: boolean
}
interface Sent {
  readonly shared: SharedRequest
  readonly chain: Chain
}

/** @throws only when the run's signal aborts */
export async function* runHttp(run: ServiceRun): AsyncIterable<ServiceEvent> {
  const { target, origin, tools, signal } = run
  const scheme = origin.tls ? 'https' : 'http'
  const basePath = target.basePath.startsWith('/') ? target.basePath : '/'
  const place = { scheme, hostname: origin.hostname, address: origin.address, port: origin.port, basePath } as const
  const { requests, unfinished } = planOrigin(run.plan, place)
  if (requests.length === 0) return
  const progress = progressOf(requests, unfinished)
  const calibration = await calibrate(tools.http, origin, basePath, signal)
  // A service that answered nothing so far gets one more chance, and that is the front page.
  const inARowMax = calibration.nonsense.length > 0 ? FAILURES_IN_A_ROW_MAX : 1
  let hasAnswered = false
  let failures = 0
  let inARow = 0

  for await (const { shared, chain } of sendAll(run, requests, progress)) {
    const isAnswered = chain.failure === null
    failures += isAnswered ? 0 : 1
    hasAnswered ||= chain.exchanges.length > 0
    inARow = chain.exchanges.length > 0 ? 0 : inARow + 1
    yield* matchChain(run, shared, chain, { calibration, progress, basePath })
    if (inARow >= (hasAnswered ? FAILURES_IN_A_ROW_MAX : inARowMax) || failures >= FAILURES_MAX) {
      yield { kind: 'trouble', message: `stopped answering HTTP (${chain.failure?.reason ?? 'no answer'})` }
      break
    }
  }
  for (const [{ info }, { left, isBroken }] of progress) {
    yield { kind: 'ended', isFinished: left === 0 && !isBroken, check: info.id }
  }
}

function progressOf(requests: readonly SharedRequest[], unfinished: ReadonlySet<Template>): Map<Template, Progress> {
  const progress = new Map<Template, Progress>()
  for (const { listeners } of requests) {
    for (const { template } of listeners) {
      const one = progress.get(template) ?? { left: 0, isBroken: unfinished.has(template), isDone: false }
      one.left += 1
      progress.set(template, one)
    }
  }
  return progress
}

/** Sends a few requests side by side and yields each chain as it is complete. */
async function* sendAll(
  { tools, origin, signal }: ServiceRun,
  requests: readonly SharedRequest[],
  progress: ReadonlyMap<Template, Progress>,
): AsyncIterable<Sent> {
  const queue = requests.values()
  const under = new Map<SharedRequest, Promise<Sent>>()
  const stop = new AbortController()
  const options = { signal: AbortSignal.any([signal, stop.signal]) }
  const start = () => {
    for (const shared of queue) {
      if (shared.listeners.every(({ template }) => progress.get(template)?.isDone)) continue
      const { request, policy, redirectsMax } = shared
      const chain = follow(tools.http, origin, request, { policy, redirectsMax, ...options })
      under.set(
        shared,
        chain.then((done) => ({ shared, chain: done })),
      )
      return
    }
  }
  try {
    start()
    while (under.size > 0) {
      const sent = await Promise.race(under.values())
      under.delete(sent.shared)
      yield sent
      while (under.size < SIDE_BY_SIDE) {
        const before = under.size
        start()
        if (under.size === before) break
      }
    }
  } finally {
    for (const left of under.values()) left.catch(() => undefined)
    stop.abort(new Error('no longer wanted'))
  }
}

interface Circumstances {
  readonly calibration: Calibration
  readonly progress: ReadonlyMap<Template, Progress>
  readonly basePath: string
}

async function* matchChain(
  run: ServiceRun,
  shared: SharedRequest,
  chain: Chain,
  around: Circumstances,
): AsyncIterable<ServiceEvent> {
  let seen = 0
  for (const listener of shared.listeners) {
    const progress = around.progress.get(listener.template)
    if (!progress || progress.isDone) continue
    if (++seen % LISTENERS_PER_TURN === 0) await nextTurn()
    let isVoid = false
    for (const exchange of chain.exchanges) {
      const answer = answerOf(exchange, listener.lookup, listener.block.bodyBytesMax)
      for (const match of evaluateOperators(listener.block.operators, answer)) {
        const judged = await judge(run, shared, exchange, listener, match, around)
        if (judged === 'true') {
          yield found(run, exchange, listener, match)
          if (stops(listener.template, listener.block)) progress.isDone = true
        }
        if (judged === 'unknown') isVoid = true
      }
    }
    progress.left -= 1
    // A template that stopped at its first match did not ask everything, and so covers nothing else.
    if (chain.failure !== null || isVoid || progress.isDone) progress.isBroken = true
  }
}

function stops(template: Template, block: HttpBlock): boolean {
  return template.stopsAtFirstMatch || block.stopsAtFirstMatch
}

/** Whether a match stands, or would come out for any question at all. */
async function judge(
  { tools, origin, signal }: ServiceRun,
  { request }: SharedRequest,
  { response }: Exchange,
  listener: Listener,
  match: Match,
  { calibration, basePath }: Circumstances,
): Promise<'true' | 'nonsense' | 'unknown'> {
  // The front page is what it is: nothing was guessed in asking for it.
  if (request.path === basePath || request.path === '/') return 'true'
  if (isNonsense(calibration, origin, listener, match)) return 'nonsense'
  if (!needsControl(calibration, response.status)) return 'true'
  const control = controlOf(request, basePath)
  if (!control) return 'true'
  const answer = await tools.http.request(origin, control, { signal })
  if (answer.kind === 'failure') return calibration.nonsense.length === 0 && match.isProof ? 'true' : 'unknown'
  return matchesToo(answer, origin, listener, match) ? 'nonsense' : 'true'
}

function found({ target }: ServiceRun, exchange: Exchange, { template }: Listener, match: Match): ServiceEvent {
  const { info, claimedQuality } = template
  const { port } = exchange.origin
  const [path = '/'] = exchange.path.split('?', 1)
  return {
    kind: 'found',
    severity: info.severity,
    finding: {
      kind: 'finding',
      address: target.address,
      port,
      transport: 'tcp',
      check: info.id,
      threat: info.threat,
      location: `${port}${path}${match.name === '' ? '' : ` ${match.name}`}`.slice(0, 500),
      quality: claimedQuality ?? (match.isProof ? 99 : 70),
      ...httpEvidence(exchange, match),
    },
  }
}
