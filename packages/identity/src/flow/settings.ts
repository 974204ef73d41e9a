/** Changing one's own account, form by form. */
import { lacksSecondFactor } from '#assurance.ts'
import type { Fields } from '#http/body.ts'
import { WireError, aal2Required, sessionInactive, sessionMissing } from '#http/error.ts'
import { type Answer, csrfOf, json, redirect, setSession } from '#http/exchange.ts'
import { type Exchange, type SettingsOutcome, actionUrl, pageUrl, secondFactorUrl, type LiveSession } from '#service.ts'
import {
  createFlow,
  expiredOnFetch,
  expiredOnSubmit,
  flowBody,
  isExpired,
  loadFlow,
  saveFlow,
  withToken,
} from '#flow/flow.ts'
import type { Flow } from '#store.ts'
import { formAnswer, forVisitor, keepAttempt, requireCsrf, submittedFlow, unreadable } from '#flow/submit.ts'
import { pause, resume } from '#flow/continuity.ts'
import { drawSettings, sortSettings } from '#flow/settings-form.ts'
import { type Identity, getIdentity } from '#identities.ts'
import { methodFor } from '#method/methods.ts'
import { checkReturnTo, resolveReturnTo } from '#return-to.ts'
import { typedTraits } from '#schema.ts'
import { raiseSession, sessionCookie } from '#session.ts'
import { type Message, type PlacedMessage, notice, onForm } from '#ui/message.ts'
import { problem } from '#ui/problem.ts'

/** Starts a settings flow of the account that is signed in. */
export async function startSettings(exchange: Exchange): Promise<Answer> {
  const { service, query } = exchange
  const csrfToken = csrfOf(exchange)
  const returnTo = checkReturnTo(query.get('return_to'), service)
  const session = await exchange.session()
  if (!session) throw toLogin(exchange, returnTo?.shown ?? null)
  requireAllFactors(exchange, session, returnTo ? exchange.url : null)
  const flow = await createSettings(exchange, session.identity, {
    requestUrl: exchange.url,
    returnTo: returnTo?.shown ?? null,
    csrfToken,
  })
  if (exchange.acceptsJson) return json(200, flowBody(service, flow, { identity: session.identity }))
  return redirect(pageUrl(service, 'settings', flow.id))
}

/** Shows a flow to the account that started it. */
export async function fetchSettings(exchange: Exchange): Promise<Answer> {
  const { service } = exchange
  csrfOf(exchange)
  const session = await exchange.session()
  if (!session) throw new WireError(401, { reason: sessionMissing('').more.reason ?? '' })
  const flow = await loadFlow(service, 'settings', exchange.query.get('id'))
  if (flow.identity_id !== session.identity.id) {
    throw mismatch('The request was made for another identity and has been blocked for security reasons.')
  }
  requireAllFactors(exchange, session, pageUrl(service, 'settings', flow.id))
  if (isExpired(service, flow)) throw expiredOnFetch(service, flow)
  return json(200, flowBody(service, forVisitor(exchange, flow), { identity: session.identity }))
}

/** Takes a change by one method. */
export async function submitSettings(exchange: Exchange): Promise<Answer> {
  const { service, body } = exchange
  const { flow, session } = await settingsOf(exchange)
  if (isExpired(service, flow)) throw expiredOnSubmit(service, flow, await replace(exchange, flow, session.identity))
  if (body.kind === 'unreadable') return refuse(exchange, flow, session.identity, unreadable(body.reason))
  requireCsrf(exchange, body.fields)
  return change(exchange, flow, session, body.fields)
}

/**
 * The address of a settings form, opened as a page: where a sign-in was asked for in the middle of a
 * change, the browser comes back here, and the change goes on by itself.
 */
export async function openSettings(exchange: Exchange): Promise<Answer> {
  const { service } = exchange
  const { flow, session } = await settingsOf(exchange)
  const fields = isExpired(service, flow) ? null : await resume(exchange, flow, session)
  if (!fields) return redirect(pageUrl(service, 'settings', flow.id))
  return change(exchange, flow, session, fields)
}

interface Start {
  readonly requestUrl: string
  readonly returnTo: string | null
  readonly csrfToken: string
  readonly messages?: readonly Message[]
}

/** Makes a settings flow for an account; recovery ends in one. */
export async function createSettings(exchange: Exchange, identity: Identity, start: Start): Promise<Flow> {
  return createFlow(exchange.service, {
    kind: 'settings',
    state: 'show_form',
    identityId: identity.id,
    ...(await drawSettings(exchange.service, identity, {})),
    ...start,
  })
}

async function settingsOf(exchange: Exchange): Promise<{ flow: Flow; session: LiveSession }> {
  const { service } = exchange
  const session = await exchange.session()
  if (!session) throw sessionMissing(pageUrl(service, 'login'))
  const flow = await submittedFlow(exchange, 'settings')
  if (flow.identity_id !== session.identity.id) {
    throw mismatch(
      'The request was initiated by someone else and has been blocked for security reasons. Please go back and try again.',
    )
  }
  requireAllFactors(exchange, session, actionUrl(service, 'settings', flow.id))
  return { flow, session }
}

function requireAllFactors({ service }: Exchange, session: LiveSession, returnTo: string | null): void {
  if (lacksSecondFactor(service, session)) throw aal2Required(secondFactorUrl(service, returnTo))
}

