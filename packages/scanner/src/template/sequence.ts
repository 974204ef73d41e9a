/**
 * Runs a sequential check: cookies and extracted values carry over between requests, and matchers
 * may refer to earlier responses by number.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { HttpRequest } from '#net/http-message.ts'
import { exchangeRaw } from '#net/raw-http.ts'
import { evaluateFlow } from '#template/flow.ts'
import { evaluateOperators, extractInternal, type Match } from '#template/matcher.ts'
import { payloadLimits, payloadSets } from '#template/payloads.ts'
import type { Annotations } from '#template/raw.ts'
import { requestBuildersOf, type RequestBuilder } from '#template/request-builders.ts'
import { follow, isUnanswered, type Chain, type Exchange } from '#template/redirects.ts'
import type { ServiceRun } from '#template/service-run.ts'
import type { HttpBlock } from '#template/template.ts'
import { answerAt, type State } from '#template/sequence-state.ts'
import type { SharedClient } from '#net/shared-client.ts'
import { runUnit, spendRequest, Stopped, tooManyLogins, tooManyRequests } from '#unit.ts'

/** Number of responses that matchers can refer to; later ones are matched and dropped. */
const STEPS_MAX = 40
/** Timeout for the response to raw bytes, in milliseconds. */
const RAW_DEADLINE_MS = 5_000

/** An unverified match of a step. */
export interface StepMatch {
  readonly state: State
  readonly block: HttpBlock
  /** Index of the step in the state's steps. */
  readonly at: number
  readonly exchange: Exchange
  readonly match: Match
}
/** A block whose matchers wait for a callback, with the last response they may inspect. */
export interface AwaitedCallback {
  readonly state: State
  readonly block: HttpBlock
  readonly id: string
  readonly exchange: Exchange
}
export interface SequenceTools {
  readonly run: ServiceRun
  readonly basePath: string
  readonly client: SharedClient
  /** Receives blocks that wait for a callback, which is awaited at the end. */
  readonly awaitCallback: (call: AwaitedCallback) => void
  /** Whether to skip a request that doesn't apply to this service. */
  readonly isForeign: (request: HttpRequest) => boolean
  /** Receives each chain; returns whether to continue. */
  readonly shouldContinue: (chain: Chain) => boolean
  /** Verifies a match, called once per match; may send control requests. */
  readonly verify: (match: StepMatch) => Promise<boolean>
}

/** @throws only when the run's signal aborts */
export async function runSequence(state: State, tools: SequenceTools): Promise<void> {
  const { http, flow } = state.template
  const holds = async (at: number) => {
    const block = http[at]
    // After a failed response nothing can be decided, not even a negated block.
    if (!block || state.isDone || state.isBroken) return false
    return runBlock(state, block, tools)
  }
  try {
    await evaluateFlow(flow ?? { kind: 'all' }, http.length, holds)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    state.isBroken = true
    state.stopReason = error.message
  }
  if (state.sentCount === 0) state.isBroken = true
}

/**
 * Whether a match of the block is genuine; a block without matchers is true when it was answered.
 */
async function runBlock(state: State, block: HttpBlock, tools: SequenceTools): Promise<boolean> {
  state.steps.length = 0
  let isMatched = false
  for (const payload of payloadSetsFor(state, block, tools)) {
    state.payload = payload
    const isFirstSet = state.steps.length === 0
    if (await runRequests(state, block, isFirstSet, tools)) isMatched = true
    awaitCallback(state, block, tools)
    if (state.isBroken || state.isDone || (isMatched && block.stopsAtFirstMatch)) break
  }
  if (isMatched && block.stopsAtFirstMatch) stopBlock(state, block)
  state.payload = new Map()
  const { matchers, extractors } = block.operators
  return isMatched || (matchers.length + extractors.length === 0 && !state.isBroken)
}

/** In a flow, stopping at the first match only leaves the current block. */
function stopBlock(state: State, { operators: { matchers } }: HttpBlock): void {
  if (state.template.flow === null) state.isDone = true
  else if (!matchers.every(({ isInternal }) => isInternal)) state.isPartial = true
}

/** A callback address is used for one payload set only. */
function awaitCallback(state: State, block: HttpBlock, tools: SequenceTools): void {
  const exchange = state.steps.findLast((step) => step !== undefined)?.exchange
  if (state.callback && exchange && usesCallbacks(block))
    tools.awaitCallback({ state, block, id: state.callback.id, exchange })
  if (usesCallbacks(block)) state.callback = null
}

function usesCallbacks({ operators: { matchers, extractors } }: HttpBlock): boolean {
  const isCall = (name: string) => name.startsWith('interactsh')
  return [...matchers, ...extractors].some(
    (one) => isCall(one.part) || (one.type === 'dsl' && one.expressions.some(({ names }) => [...names].some(isCall))),
  )
}

