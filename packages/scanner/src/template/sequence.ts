/**
 * Runs a check whose requests follow on each other: cookies and what was read go from one to the
 * next, and matchers may look back at earlier answers by number.
 */
import type { Exchange, Chain, Question } from '#template/http.ts'
import { answerOf, follow, questionsOf } from '#template/http.ts'
import type { HttpRequest } from '#net/http.ts'
import type { Lookup } from '#template/dsl.ts'
import { createJar, type Jar } from '#template/jar.ts'
import { evaluateOperators, type Match } from '#template/matcher.ts'
import type { ServiceRun } from '#template/run.ts'
import type { Answer, HttpBlock, Template } from '#template/template.ts'

/** Answers that matchers may still look back at; later ones are matched and forgotten. */
const REMEMBERED_MAX = 40

/** A request that was sent, with the answer of the chain that is looked at. */
export interface Step {
  readonly request: HttpRequest
  readonly exchange: Exchange
}
/** Where a check stands on one service. */
export interface State {
  readonly template: Template
  readonly lookup: Lookup
  readonly jar: Jar
  /** Answers of the present block, in the order of their requests; a request that was not sent leaves a gap. */
  readonly steps: (Step | undefined)[]
  asked: number
  /** Something was not answered, so that the check has not come to its end. */
  isBroken: boolean
  isDone: boolean
}
/** A match of a step, before it was judged. */
export interface StepMatch {
  readonly state: State
  readonly block: HttpBlock
  /** Place of the step among the state's steps. */
  readonly at: number
  readonly exchange: Exchange
  readonly match: Match
}
export interface SequenceTools {
  readonly run: ServiceRun
  readonly basePath: string
  /** Sends the first request of a check; equal ones may share an answer. */
  readonly askFirst: (request: HttpRequest, block: HttpBlock) => Promise<Chain>
  /** Hears of each chain; answers whether to go on. */
  readonly goesOn: (chain: Chain) => boolean
  /** Whether a match stands; called once for each, it may ask the service again. */
  readonly settle: (match: StepMatch) => Promise<boolean>
}

export function createState(template: Template, lookup: Lookup): State {
  return { template, lookup, jar: createJar(), steps: [], asked: 0, isBroken: false, isDone: false }
}

/** @throws only when the run's signal aborts */
export async function runSequence(state: State, tools: SequenceTools): Promise<void> {
  for (const block of state.template.http) {
    await runBlock(state, block, tools)
    if (state.isDone || state.isBroken) return
  }
  if (state.asked === 0) state.isBroken = true
}

/** Whether a match of the block stands. */
async function runBlock(state: State, block: HttpBlock, tools: SequenceTools): Promise<boolean> {
  state.steps.length = 0
  let isMatched = false
  for (const write of questionsOf(block)) {
    if (await runStep(state, block, write, tools)) isMatched = true
    if (state.isBroken || state.isDone) break
    if (isMatched && block.stopsAtFirstMatch) {
      state.isDone = true
      break
    }
  }
  return isMatched
}

async function runStep(state: State, block: HttpBlock, write: Question, tools: SequenceTools): Promise<boolean> {
  const request = write(tools.basePath, state.lookup)
  const at = state.steps.push(undefined) - 1
  if (!request) return false
  const chain = await send(state, block, request, tools)
  if (!tools.goesOn(chain) || chain.failure !== null) state.isBroken = true
  let isMatched = false
  for (const exchange of chain.exchanges) {
    if (at < REMEMBERED_MAX) state.steps[at] = { request, exchange }
    for (const match of evaluateOperators(block.operators, answerAt(state, block, exchange))) {
      if (await tools.settle({ state, block, at, exchange, match })) isMatched = true
    }
  }
  if (isMatched && state.template.stopsAtFirstMatch) state.isDone = true
  return isMatched
}

async function send(state: State, block: HttpBlock, request: HttpRequest, tools: SequenceTools): Promise<Chain> {
  const { run } = tools
  const jar = block.keepsCookies ? state.jar : undefined
  state.asked += 1
  if (state.asked === 1) {
    const chain = await tools.askFirst(request, block)
    for (const { path, response } of chain.exchanges) jar?.take(path, response)
    return chain
  }
  const { redirects: policy, redirectsMax } = block
  return follow(run.tools.http, run.origin, request, { policy, redirectsMax, signal: run.signal, ...(jar && { jar }) })
}

/**
 * The answer of a step: its own parts, those of earlier answers by number, and the check's values.
 *
 * @param steps in place of the state's own, to see what would come out with other answers
 */
export function answerAt(state: State, block: HttpBlock, exchange: Exchange, steps = state.steps): Answer {
  const history: Lookup = (name) => {
    const [, part, number] = /^(.+)_(\d{1,3})$/.exec(name) ?? []
    const step = part === undefined ? undefined : steps[Number(number) - 1]
    return step && part !== undefined
      ? answerOf(step.exchange, () => undefined, block.bodyBytesMax).get(part)
      : undefined
  }
  return answerOf(exchange, (name) => history(name) ?? state.lookup(name), block.bodyBytesMax)
}
