/** Common parts of submissions: loading the flow, CSRF checks, and responding with the form. */
import { type Fields, textOf } from '#http/body.ts'
import { matchesToken } from '#http/csrf.ts'
import { type WireError, badRequest, csrfViolation, flowDisabled } from '#http/error.ts'
import { type HttpResponse, ensureCsrfToken, csrfTokenFromCookie, json, redirect } from '#http/exchange.ts'
import { type Exchange, type Service, pageUrl } from '#service.ts'
import { flowBody, isUuid, loadFlow, saveFlow, withCsrfToken } from '#flow/flow.ts'
import type { Flow, FlowKind } from '#store.ts'
import { type FieldMessage, onForm } from '#ui/message.ts'
import { type Node, withMessages, withValues, withoutMessages } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

const hints = {
  fetch:
    "We detected an AJAX call, please ensure that CORS is enabled and configured correctly, and that your AJAX code sends cookies and has credentials enabled. For further debugging, check your Browser's Network Tab to see what cookies are included or excluded.",
  plain:
    "We detected a regular browser or server-side call. To debug browser calls check your Browser's Network Tab to see what cookies are included or excluded. If you are calling from a server ensure that the appropriate cookies are being forwarded and that the SDK method is called correctly.",
  tokenNotSent:
    'The anti-CSRF cookie was found but the CSRF token was not included in the HTTP request body (csrf_token) nor in the HTTP Header (X-CSRF-Token).',
} as const

/**
 * Loads the flow named in the query.
 *
 * @throws WireError 400 for a missing or malformed ID, 404 for an unknown flow
 */
export async function submittedFlow(exchange: Exchange, kind: FlowKind): Promise<Flow> {
  const id = exchange.query.get('flow')
  if (!isUuid(id)) throw badRequest('The flow query parameter is missing or malformed.')
  return loadFlow(exchange.service, kind, id)
}

/** @throws WireError 400 if the flow is disabled; as in Kratos, only registration returns an error ID */
export function requireEnabled({ disabledFlows }: Service, kind: 'registration' | 'recovery' | 'verification'): void {
  if (!disabledFlows.has(kind)) return
  if (kind === 'registration') throw flowDisabled()
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  throw badRequest(`${name} is not allowed because it was disabled.`)
}

/**
 * Requires the form's token to match the cookie. If a flow is given, the cookie must also belong to the browser that
 * started the flow.
 */
export function requireCsrf(exchange: Exchange, fields: Fields, flow?: Flow): void {
  const token = requireCookie(exchange)
  if (!matchesToken(textOf(fields, 'csrf_token'), token)) throw csrfMismatch(exchange)
  if (flow && !matchesToken(flow.csrf_token, token)) throw csrfMismatch(exchange)
}

/** Requires the CSRF cookie of the browser that started the flow, before the response shows any of it. */
export function requireFlowCookie(exchange: Exchange, flow: Flow): void {
  if (!matchesToken(flow.csrf_token, requireCookie(exchange))) throw csrfMismatch(exchange)
}

/** Same check for fetching a flow; the error differs. */
export function requireSameBrowser(exchange: Exchange, flow: Flow): void {
  if (!matchesToken(flow.csrf_token, requireCookie(exchange))) throw csrfViolation(hints.tokenNotSent)
}

function requireCookie(exchange: Exchange): string {
  const token = csrfTokenFromCookie(exchange)
  if (token) return token
  throw csrfViolation(
    hintFor(exchange),
    exchange.hasCookieHeader
      ? 'The HTTP Cookie Header was set but did not include the anti-CSRF cookie.'
      : 'The HTTP Cookie Header is empty or not set.',
  )
}

function csrfMismatch(exchange: Exchange): WireError {
  return csrfViolation(
    hintFor(exchange),
    'The HTTP Cookie Header was set and a CSRF token was sent but they do not match. We recommend deleting all cookies for this domain and retrying the flow.',
  )
}

function hintFor({ isFetch }: Exchange): string {
  return isFetch ? hints.fetch : hints.plain
}

interface Submission {
  readonly messages: readonly FieldMessage[]
  /** Submitted values to redisplay, by field name. */
  readonly values?: ReadonlyMap<string, string | undefined>
  /** Nodes that replace the flow's current nodes. */
  readonly nodes?: readonly Node[]
  readonly sort?: (nodes: readonly Node[]) => Node[]
}

/** Stores the form with submitted values and messages. Removes messages from earlier submissions. */
export async function saveSubmission(exchange: Exchange, flow: Flow, submission: Submission): Promise<Flow> {
  const nodes = withValues(withoutMessages(submission.nodes ?? flow.ui.nodes), submission.values ?? new Map())
  const ui = withMessages({ ...flow.ui, nodes, messages: [] }, submission.messages)
  const state = flow.state === 'success' ? 'show_form' : flow.state
  return saveFlow(exchange.service, flow, { state, ui: { ...ui, nodes: submission.sort?.(ui.nodes) ?? ui.nodes } })
}

/** Responds to the start of a flow with the form: as JSON, or as a redirect to the flow's page. */
export function respondStarted(
  exchange: Exchange,
  flow: Flow,
  extras: Parameters<typeof flowBody>[2] = {},
): HttpResponse {
  if (exchange.acceptsJson) return json(200, flowBody(exchange.service, flow, extras))
  return redirect(pageUrl(exchange.service, flow.kind, flow.id))
}

/** Responds with the form: as JSON, or as a redirect to the flow's page. */
export function formResponse(
  exchange: Exchange,
  flow: Flow,
  jsonStatus: 200 | 400,
  browserStatus: 302 | 303 = 303,
  extras: Parameters<typeof flowBody>[2] = {},
): HttpResponse {
  const { service } = exchange
  if (exchange.wantsJson) return json(jsonStatus, flowBody(service, forBrowser(exchange, flow), extras))
  return redirect(pageUrl(service, flow.kind, flow.id), browserStatus)
}

/** Replaces the flow's CSRF token with that of the requesting browser, so that the original one isn't disclosed. */
export function forBrowser(exchange: Exchange, flow: Flow): Flow {
  const token = ensureCsrfToken(exchange)
  return token === flow.csrf_token ? flow : { ...flow, ui: { ...flow.ui, nodes: withCsrfToken(flow.ui.nodes, token) } }
}

/** Message for a request body that couldn't be parsed. */
export function unreadableBody(reason: string): FieldMessage[] {
  return [onForm(errorMessage.generic(reason))]
}
