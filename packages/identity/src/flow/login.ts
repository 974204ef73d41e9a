/** Signing in, and proving again who one is. */
import { lacksSecondFactor } from '#assurance.ts'
import { aal1Required, badRequest, locationChangeRequired, sessionAlreadyAvailable } from '#http/error.ts'
import { type Answer, csrfOf, json, redirect, renewCsrf, setSession, tell } from '#http/exchange.ts'
import { type Exchange, type Asked, type LoginOutcome, pageUrl, secondFactorUrl, type LiveSession } from '#service.ts'
import { createFlow, csrfPlace, expiredOnSubmit, flowBody, isExpired, saveFlow, withToken } from '#flow/flow.ts'
import type { Flow, FlowMemory } from '#store.ts'
import { draftLogin, isSecondFactorOf, settled, sortLogin, withNewChallenge } from '#flow/login-form.ts'
import { formAnswer, keepAttempt, requireCsrf, requireOwnCookie, submittedFlow, unreadable } from '#flow/submit.ts'
import { isHuman } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { methodFor } from '#method/methods.ts'
import { checkReturnTo, resolveReturnTo } from '#return-to.ts'
import { schemaId } from '#schema.ts'
import { type Factor, issueSession, renewSession, revokeSession, sessionBody } from '#session.ts'
import { type Message, type PlacedMessage, onForm } from '#ui/message.ts'
import { problem } from '#ui/problem.ts'

/** Starts a sign-in, a renewal (`refresh=true`) or a second factor (`aal=aal2`). */
export async function startLogin(exchange: Exchange): Promise<Answer> {
  const { service, query } = exchange
  const asked = readQuery(query)
  const returnTo = checkReturnTo(query.get('return_to'), service)
  const session = await exchange.session()
  if (asked.aal === 'aal2' && !session) throw aal1Required()
  const isSatisfied = session && (asked.aal === 'aal1' || session.aal === 'aal2')
  if (isSatisfied && !asked.refresh) {
    throw sessionAlreadyAvailable('login', { location: returnTo?.url ?? service.defaultReturnUrl, status: 303 })
  }
  const memory: FlowMemory = {
    refresh: asked.refresh && session !== null,
    requestedAal: asked.aal,
    ...(asked.schema && { identitySchema: asked.schema }),
  }
  const made = await createFlow(service, {
    ...(await draftLogin(exchange, memory, session)),
    requestUrl: exchange.url,
    returnTo: returnTo?.shown ?? null,
    csrfToken: csrfOf(exchange),
  })
  const flow = session && asked.aal === 'aal2' ? await begin(exchange, made, session) : made
  if (exchange.acceptsJson) return json(200, flowBody(service, flow))
  return redirect(pageUrl(service, 'login', flow.id))
}

/** The only second factor of an account that can begin by itself does so. */
async function begin(exchange: Exchange, flow: Flow, session: LiveSession): Promise<Flow> {
  const [only, ...others] = exchange.service.methods.filter((method) => isSecondFactorOf(method, session.identity))
  const outcome = others.length === 0 ? await only?.secondFactor?.begin?.(exchange, session, flow) : undefined
  return only && outcome?.kind === 'asked' ? keepAsked(exchange, flow, only.name, outcome) : flow
}

/** Takes the proof of one method and opens or renews the session. */
export async function submitLogin(exchange: Exchange): Promise<Answer> {
  const { service, body } = exchange
  const flow = await submittedFlow(exchange, 'login')
  const session = await exchange.session()
  const { requestedAal, refresh } = flow.memory
  if (requestedAal === 'aal2' && !session) throw aal1Required()
  if (session && !refresh && (requestedAal !== 'aal2' || session.aal === 'aal2')) return alreadySignedIn(exchange, flow)
  if (isExpired(service, flow)) throw expiredOnSubmit(service, flow, await replace(exchange, flow, session))
  requireOwnCookie(exchange, flow)
  if (body.kind === 'unreadable') return refuse(exchange, flow, unreadable(body.reason))
  const { fields } = body
  const proof = proofOf(exchange, fields, flow, requestedAal === 'aal2' ? session : null)
  if (!proof) return refuse(exchange, flow, [onForm(problem.loginNoMethod)])
  requireCsrf(exchange, fields, flow)
  const human = requestedAal === 'aal2' ? { flow } : await isHuman(exchange, flow, fields)
  if (!human) return refuse(exchange, flow, [onForm(problem.captchaFailed)], fields)
  const outcome = await proof.prove()
  if (outcome.kind === 'refused') {
    const next = outcome.isSpent ? await withNewChallenge(exchange, human.flow, session) : human.flow
    return refuse(exchange, next, outcome.messages, fields)
  }
  if (outcome.kind === 'asked') return ask(exchange, human.flow, proof.method, outcome)
  return completeLogin(exchange, flow, session, outcome.identityId, { method: proof.method })
}

interface Proof {
  readonly method: string
  prove(): Promise<LoginOutcome>
}

