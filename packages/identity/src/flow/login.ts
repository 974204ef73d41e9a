/** Login flow: sign-in, reauthentication, and second factors. */
import { lacksSecondFactor } from '#assurance.ts'
import { aal1Required, badRequest, locationChangeRequired, sessionAlreadyAvailable } from '#http/error.ts'
import {
  type HttpResponse,
  ensureCsrfToken,
  json,
  redirect,
  renewCsrfToken,
  setSessionCookie,
  emitEvent,
} from '#http/exchange.ts'
import {
  type Exchange,
  type CodeSent,
  type LoginOutcome,
  pageUrl,
  secondFactorUrl,
  type LiveSession,
} from '#service.ts'
import { createFlow, csrfPlaceholder, expiredOnSubmit, isExpired, saveFlow, withCsrfToken } from '#flow/flow.ts'
import type { Flow, FlowMemory } from '#store.ts'
import { draftLogin, isSecondFactorOf, withHiddenIdentifier, sortLogin, withNewChallenge } from '#flow/login-form.ts'
import {
  formResponse,
  saveSubmission,
  requireCsrf,
  requireFlowCookie,
  submittedFlow,
  unreadableBody,
  respondStarted,
} from '#flow/submit.ts'
import { verifyCaptcha } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { getProvider, unreachable } from '#method/oidc.ts'
import { redirectToProvider } from '#oidc/authorization.ts'
import { selectMethod } from '#method/methods.ts'
import { checkReturnTo, resolveReturnTo } from '#return-to.ts'
import { schemaId } from '#schema.ts'
import { type Factor, issueSession, renewSession, revokeSession, sessionBody } from '#session.ts'
import { type Message, type FieldMessage, onForm } from '#ui/message.ts'
import { errorMessage } from '#ui/error-message.ts'

/** Starts a sign-in, a reauthentication (`refresh=true`) or a second factor (`aal=aal2`). */
export async function startLogin(exchange: Exchange): Promise<HttpResponse> {
  const { service, query } = exchange
  const requested = parseQuery(query)
  const returnTo = checkReturnTo(query.get('return_to'), service)
  const session = await exchange.session()
  if (requested.aal === 'aal2' && !session) throw aal1Required()
  const isSatisfied = session && (requested.aal === 'aal1' || session.aal === 'aal2')
  if (isSatisfied && !requested.refresh) {
    throw sessionAlreadyAvailable('login', { location: returnTo?.url ?? service.defaultReturnUrl, status: 303 })
  }
  const memory: FlowMemory = {
    refresh: requested.refresh && session !== null,
    requestedAal: requested.aal,
    ...(requested.schema && { identitySchema: requested.schema }),
  }
  const created = await createFlow(service, {
    ...(await draftLogin(exchange, memory, session)),
    requestUrl: exchange.url,
    returnTo: returnTo?.original ?? null,
    csrfToken: ensureCsrfToken(exchange),
  })
  const flow = session && requested.aal === 'aal2' ? await autoStartSecondFactor(exchange, created, session) : created
  const provider = query.get('provider')
  if (provider && requested.aal === 'aal1' && !exchange.acceptsJson) return openProvider(exchange, flow, provider)
  return respondStarted(exchange, flow)
}

/** Continues at a provider, as for a link to it (OpenID Connect Core, section 4). @throws WireError 422 with its URL */
async function openProvider(exchange: Exchange, flow: Flow, id: string): Promise<HttpResponse> {
  const provider = await getProvider(exchange.service, id)
  await redirectToProvider(exchange, provider, flow)
  const messages = unreachable(provider).messages.map(({ message }) => message)
  await saveFlow(exchange.service, flow, { ui: { ...flow.ui, messages } })
  return redirect(pageUrl(exchange.service, 'login', flow.id))
}

/** Starts the identity's second factor immediately if it is the only one, for example by sending a code. */
async function autoStartSecondFactor(exchange: Exchange, flow: Flow, session: LiveSession): Promise<Flow> {
  const [only, ...others] = exchange.service.methods.filter((method) => isSecondFactorOf(method, session.identity))
  const outcome = others.length === 0 ? await only?.secondFactor?.autoStart?.(exchange, session, flow) : undefined
  return only && outcome?.kind === 'code_sent' ? saveCodeSent(exchange, flow, only.name, outcome) : flow
}

/** Verifies the submission of a method, then creates or renews the session. */
export async function submitLogin(exchange: Exchange): Promise<HttpResponse> {
  const { service, body } = exchange
  const flow = await submittedFlow(exchange, 'login')
  const session = await exchange.session()
  const { requestedAal, refresh } = flow.memory
  if (requestedAal === 'aal2' && !session) throw aal1Required()
  if (session && !refresh && (requestedAal !== 'aal2' || session.aal === 'aal2')) return alreadySignedIn(exchange, flow)
  if (isExpired(service, flow)) throw expiredOnSubmit(service, flow, await createReplacement(exchange, flow, session))
  requireFlowCookie(exchange, flow)
  if (body.kind === 'unreadable') return respondWithErrors(exchange, flow, unreadableBody(body.reason))
  const { fields } = body
  const submitted = selectSubmittedMethod(exchange, fields, flow, requestedAal === 'aal2' ? session : null)
  if (!submitted) return respondWithErrors(exchange, flow, [onForm(errorMessage.loginNoMethod)])
  requireCsrf(exchange, fields, flow)
  const verified = requestedAal === 'aal2' ? { flow } : await verifyCaptcha(exchange, flow, fields)
  if (!verified) return respondWithErrors(exchange, flow, [onForm(errorMessage.captchaFailed)], fields)
  const outcome = await submitted.submit()
  if (outcome.kind === 'rejected') {
    const next = outcome.needsNewChallenge ? await withNewChallenge(exchange, verified.flow, session) : verified.flow
    return respondWithErrors(exchange, next, outcome.messages, fields)
  }
  if (outcome.kind === 'code_sent') return respondCodeSent(exchange, verified.flow, submitted.method, outcome)
  return completeLogin(exchange, flow, session, outcome.identityId, { method: submitted.method })
}

