/** Settings flow: users change their own profile and credentials. */
import { lacksSecondFactor } from '#assurance.ts'
import type { Fields } from '#http/body.ts'
import { WireError, aal2Required, sessionInactive, sessionMissing } from '#http/error.ts'
import { type HttpResponse, ensureCsrfToken, json, redirect, setSessionCookie } from '#http/exchange.ts'
import { type Exchange, type SettingsOutcome, actionUrl, pageUrl, secondFactorUrl, type LiveSession } from '#service.ts'
import {
  createFlow,
  expiredOnFetch,
  expiredOnSubmit,
  flowBody,
  isExpired,
  loadFlow,
  saveFlow,
  withCsrfToken,
} from '#flow/flow.ts'
import type { Flow } from '#store.ts'
import {
  formResponse,
  forBrowser,
  saveSubmission,
  requireCsrf,
  submittedFlow,
  unreadableBody,
  respondStarted,
} from '#flow/submit.ts'
import { pause, resume } from '#flow/continuity.ts'
import { buildSettingsForm, sortSettings } from '#flow/settings-form.ts'
import { type Identity, getIdentity } from '#identities.ts'
import { selectMethod } from '#method/methods.ts'
import { checkReturnTo, resolveReturnTo } from '#return-to.ts'
import { submittedTraits } from '#schema.ts'
import { upgradeSession, sessionCookie } from '#session.ts'
import { type Message, type FieldMessage, notice, onForm } from '#ui/message.ts'
import { errorMessage } from '#ui/error-message.ts'

export async function startSettings(exchange: Exchange): Promise<HttpResponse> {
  const { service, query } = exchange
  const csrfToken = ensureCsrfToken(exchange)
  const returnTo = checkReturnTo(query.get('return_to'), service)
  const session = await exchange.session()
  if (!session) throw loginRequired(exchange, returnTo?.original ?? null)
  requireAllFactors(exchange, session, returnTo ? exchange.url : null)
  const flow = await createSettings(exchange, session.identity, {
    requestUrl: exchange.url,
    returnTo: returnTo?.original ?? null,
    csrfToken,
  })
  return respondStarted(exchange, flow, { identity: session.identity })
}

/** Returns a flow to the identity that started it. */
export async function fetchSettings(exchange: Exchange): Promise<HttpResponse> {
  const { service } = exchange
  ensureCsrfToken(exchange)
  const session = await exchange.session()
  if (!session) throw new WireError(401, { reason: sessionMissing('').more.reason ?? '' })
  const flow = await loadFlow(service, 'settings', exchange.query.get('id'))
  if (flow.identity_id !== session.identity.id) {
    throw identityMismatch('The request was made for another identity and has been blocked for security reasons.')
  }
  requireAllFactors(exchange, session, pageUrl(service, 'settings', flow.id))
  if (isExpired(service, flow)) throw expiredOnFetch(service, flow)
  return json(200, flowBody(service, forBrowser(exchange, flow), { identity: session.identity }))
}

/** Applies the submission of one method. */
export async function submitSettings(exchange: Exchange): Promise<HttpResponse> {
  const { service, body } = exchange
  const { flow, session } = await loadSettings(exchange)
  if (isExpired(service, flow))
    throw expiredOnSubmit(service, flow, await createReplacement(exchange, flow, session.identity))
  if (body.kind === 'unreadable')
    return respondWithErrors(exchange, flow, session.identity, unreadableBody(body.reason))
  requireCsrf(exchange, body.fields)
  return applyChange(exchange, flow, session, body.fields)
}

/** Resumes a paused submission: after reauthentication, the browser returns with a GET of the form's action. */
export async function openSettings(exchange: Exchange): Promise<HttpResponse> {
  const { service } = exchange
  const { flow, session } = await loadSettings(exchange)
  const fields = isExpired(service, flow) ? null : await resume(exchange, flow, session)
  if (!fields) return redirect(pageUrl(service, 'settings', flow.id))
  return applyChange(exchange, flow, session, fields)
}

interface FlowStart {
  readonly requestUrl: string
  readonly returnTo: string | null
  readonly csrfToken: string
  readonly messages?: readonly Message[]
}

/** Creates a settings flow for an identity. Also used at the end of a recovery. */
export async function createSettings(exchange: Exchange, identity: Identity, start: FlowStart): Promise<Flow> {
  return createFlow(exchange.service, {
    kind: 'settings',
    state: 'show_form',
    identityId: identity.id,
    ...(await buildSettingsForm(exchange.service, identity, {})),
    ...start,
  })
}

async function loadSettings(exchange: Exchange): Promise<{ flow: Flow; session: LiveSession }> {
  const { service } = exchange
  const session = await exchange.session()
  if (!session) throw sessionMissing(pageUrl(service, 'login'))
  const flow = await submittedFlow(exchange, 'settings')
  if (flow.identity_id !== session.identity.id) {
    throw identityMismatch(
      'The request was initiated by someone else and has been blocked for security reasons. Please go back and try again.',
    )
  }
  requireAllFactors(exchange, session, actionUrl(service, 'settings', flow.id))
  return { flow, session }
}

function requireAllFactors({ service }: Exchange, session: LiveSession, returnTo: string | null): void {
  if (lacksSecondFactor(service, session)) throw aal2Required(secondFactorUrl(service, returnTo))
}