/** How a method proves who somebody is: the holder of a session by a second factor, anybody by a first. */
function proofOf(exchange: Exchange, fields: Fields, flow: Flow, session: LiveSession | null): Proof | undefined {
  const method = methodFor(exchange.service, session ? 'secondFactor' : 'login', fields)
  if (!method) return undefined
  const { name, login, secondFactor } = method
  if (session)
    return secondFactor && { method: name, prove: () => secondFactor.submit(exchange, session, fields, flow) }
  return login && { method: name, prove: () => login.submit(exchange, fields, flow) }
}

/** The address of a sign-in's form, opened as a page: nothing was sent, so the form is shown. */
export async function openLogin(exchange: Exchange): Promise<Answer> {
  const flow = await submittedFlow(exchange, 'login')
  return redirect(pageUrl(exchange.service, 'login', flow.id))
}

interface Wanted {
  readonly aal: 'aal1' | 'aal2'
  readonly refresh: boolean
  readonly schema: string | null
}

function readQuery(query: URLSearchParams): Wanted {
  const aal = query.get('aal') || 'aal1'
  const schema = query.get('identity_schema') || null
  if (query.get('login_challenge')) throw badRequest('This service is no OAuth 2.0 login provider.')
  if (schema && schema !== schemaId) throw badRequest(`Requested identity schema "${schema}" does not exist.`)
  if (aal !== 'aal1' && aal !== 'aal2') {
    throw badRequest(
      `Unable to parse AuthenticationMethod Assurance Level (AAL): expected one of [aal1, aal2] but got ${aal}`,
    )
  }
  const refresh = ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(query.get('refresh') ?? '')
  return { aal, refresh, schema }
}

async function replace(exchange: Exchange, flow: Flow, session: LiveSession | null): Promise<Flow> {
  const { service } = exchange
  const expired: Message = problem.loginExpired(flow.expires_at, service.now())
  return createFlow(service, {
    ...(await draftLogin(exchange, flow.memory, session)),
    messages: [expired],
    requestUrl: flow.request_url,
    returnTo: flow.return_to,
    csrfToken: csrfOf(exchange),
  })
}

async function alreadySignedIn(exchange: Exchange, flow: Flow): Promise<Answer> {
  if (!exchange.wantsJson) return redirect(exchange.service.defaultReturnUrl)
  return refuse(exchange, flow, [
    onForm(
      problem.generic(
        'A valid session was detected and thus login is not possible. Did you forget to set `?refresh=true`?',
      ),
    ),
  ])
}

/** Goes on with what a method asks next; clients read the form from an answer of 400. */
async function ask(exchange: Exchange, flow: Flow, method: string, outcome: Asked): Promise<Answer> {
  return formAnswer(exchange, await keepAsked(exchange, flow, method, outcome), 400)
}

function keepAsked(exchange: Exchange, flow: Flow, method: string, { nodes, message, memory }: Asked): Promise<Flow> {
  return saveFlow(exchange.service, flow, {
    state: 'sent_email',
    active: method,
    memory: { ...flow.memory, ...memory },
    ui: { ...flow.ui, nodes: withToken([...nodes, csrfPlace], flow.csrf_token), messages: [message] },
  })
}

async function refuse(
  exchange: Exchange,
  flow: Flow,
  messages: readonly PlacedMessage[],
  fields: Fields = {},
): Promise<Answer> {
  const identifier = textOf(fields, 'identifier')
  const codes = ['totp_code', 'lookup_secret']
    .filter((name) => name in fields)
    .map((name) => [name, undefined] as const)
  const typed = new Map<string, string | undefined>([
    ...(identifier ? [['identifier', identifier] as const] : []),
    ...codes,
  ])
  const nodes = flow.state === 'sent_email' ? flow.ui.nodes.map(settled) : flow.ui.nodes
  return formAnswer(exchange, await keepAttempt(exchange, flow, { messages, typed, nodes, sort: sortLogin }), 400)
}

/** Opens a session for who has proved it, or renews the one there is, and answers. */
export async function completeLogin(
  exchange: Exchange,
  flow: Flow,
  present: LiveSession | null,
  identityId: string,
  factor: Factor,
): Promise<Answer> {
  const { service } = exchange
  const isRenewal = present?.identity.id === identityId
  if (!isRenewal) renewCsrf(exchange)
  if (present && !isRenewal) await revokeSession(service, present.identity.id, present.id)
  const issued = isRenewal
    ? await renewSession(service, present, factor, flow.memory.requestedAal)
    : await issueSession(service, identityId, factor, exchange.client)
  setSession(exchange, issued)
  tell(exchange, 'signed_in', identityId, isRenewal ? 'refresh' : factor.method)
  if (lacksSecondFactor(service, issued.session)) throw locationChangeRequired(secondFactorUrl(service, flow.return_to))
  const location = resolveReturnTo(flow.return_to, service.defaultReturnUrl, service)
  if (!exchange.wantsJson) return redirect(location)
  return json(200, {
    session: sessionBody(issued.session, service.publicUrl),
    continue_with: [{ action: 'redirect_browser_to', redirect_browser_to: location }],
  })
}