async function change(exchange: Exchange, flow: Flow, session: LiveSession, fields: Fields): Promise<Answer> {
  const method = methodFor(exchange.service, 'settings', fields)
  if (!method?.settings) return refuse(exchange, flow, session.identity, [onForm(problem.settingsNoMethod)])
  const outcome = await method.settings.submit(exchange, session, fields, flow)
  switch (outcome.kind) {
    case 'refused':
      return refuse(exchange, flow, session.identity, outcome.messages, fields)
    case 'reauthenticate':
      await pause(exchange, flow, session, fields)
      throw refreshRequired(exchange, flow)
    case 'shown':
      return show(exchange, flow, session.identity, outcome)
    case 'saved':
      await keepSession(exchange, session, outcome.proves)
      return succeed(exchange, flow, session.identity.id, outcome.continueWith ?? [])
  }
}

/**
 * A change gives the browser its session cookie again, with the time that is left; what it proved on
 * the way counts for the session.
 */
async function keepSession(exchange: Exchange, session: LiveSession, proves: Saved['proves']): Promise<void> {
  const token = exchange.cookies.get(sessionCookie)
  if (proves) setSession(exchange, await raiseSession(exchange.service, session, proves))
  else if (token) setSession(exchange, { session, token })
}

type Saved = Extract<SettingsOutcome, { kind: 'saved' }>
type Shown = Extract<SettingsOutcome, { kind: 'shown' }>

/** A change that was made elsewhere: the form says so, and the browser goes on. */
export async function completeChange(exchange: Exchange, flow: Flow, session: LiveSession): Promise<Answer> {
  await keepSession(exchange, session, undefined)
  return succeed(exchange, flow, session.identity.id, [])
}

/** Goes on with other nodes of one method, at the end of the form. */
async function show(exchange: Exchange, flow: Flow, identity: Identity, outcome: Shown): Promise<Answer> {
  const drawing = await drawSettings(exchange.service, identity, flow.memory)
  const groups = new Set(outcome.nodes.map(({ group }) => group))
  const others = drawing.nodes.filter(({ group }) => !groups.has(group))
  const nodes = withToken([...others, ...outcome.nodes], csrfOf(exchange))
  const memory = { ...drawing.memory, ...outcome.memory }
  const saved = await saveFlow(exchange.service, flow, {
    state: 'show_form',
    ui: { ...flow.ui, nodes, messages: [] },
    memory,
  })
  return formAnswer(exchange, saved, 200, 303, { identity })
}

async function succeed(
  exchange: Exchange,
  flow: Flow,
  identityId: string,
  continueWith: readonly unknown[],
): Promise<Answer> {
  const { service } = exchange
  const identity = await getIdentity(service.db, identityId)
  const { nodes, memory } = await drawSettings(service, identity, {})
  const ui = { ...flow.ui, nodes: withToken(nodes, csrfOf(exchange)), messages: [notice.saved] }
  const saved = await saveFlow(service, flow, { state: 'success', ui, memory })
  const location = resolveReturnTo(flow.return_to, pageUrl(service, 'settings', flow.id), service)
  if (!exchange.wantsJson) return redirect(location)
  const redirectTo = { action: 'redirect_browser_to', redirect_browser_to: location }
  return json(200, flowBody(service, saved, { identity, continueWith: [...continueWith, redirectTo] }))
}

async function refuse(
  exchange: Exchange,
  flow: Flow,
  identity: Identity,
  messages: readonly PlacedMessage[],
  fields: Fields = {},
): Promise<Answer> {
  const typed = typedTraits(fields['traits'])
  const drawing = await drawSettings(exchange.service, identity, flow.memory)
  const nodes = withToken(drawing.nodes, csrfOf(exchange))
  const kept = await keepAttempt(
    exchange,
    { ...flow, memory: drawing.memory },
    { messages, typed, nodes, sort: sortSettings },
  )
  return formAnswer(exchange, kept, 400, 303, { identity })
}

function replace(exchange: Exchange, flow: Flow, identity: Identity): Promise<Flow> {
  return createSettings(exchange, identity, {
    requestUrl: flow.request_url,
    returnTo: flow.return_to,
    csrfToken: csrfOf(exchange),
    messages: [problem.settingsExpired(flow.expires_at, exchange.service.now())],
  })
}

function refreshRequired({ service }: Exchange, flow: Flow): WireError {
  const query = new URLSearchParams({ refresh: 'true', return_to: actionUrl(service, 'settings', flow.id) })
  const location = `${service.publicUrl}/self-service/login/browser?${query}`
  return new WireError(403, {
    id: 'session_refresh_required',
    reason: 'The login session is too old and thus not allowed to update these fields. Please re-authenticate.',
    beside: { redirect_browser_to: location },
    browser: { location, status: 303 },
  })
}

function mismatch(reason: string): WireError {
  return new WireError(403, { id: 'security_identity_mismatch', reason })
}

function toLogin({ service }: Exchange, returnTo: string | null): WireError {
  const query = returnTo ? `?${new URLSearchParams({ return_to: returnTo })}` : ''
  return sessionInactive({
    beside: { CredentialsMissing: false },
    browser: { location: `${service.publicUrl}/self-service/login/browser${query}`, status: 303 },
  })
}
