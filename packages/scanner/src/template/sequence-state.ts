/** State of a sequential check: extracted values, responses, and variables. */
import type { CallbackAddress, Callbacks } from '#callback/index.ts'
import type { HttpRequest } from '#net/http-message.ts'
import { toBytes, type Lookup } from '#template/dsl-value.ts'
import { responseParts } from '#template/response-parts.ts'
import type { Exchange } from '#template/redirects.ts'
import { createJar, type Jar } from '#net/cookie-jar.ts'
import type { ResponseParts, HttpBlock, Template } from '#template/template.ts'
import { fillBytesKnown, withVariables } from '#template/variables.ts'
import type { Unit } from '#unit.ts'

/** A sent request and the response of its chain under evaluation. */
export interface Step {
  readonly request: HttpRequest
  readonly exchange: Exchange
}
/** State of a check on one service. */
export interface State {
  readonly template: Template
  readonly unit: Unit
  readonly lookup: Lookup
  readonly jar: Jar
  /** Values of internal extractors, by name. */
  readonly extracted: Map<string, string>
  /** The current payload set. */
  payload: ReadonlyMap<string, string>
  /** Responses of the current block in request order, with gaps for unsent requests. */
  readonly steps: (Step | undefined)[]
  sentCount: number
  /** Callback address of the current payload set; null until used. */
  callback: CallbackAddress | null
  /** It sent a request that may have changed the service, so cached responses are stale. */
  hasChanged: boolean
  /** Paths whose responses proved something. */
  readonly provenPaths: string[]
  /** The flow left a block at its first match, so not everything was sent. */
  isPartial: boolean
  /** A request went unanswered, so the check is incomplete. */
  isBroken: boolean
  /** Why a budget ended it, if one did. */
  stopReason: string | null
  isDone: boolean
}
/** @param targetLookup target variables and random values */
export function createState(template: Template, unit: Unit, targetLookup: Lookup, callbacks?: Callbacks): State {
  const callback = () => (state.callback ??= callbacks?.create() ?? null)?.url
  const own: Lookup = (name) => {
    if (/^interactsh[-_]url$/.test(name)) return callback()
    return (
      state.extracted.get(name) ??
      payloadValue(state, (other) => (/^interactsh[-_]url$/.test(other) ? callback() : targetLookup(other)), name)
    )
  }
  const set = withVariables(
    template.variables,
    (name) => own(name) ?? targetLookup(name),
    variablesFromPayloads(template),
  )
  const state: State = {
    template,
    unit,
    lookup: (name) => own(name) ?? set(name),
    jar: createJar(),
    extracted: new Map(),
    payload: new Map(),
    steps: [],
    sentCount: 0,
    callback: null,
    hasChanged: false,
    provenPaths: [],
    isPartial: false,
    isBroken: false,
    stopReason: null,
    isDone: false,
  }
  return state
}

/** Payloads may call functions; other double braces in them are sent literally. */
function payloadValue(state: State, targetLookup: Lookup, name: string): string | undefined {
  const written = state.payload.get(name)
  if (written === undefined) return undefined
  return /\{\{\s*\w+\(/.test(written) ? fillBytesKnown(written, targetLookup) : toBytes(written)
}

/** Variables derived from payloads. */
function variablesFromPayloads({ http, variables }: Template): ReadonlySet<string> {
  if (variables.size === 0) return new Set()
  const names = [...http.flatMap(({ payloads }) => [...(payloads?.lists.keys() ?? [])]), 'interactsh']
  const derived = [...variables].filter(([, written]) => names.some((name) => written.includes(name)))
  return new Set(derived.map(([name]) => name))
}

/**
 * Parts visible to a step's matchers: its own response, earlier ones by number, and the check's
 * values.
 *
 * @param steps replaces the state's own steps, to evaluate other responses
 */
export function answerAt(state: State, block: HttpBlock, exchange: Exchange, steps = state.steps): ResponseParts {
  const history: Lookup = (name) => {
    const [, part, number] = /^(.+)_(\d{1,3})$/.exec(name) ?? []
    const step = part === undefined ? undefined : steps[Number(number) - 1]
    return step && part !== undefined
      ? responseParts(step.exchange, () => undefined, block.bodyBytesMax).get(part)
      : undefined
  }
  return responseParts(exchange, (name) => history(name) ?? state.lookup(name), block.bodyBytesMax)
}