/** A single empty set for a block without payloads, otherwise as many as the scan allows. */
function* payloadSetsFor(
  state: State,
  block: HttpBlock,
  { run }: SequenceTools,
): Iterable<ReadonlyMap<string, string>> {
  if (!block.payloads) return yield new Map()
  const { requestsPerCheck, requestsPerGeneralCheck, credentials } = payloadLimits(run.tools)
  const most = state.template.isSpecific ? requestsPerCheck : requestsPerGeneralCheck
  const each = requestBuildersOf(block).length
  let left = state.template.isBruteForce ? credentials : Math.floor(most / each)
  for (const set of payloadSets(block.payloads)) {
    if (left-- <= 0 || run.allowance.payloadRequests < each) {
      // Skipped payloads mean that the check is incomplete.
      state.isBroken = true
      state.stopReason ??= state.template.isBruteForce && left < 0 ? tooManyLogins(credentials) : tooManyRequests
      return
    }
    run.allowance.payloadRequests -= each
    yield set
  }
}

async function runRequests(
  state: State,
  block: HttpBlock,
  isFirstSet: boolean,
  tools: SequenceTools,
): Promise<boolean> {
  let isMatched = false
  for (const builder of requestBuildersOf(block)) {
    if (builder.annotations.isOnce && !isFirstSet) continue
    if (await runStep(state, block, builder, tools)) isMatched = true
    if (state.isBroken || state.isDone || (isMatched && block.stopsAtFirstMatch)) break
  }
  return isMatched
}

async function runStep(
  state: State,
  block: HttpBlock,
  builder: RequestBuilder,
  tools: SequenceTools,
): Promise<boolean> {
  await waitBefore(builder, tools.run.signal)
  const request = runUnit(state.unit, () => builder.write(tools.basePath, state.lookup))
  const at = state.steps.push(undefined) - 1
  if (!request) return false
  if (tools.isForeign(request)) {
    // Skipped requests mean that the check is incomplete.
    state.isBroken = true
    return false
  }
  spendRequest(state.unit)
  const chain = await send(
    state,
    block,
    { ...builder.annotations, request, bytes: runUnit(state.unit, () => builder.bytes(tools.basePath, state.lookup)) },
    tools,
  )
  if (!tools.shouldContinue(chain) || isUnanswered(chain)) state.isBroken = true
  let isMatched = false
  for (const exchange of chain.exchanges) {
    if (at < STEPS_MAX) state.steps[at] = { request, exchange }
    const response = answerAt(state, block, exchange)
    const internalValues = extractInternal(block.operators, response, state.unit)
    for (const [name, value] of internalValues) state.extracted.set(name, value)
    // Without matchers, extracting a value counts as true.
    if (internalValues.size > 0 && block.operators.matchers.length === 0) isMatched = true
    for (const match of evaluateOperators(block.operators, response, state.unit)) {
      if (!(await tools.verify({ state, block, at, exchange, match }))) continue
      isMatched = true
      if (state.template.stopsAtFirstMatch && !match.isSilent) state.isDone = true
    }
  }
  return isMatched
}

/** Waits for the requested delay, so that earlier requests can take effect. */
async function waitBefore({ delayMs }: RequestBuilder, signal: AbortSignal): Promise<void> {
  if (delayMs === 0) return
  await delay(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
}

interface OutgoingRequest extends Annotations {
  readonly request: HttpRequest
  /** Sends malformed requests byte for byte. */
  readonly bytes: Buffer | null
}

async function send(state: State, block: HttpBlock, outgoing: OutgoingRequest, tools: SequenceTools): Promise<Chain> {
  const { request, deadlineMs, sendsHostAsSni } = outgoing
  const { run, client } = tools
  state.sentCount += 1
  if (block.isUnsafe && outgoing.bytes) return sendRaw(run, outgoing, outgoing.bytes, state)
  const jar = block.keepsCookies ? state.jar : undefined
  const { redirects: policy, redirectsMax } = block
  const origin = sendsHostAsSni ? { ...run.origin, hostname: hostOf(request) ?? run.origin.hostname } : run.origin
  const mayShare = deadlineMs === null && !sendsHostAsSni && isShareable(state, request)
  return follow(mayShare ? client : { request: client.requestUncached }, origin, request, {
    policy,
    redirectsMax,
    signal: run.signal,
    ...(jar && { jar }),
    ...(deadlineMs !== null && { deadlineMs }),
  })
}

/** No earlier request of this check can have changed the response. */
function isShareable(state: State, request: HttpRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') state.hasChanged = true
  return !state.hasChanged && state.jar.isEmpty() && request.body === undefined
}

async function sendRaw(
  run: ServiceRun,
  { request, deadlineMs, sni }: OutgoingRequest,
  bytes: Buffer,
  state: State,
): Promise<Chain> {
  const { guard, budget } = run.tools
  await budget.take(run.origin.address, run.signal)
  const serverName = sni === 'callback' ? String(state.lookup('interactsh-url') ?? '') : ''
  const response = await exchangeRaw(run.origin, bytes, {
    guard,
    signal: run.signal,
    deadlineMs: deadlineMs ?? RAW_DEADLINE_MS,
    ...(serverName !== '' && { serverName }),
  })
  if (response.kind === 'failure') return { exchanges: [], failure: response }
  return { exchanges: [{ origin: run.origin, path: request.path, request, response: response }], failure: null }
}

/** Hostname of a `Host` header, without the port. */
function hostOf({ headers = {} }: HttpRequest): string | undefined {
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1]
  return host?.replace(/:\d+$/, '')
}
