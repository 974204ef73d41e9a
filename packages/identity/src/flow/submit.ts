/** What every submit has in common: finding its flow, tying it to its browser, answering with the form. */
import { type Fields, textOf } from '#http/body.ts'
import { fits } from '#http/csrf.ts'
import { type WireError, badRequest, csrfViolation, flowDisabled } from '#http/error.ts'
import { type Answer, csrfOf, givenCsrf, json, redirect } from '#http/exchange.ts'
import { type Exchange, type Service, pageUrl } from '#service.ts'
import { flowBody, isUuid, loadFlow, saveFlow, withToken } from '#flow/flow.ts'
import type { Flow, FlowKind } from '#store.ts'
import { type PlacedMessage, onForm } from '#ui/message.ts'
import { type Node, withMessages, withValues, withoutMessages } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

const hints = {
  fetch:
    "We detected an AJAX call, please ensure that CORS is enabled and configured correctly, and that your AJAX code sends cookies and has credentials enabled. For further debugging, check your Browser's Network Tab to see what cookies are included or excluded.",
  plain:
    "We detected a regular browser or server-side call. To debug browser calls check your Browser's Network Tab to see what cookies are included or excluded. If you are calling from a server ensure that the appropriate cookies are being forwarded and that the SDK method is called correctly.",
  tokenNotSent:
    'The anti-CSRF cookie was found but the CSRF token was not included in the HTTP request body (csrf_token) nor in the HTTP Header (X-CSRF-Token).',
} as const

/**
 * The flow that a submit names.
 *
 * @throws WireError 400 without a well-formed id, 404 for an unknown one
 */
export async function submittedFlow(exchange: Exchange, kind: FlowKind): Promise<Flow> {
  const id = exchange.query.get('flow')
  if (!isUuid(id)) throw badRequest('The flow query parameter is missing or malformed.')
  return loadFlow(exchange.service, kind, id)
}

/**
 * Refuses what the installation does not offer.
 *
 * @throws WireError 400; only clients of the registration know its id
 */
export function requireEnabled({ disabledFlows }: Service, kind: 'registration' | 'recovery' | 'verification'): void {
  if (!disabledFlows.has(kind)) return
  if (kind === 'registration') throw flowDisabled()
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  throw badRequest(`${name} is not allowed because it was disabled.`)
}

/**
 * Holds a submit to its browser: the form's token must be the cookie's and, where a flow is bound to
 * the browser that started it, the cookie must be that browser's.
 */
export function requireCsrf(exchange: Exchange, fields: Fields, flow?: Flow): void {
  const token = requireCookie(exchange)
  if (!fits(textOf(fields, 'csrf_token'), token)) throw mismatch(exchange)
  if (flow && !fits(flow.csrf_token, token)) throw mismatch(exchange)
}

/** Holds whatever a submit may show of a flow to the browser that started it. */
export function requireOwnCookie(exchange: Exchange, flow: Flow): void {
  if (!fits(flow.csrf_token, requireCookie(exchange))) throw mismatch(exchange)
}

/** Holds the fetch of a flow to the browser that started it. */
export function requireSameBrowser(exchange: Exchange, flow: Flow): void {
  if (!fits(flow.csrf_token, requireCookie(exchange))) throw csrfViolation(hints.tokenNotSent)
}

function requireCookie(exchange: Exchange): string {
  const token = givenCsrf(exchange)
  if (token) return token
  throw csrfViolation(
    hintFor(exchange),
    exchange.hasCookieHeader
      ? 'The HTTP Cookie Header was set but did not include the anti-CSRF cookie.'
      : 'The HTTP Cookie Header is empty or not set.',
  )
}

function mismatch(exchange: Exchange): WireError {
  return csrfViolation(
    hintFor(exchange),
    'The HTTP Cookie Header was set and a CSRF token was sent but they do not match. We recommend deleting all cookies for this domain and retrying the flow.',
  )
}

function hintFor({ isFetch }: Exchange): string {
  return isFetch ? hints.fetch : hints.plain
}

interface Attempt {
  readonly messages: readonly PlacedMessage[]
  /** What was typed, by field name, to be shown again. */
  readonly typed?: ReadonlyMap<string, string | undefined>
  /** The form to show instead of the flow's own. */
  readonly nodes?: readonly Node[]
  readonly sort?: (nodes: readonly Node[]) => Node[]
}

/** Lays the outcome of an attempt on the flow's form and keeps it; earlier messages go. */
export async function keepAttempt(exchange: Exchange, flow: Flow, attempt: Attempt): Promise<Flow> {
  const nodes = withValues(withoutMessages(attempt.nodes ?? flow.ui.nodes), attempt.typed ?? new Map())
  const ui = withMessages({ ...flow.ui, nodes, messages: [] }, attempt.messages)
  const state = flow.state === 'success' ? 'show_form' : flow.state
  return saveFlow(exchange.service, flow, { state, ui: { ...ui, nodes: attempt.sort?.(ui.nodes) ?? ui.nodes } })
}

/** Answers with the form: a status for JSON clients, the flow's page for browsers. */
export function formAnswer(
  exchange: Exchange,
  flow: Flow,
  jsonStatus: 200 | 400,
  browserStatus: 302 | 303 = 303,
  extras: Parameters<typeof flowBody>[2] = {},
): Answer {
  const { service } = exchange
  if (exchange.wantsJson) return json(jsonStatus, flowBody(service, forVisitor(exchange, flow), extras))
  return redirect(pageUrl(service, flow.kind, flow.id), browserStatus)
}

/** A flow with the token of whoever looks at it: nobody learns that of the browser that started it. */
export function forVisitor(exchange: Exchange, flow: Flow): Flow {
  const token = csrfOf(exchange)
  return token === flow.csrf_token ? flow : { ...flow, ui: { ...flow.ui, nodes: withToken(flow.ui.nodes, token) } }
}

/** The message for a body that could not be read. */
export function unreadable(reason: string): PlacedMessage[] {
  return [onForm(problem.generic(reason))]
}