async function applyChange(
  exchange: Exchange,
  flow: Flow,
  session: LiveSession,
  fields: Fields,
): Promise<HttpResponse> {
  const method = selectMethod(exchange.service, 'settings', fields)
  if (!method?.settings)
    return respondWithErrors(exchange, flow, session.identity, [onForm(errorMessage.settingsNoMethod)])
  const outcome = await method.settings.submit(exchange, session, fields, flow)
  switch (outcome.kind) {
    case 'rejected':
      return respondWithErrors(exchange, flow, session.identity, outcome.messages, fields)
    case 'reauthenticate':
      await pause(exchange, flow, session, fields)
      throw refreshRequired(exchange, flow)
    case 'form_updated':
      return respondWithForm(exchange, flow, session.identity, outcome)
    case 'saved':
      await refreshSessionCookie(exchange, session, outcome.completedMethod)
      return respondSaved(exchange, flow, session.identity.id, outcome.continueWith ?? [])
  }
}

/** Sets the session cookie again with its remaining lifetime. If the change completed a factor, upgrades the session. */
async function refreshSessionCookie(
  exchange: Exchange,
  session: LiveSession,
  completedMethod: Saved['completedMethod'],
): Promise<void> {
  const token = exchange.cookies.get(sessionCookie)
  if (completedMethod) setSessionCookie(exchange, await upgradeSession(exchange.service, session, completedMethod))
  else if (token) setSessionCookie(exchange, { session, token })
}

type Saved = Extract<SettingsOutcome, { kind: 'saved' }>
type FormUpdate = Extract<SettingsOutcome, { kind: 'form_updated' }>

/** Responds to a change that was already applied, such as linking a provider. */
export async function completeChange(exchange: Exchange, flow: Flow, session: LiveSession): Promise<HttpResponse> {
  await refreshSessionCookie(exchange, session, undefined)
  return respondSaved(exchange, flow, session.identity.id, [])
}

/** Responds with replaced nodes of one method, at the end of the form. */
async function respondWithForm(
  exchange: Exchange,
  flow: Flow,
  identity: Identity,
  outcome: FormUpdate,
): Promise<HttpResponse> {
  const form = await buildSettingsForm(exchange.service, identity, flow.memory)
  const groups = new Set(outcome.nodes.map(({ group }) => group))
  const others = form.nodes.filter(({ group }) => !groups.has(group))
  const nodes = withCsrfToken([...others, ...outcome.nodes], ensureCsrfToken(exchange))
  const memory = { ...form.memory, ...outcome.memory }
  const saved = await saveFlow(exchange.service, flow, {
    state: 'show_form',
    ui: { ...flow.ui, nodes, messages: [] },
    memory,
  })
  return formResponse(exchange, saved, 200, 303, { identity })
}

async function respondSaved(
  exchange: Exchange,
  flow: Flow,
  identityId: string,
  continueWith: readonly unknown[],
): Promise<HttpResponse> {
  const { service } = exchange
  const identity = await getIdentity(service.db, identityId)
  const { nodes, memory } = await buildSettingsForm(service, identity, {})
  const ui = { ...flow.ui, nodes: withCsrfToken(nodes, ensureCsrfToken(exchange)), messages: [notice.saved] }
  const saved = await saveFlow(service, flow, { state: 'success', ui, memory })
  const location = resolveReturnTo(flow.return_to, pageUrl(service, 'settings', flow.id), service)
  if (!exchange.wantsJson) return redirect(location)
  const redirectTo = { action: 'redirect_browser_to', redirect_browser_to: location }
  return json(200, flowBody(service, saved, { identity, continueWith: [...continueWith, redirectTo] }))
}

async function respondWithErrors(
  exchange: Exchange,
  flow: Flow,
  identity: Identity,
  messages: readonly FieldMessage[],
  fields: Fields = {},
): Promise<HttpResponse> {
  const values = submittedTraits(fields['traits'])
  const form = await buildSettingsForm(exchange.service, identity, flow.memory)
  const nodes = withCsrfToken(form.nodes, ensureCsrfToken(exchange))
  const updated = await saveSubmission(
    exchange,
    { ...flow, memory: form.memory },
    { messages, values: values, nodes, sort: sortSettings },
  )
  return formResponse(exchange, updated, 400, 303, { identity })
}

function createReplacement(exchange: Exchange, flow: Flow, identity: Identity): Promise<Flow> {
  return createSettings(exchange, identity, {
    requestUrl: flow.request_url,
    returnTo: flow.return_to,
    csrfToken: ensureCsrfToken(exchange),
    messages: [errorMessage.settingsExpired(flow.expires_at, exchange.service.now())],
  })
}

function refreshRequired({ service }: Exchange, flow: Flow): WireError {
  const query = new URLSearchParams({ refresh: 'true', return_to: actionUrl(service, 'settings', flow.id) })
  const location = `${service.publicUrl}/self-service/login/browser?${query}`
  return new WireError(403, {
    id: 'session_refresh_required',
    reason: 'The login session is too old and thus not allowed to update these fields. Please re-authenticate.',
    extra: { redirect_browser_to: location },
    browser: { location, status: 303 },
  })
}

function identityMismatch(reason: string): WireError {
  return new WireError(403, { id: 'security_identity_mismatch', reason })
}

function loginRequired({ service }: Exchange, returnTo: string | null): WireError {
  const query = returnTo ? `?${new URLSearchParams({ return_to: returnTo })}` : ''
  return sessionInactive({
    extra: { CredentialsMissing: false },
    browser: { location: `${service.publicUrl}/self-service/login/browser${query}`, status: 303 },
  })
}
