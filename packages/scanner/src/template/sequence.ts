/**
 * Runs a check whose requests follow on each other: cookies and what was read go from one to the
 * next, and matchers may look back at earlier answers by number.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { HttpRequest } from '#net/http.ts'
import { exchangeRaw } from '#net/raw-http.ts'
import { followFlow } from '#template/flow.ts'
import { evaluateOperators, readForLater, type Match } from '#template/matcher.ts'
import { payloadLimits, payloadSets } from '#template/payloads.ts'
import type { Annotations } from '#template/raw.ts'
import { questionsOf, type Question } from '#template/questions.ts'
import { follow, type Chain, type Exchange } from '#template/redirects.ts'
import type { ServiceRun } from '#template/run.ts'
import type { HttpBlock } from '#template/template.ts'
import { answerAt, type State } from '#template/sequence-state.ts'
import type { SharedClient } from '#template/shared-client.ts'

/** Answers that matchers may still look back at; later ones are matched and forgotten. */
const REMEMBERED_MAX = 40
/** How long the answer to raw bytes may take, in milliseconds. */
const RAW_DEADLINE_MS = 5_000

/** A match of a step, before it was judged. */
export interface StepMatch {
  readonly state: State
  readonly block: HttpBlock
  /** Place of the step among the state's steps. */
  readonly at: number
  readonly exchange: Exchange
  readonly match: Match
}
/** A block whose matchers wait for a call, with the last answer that they may look at beside it. */
export interface AwaitedCall {
  readonly state: State
  readonly block: HttpBlock
  readonly id: string
  readonly exchange: Exchange
}
export interface SequenceTools {
  readonly run: ServiceRun
  readonly basePath: string
  readonly client: SharedClient
  /** Hears of a block that the target is to call back for; the call is waited for at the end. */
  readonly awaitCall: (call: AwaitedCall) => void
  /** Whether a request has no business with this service, so that it is not sent. */
  readonly isForeign: (request: HttpRequest) => boolean
  /** Hears of each chain; answers whether to go on. */
  readonly goesOn: (chain: Chain) => boolean
  /** Whether a match stands; called once for each, it may ask the service again. */
  readonly settle: (match: StepMatch) => Promise<boolean>
}

/** @throws only when the run's signal aborts */
export async function runSequence(state: State, tools: SequenceTools): Promise<void> {
  const { http, flow } = state.template
  const holds = async (at: number) => {
    const block = http[at]
    // After a broken answer nothing can be decided any more, also not what `!` makes of it.
    if (!block || state.isDone || state.isBroken) return false
    return runBlock(state, block, tools)
  }
  await followFlow(flow ?? { kind: 'all' }, http.length, holds)
  if (state.asked === 0) state.isBroken = true
}

/** Whether a match of the block stands; one without matchers holds when it was answered. */
async function runBlock(state: State, block: HttpBlock, tools: SequenceTools): Promise<boolean> {
  state.steps.length = 0
  let isMatched = false
  for (const payload of setsOf(state, block, tools)) {
    state.payload = payload
    const isFirstSet = state.steps.length === 0
    if (await runQuestions(state, block, isFirstSet, tools)) isMatched = true
    awaitCall(state, block, tools)
    if (state.isBroken || state.isDone || (isMatched && block.stopsAtFirstMatch)) break
  }
  if (isMatched && block.stopsAtFirstMatch) stopBlock(state, block)
  state.payload = new Map()
  const { matchers, extractors } = block.operators
  return isMatched || (matchers.length + extractors.length === 0 && !state.isBroken)
}

/** Where a flow says what comes next, a block that stops at its first match is left, and no more. */
function stopBlock(state: State, { operators: { matchers } }: HttpBlock): void {
  if (state.template.flow === null) state.isDone = true
  else if (!matchers.every(({ isInternal }) => isInternal)) state.isCut = true
}

/** The address of one set of values is not handed out again. */
function awaitCall(state: State, block: HttpBlock, tools: SequenceTools): void {
  const exchange = state.steps.findLast((step) => step !== undefined)?.exchange
  if (state.callback && exchange && looksAtCalls(block))
    tools.awaitCall({ state, block, id: state.callback.id, exchange })
  if (looksAtCalls(block)) state.callback = null
}

function looksAtCalls({ operators: { matchers, extractors } }: HttpBlock): boolean {
  const isCall = (name: string) => name.startsWith('interactsh')
  return [...matchers, ...extractors].some(
    (one) => isCall(one.part) || (one.type === 'dsl' && one.expressions.some(({ names }) => [...names].some(isCall))),
  )
}

