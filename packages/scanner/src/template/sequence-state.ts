/** Where a check whose requests follow on each other stands: what it read and was answered, and the values of its names. */
import type { CallbackAddress, Callbacks } from '#callback/index.ts'
import type { HttpRequest } from '#net/http.ts'
import { toBytes, type Lookup } from '#template/dsl-value.ts'
import { answerOf } from '#template/answers.ts'
import type { Exchange } from '#template/redirects.ts'
import { createJar, type Jar } from '#template/jar.ts'
import type { Answer, HttpBlock, Template } from '#template/template.ts'
import { fillBytesKnown, withVariables } from '#template/variables.ts'

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
  /** What internal extractors read, by name. */
  readonly read: Map<string, string>
  /** The present set of values from lists. */
  payload: ReadonlyMap<string, string>
  /** Answers of the present block, in the order of their requests; a request that was not sent leaves a gap. */
  readonly steps: (Step | undefined)[]
  asked: number
  /** The address that the present set of values is to be called back at; null while nobody asked for it. */
  callback: CallbackAddress | null
  /** It sent something that may have changed the service, so that answers given before do not count. */
  hasChanged: boolean
  /** Paths whose answers proved something. */
  readonly proved: string[]
  /** A block was left at its first finding while the flow went on, so that not all of it was asked. */
  isCut: boolean
  /** Something was not answered, so that the check has not come to its end. */
  isBroken: boolean
  isDone: boolean
}
/** @param place values of the place and random ones */
export function createState(template: Template, place: Lookup, callbacks?: Callbacks): State {
  const callback = () => (state.callback ??= callbacks?.create() ?? null)?.url
  const own: Lookup = (name) => {
    if (/^interactsh[-_]url$/.test(name)) return callback()
    return (
      state.read.get(name) ??
      payloadValue(state, (other) => (/^interactsh[-_]url$/.test(other) ? callback() : place(other)), name)
    )
  }
  const set = withVariables(template.variables, (name) => own(name) ?? place(name), fleetingOf(template))
  const state: State = {
    template,
    lookup: (name) => own(name) ?? set(name),
    jar: createJar(),
    read: new Map(),
    payload: new Map(),
    steps: [],
    asked: 0,
    callback: null,
    hasChanged: false,
    proved: [],
    isCut: false,
    isBroken: false,
    isDone: false,
  }
  return state
}

/** Values of lists may call functions; other double braces in them are what is to be sent. */
function payloadValue(state: State, place: Lookup, name: string): string | undefined {
  const written = state.payload.get(name)
  if (written === undefined) return undefined
  return /\{\{\s*\w+\(/.test(written) ? fillBytesKnown(written, place) : toBytes(written)
}

/** Variables that are made of what lists bring. */
function fleetingOf({ http, variables }: Template): ReadonlySet<string> {
  if (variables.size === 0) return new Set()
  const names = [...http.flatMap(({ payloads }) => [...(payloads?.lists.keys() ?? [])]), 'interactsh']
  const made = [...variables].filter(([, written]) => names.some((name) => written.includes(name)))
  return new Set(made.map(([name]) => name))
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