interface SubmittedMethod {
  readonly method: string
  submit(): Promise<LoginOutcome>
}

/** Selects the submitted method: as a second factor if a session is given, otherwise as a first factor. */
function selectSubmittedMethod(
  exchange: Exchange,
  fields: Fields,
  flow: Flow,
  session: LiveSession | null,
): SubmittedMethod | undefined {
  const method = selectMethod(exchange.service, session ? 'secondFactor' : 'login', fields)
  if (!method) return undefined
  const { name, login, secondFactor } = method
  if (session)
    return secondFactor && { method: name, submit: () => secondFactor.submit(exchange, session, fields, flow) }
  return login && { method: name, submit: () => login.submit(exchange, fields, flow) }
}

interface LoginQuery {
  readonly aal: 'aal1' | 'aal2'
  readonly refresh: boolean
  readonly schema: string | null
}

function parseQuery(query: URLSearchParams): LoginQuery {
  const aal = (query.get('aal') || 'aal1').toLowerCase()
  const schema = query.get('identity_schema') || null
  if (query.get('login_challenge')) throw badRequest('This service is not an OAuth 2.0 login provider.')
  if (schema && schema !== schemaId) throw badRequest(`Requested identity schema "${schema}" does not exist.`)
  if (aal !== 'aal1' && aal !== 'aal2') {
    throw badRequest(
      `Unable to parse AuthenticationMethod Assurance Level (AAL): expected one of [aal1, aal2] but got ${aal}`,
    )
  }
  const refresh = ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(query.get('refresh') ?? '')
  return { aal, refresh, schema }
}

async function createReplacement(exchange: Exchange, flow: Flow, session: LiveSession | null): Promise<Flow> {
  const { service } = exchange
  const expired: Message = errorMessage.loginExpired(flow.expires_at, service.now())
  return createFlow(service, {
    ...(await draftLogin(exchange, flow.memory, session)),
    messages: [expired],
    requestUrl: flow.request_url,
    returnTo: flow.return_to,
    csrfToken: ensureCsrfToken(exchange),
  })
}

async function alreadySignedIn(exchange: Exchange, flow: Flow): Promise<HttpResponse> {
  if (!exchange.wantsJson) return redirect(exchange.service.defaultReturnUrl)
  return respondWithErrors(exchange, flow, [
    onForm(
      errorMessage.generic(
        'A valid session was detected and thus login is not possible. Did you forget to set `?refresh=true`?',
      ),
    ),
  ])
}

/** Responds with the form for the code. As in Kratos, the status is 400. */
async function respondCodeSent(
  exchange: Exchange,
  flow: Flow,
  method: string,
  outcome: CodeSent,
): Promise<HttpResponse> {
  return formResponse(exchange, await saveCodeSent(exchange, flow, method, outcome), 400)
}

function saveCodeSent(
  exchange: Exchange,
  flow: Flow,
  method: string,
  { nodes, message, memory }: CodeSent,
): Promise<Flow> {
  return saveFlow(exchange.service, flow, {
    state: 'sent_email',
    active: method,
    memory: { ...flow.memory, ...memory },
    ui: { ...flow.ui, nodes: withCsrfToken([...nodes, csrfPlaceholder], flow.csrf_token), messages: [message] },
  })
}

async function respondWithErrors(
  exchange: Exchange,
  flow: Flow,
  messages: readonly FieldMessage[],
  fields: Fields = {},
): Promise<HttpResponse> {
  const identifier = textOf(fields, 'identifier')
  const codes = ['totp_code', 'lookup_secret']
    .filter((name) => name in fields)
    .map((name) => [name, undefined] as const)
  const values = new Map<string, string | undefined>([
    ...(identifier ? [['identifier', identifier] as const] : []),
    ...codes,
  ])
  const nodes = flow.state === 'sent_email' ? flow.ui.nodes.map(withHiddenIdentifier) : flow.ui.nodes
  return formResponse(
    exchange,
    await saveSubmission(exchange, flow, { messages, values: values, nodes, sort: sortLogin }),
    400,
  )
}

/** Creates a session, or renews the current one if it belongs to the same identity, and responds. */
export async function completeLogin(
  exchange: Exchange,
  flow: Flow,
  currentSession: LiveSession | null,
  identityId: string,
  factor: Factor,
): Promise<HttpResponse> {
  const { service } = exchange
  const isRenewal = currentSession?.identity.id === identityId
  if (!isRenewal) renewCsrfToken(exchange)
  if (currentSession && !isRenewal) await revokeSession(service, currentSession.identity.id, currentSession.id)
  const issued = isRenewal
    ? await renewSession(service, currentSession, factor, flow.memory.requestedAal)
    : await issueSession(service, identityId, factor, exchange.client)
  setSessionCookie(exchange, issued)
  emitEvent(exchange, 'signed_in', identityId, isRenewal ? 'refresh' : factor.method)
  if (lacksSecondFactor(service, issued.session)) throw locationChangeRequired(secondFactorUrl(service, flow.return_to))
  const location = resolveReturnTo(flow.return_to, service.defaultReturnUrl, service)
  if (!exchange.wantsJson) return redirect(location)
  return json(200, {
    session: sessionBody(issued.session, service.publicUrl),
    continue_with: [{ action: 'redirect_browser_to', redirect_browser_to: location }],
  })
}