/** One set of no values for a block without lists; else as many as this scan may try. */
function* setsOf(state: State, block: HttpBlock, { run }: SequenceTools): Iterable<ReadonlyMap<string, string>> {
  if (!block.payloads) return yield new Map()
  const { requestsPerCheck, requestsPerGeneralCheck, credentials } = payloadLimits[run.tools.profile]
  const most = state.template.isSpecific ? requestsPerCheck : requestsPerGeneralCheck
  const each = questionsOf(block).length
  let left = state.template.isGuessing ? credentials : Math.floor(most / each)
  for (const set of payloadSets(block.payloads)) {
    if (left-- <= 0 || run.allowance.payloadRequests < each) {
      // What was not tried was not checked.
      state.isBroken = true
      return
    }
    run.allowance.payloadRequests -= each
    yield set
  }
}

async function runQuestions(
  state: State,
  block: HttpBlock,
  isFirstSet: boolean,
  tools: SequenceTools,
): Promise<boolean> {
  let isMatched = false
  for (const question of questionsOf(block)) {
    if (question.annotations.isOnce && !isFirstSet) continue
    if (await runStep(state, block, question, tools)) isMatched = true
    if (state.isBroken || state.isDone || (isMatched && block.stopsAtFirstMatch)) break
  }
  return isMatched
}

async function runStep(state: State, block: HttpBlock, question: Question, tools: SequenceTools): Promise<boolean> {
  await pauseOf(question, tools.run.signal)
  const request = question.write(tools.basePath, state.lookup)
  const at = state.steps.push(undefined) - 1
  if (!request) return false
  if (tools.isForeign(request)) {
    // What was not asked was not checked.
    state.isBroken = true
    return false
  }
  const chain = await send(
    state,
    block,
    { ...question.annotations, request, bytes: question.bytes(tools.basePath, state.lookup) },
    tools,
  )
  if (!tools.goesOn(chain) || chain.failure !== null) state.isBroken = true
  let isMatched = false
  for (const exchange of chain.exchanges) {
    if (at < REMEMBERED_MAX) state.steps[at] = { request, exchange }
    const answer = answerAt(state, block, exchange)
    const later = readForLater(block.operators, answer)
    for (const [name, value] of later) state.read.set(name, value)
    // Where there is nothing else to hold, having read something does.
    if (later.size > 0 && block.operators.matchers.length === 0) isMatched = true
    for (const match of evaluateOperators(block.operators, answer)) {
      if (!(await tools.settle({ state, block, at, exchange, match }))) continue
      isMatched = true
      if (state.template.stopsAtFirstMatch && !match.isSilent) state.isDone = true
    }
  }
  return isMatched
}

/** Waits as long as the request asks to be waited with, for what an earlier one has set going. */
async function pauseOf({ pauseMs }: Question, signal: AbortSignal): Promise<void> {
  if (pauseMs === 0) return
  await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
}

interface Asked extends Annotations {
  readonly request: HttpRequest
  /** Byte for byte, where the text bends the rules of HTTP. */
  readonly bytes: Buffer | null
}

async function send(state: State, block: HttpBlock, asked: Asked, tools: SequenceTools): Promise<Chain> {
  const { request, deadlineMs, sendsHostAsSni } = asked
  const { run, client } = tools
  state.asked += 1
  if (block.isUnsafe && asked.bytes) return sendRaw(run, asked, asked.bytes, state)
  const jar = block.keepsCookies ? state.jar : undefined
  const { redirects: policy, redirectsMax } = block
  const origin = sendsHostAsSni ? { ...run.origin, hostname: hostOf(request) ?? run.origin.hostname } : run.origin
  const mayShare = deadlineMs === null && !sendsHostAsSni && isSharable(state, request)
  return follow(mayShare ? client : { request: client.alone }, origin, request, {
    policy,
    redirectsMax,
    signal: run.signal,
    ...(jar && { jar }),
    ...(deadlineMs !== null && { deadlineMs }),
  })
}

/** Nothing that this check did before can have changed the answer. */
function isSharable(state: State, request: HttpRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') state.hasChanged = true
  return !state.hasChanged && state.jar.isEmpty() && request.body === undefined
}

async function sendRaw(
  run: ServiceRun,
  { request, deadlineMs, sni }: Asked,
  bytes: Buffer,
  state: State,
): Promise<Chain> {
  const { guard, budget } = run.tools
  await budget.take(run.origin.address, run.signal)
  const serverName = sni === 'callback' ? String(state.lookup('interactsh-url') ?? '') : ''
  const answer = await exchangeRaw(run.origin, bytes, {
    guard,
    signal: run.signal,
    deadlineMs: deadlineMs ?? RAW_DEADLINE_MS,
    ...(serverName !== '' && { serverName }),
  })
  if (answer.kind === 'failure') return { exchanges: [], failure: answer }
  return { exchanges: [{ origin: run.origin, path: request.path, request, response: answer }], failure: null }
}

/** The name of a `Host` header without its port. */
function hostOf({ headers = {} }: HttpRequest): string | undefined {
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1]
  return host?.replace(/:\d+$/, '')
}
