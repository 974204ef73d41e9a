/** Recovery flow: regains access to an account with an emailed code. */
import { captchaNodes, verifyCaptcha } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { WireError, locationChangeRequired, sessionAlreadyAvailable } from '#http/error.ts'
import {
  type HttpResponse,
  ensureCsrfToken,
  redirect,
  renewCsrfToken,
  setSessionCookie,
  emitEvent,
} from '#http/exchange.ts'
import { type Exchange, type Service, pageUrl } from '#service.ts'
import { createFlow, csrfPlaceholder, isExpired, saveFlow, withCsrfToken } from '#flow/flow.ts'
import type { Flow } from '#store.ts'
import { createSettings } from '#flow/settings.ts'
import {
  formResponse,
  saveSubmission,
  requireCsrf,
  requireEnabled,
  submittedFlow,
  unreadableBody,
  respondStarted,
} from '#flow/submit.ts'
import {
  type Identity,
  findIdentity,
  markVerified,
  findRecoveryAddressOwner,
  signInAddress,
  updateTraits,
} from '#identities.ts'
import { recoveryMail } from '#mail.ts'
import { isOutOfTries, mailCode, tooManyTries, tryCode } from '#method/code.ts'
import { checkReturnTo } from '#return-to.ts'
import { emailLengthMax, isEmail, normalizeAddress } from '#schema.ts'
import { issueSession, revokeOtherSessions, revokeSession } from '#session.ts'
import { beginAttempt, consumeMailQuota, tooManyAttempts } from '#throttle.ts'
import { type Message, label, notice, onField, onForm } from '#ui/message.ts'
import { type Node, input, submit as submitNode } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

const startNodes: readonly Node[] = [
  csrfPlaceholder,
  input('code', 'email', 'email', { required: true, label: label.email }),
  submitNode('code', 'code', label.continue),
]

function codeNodes(address: string): Node[] {
  return [
    csrfPlaceholder,
    input('code', 'code', 'text', { required: true, pattern: '[0-9]+', maxlength: 6, label: label.recoveryCode }),
    input('code', 'method', 'hidden', { value: 'code' }),
    submitNode('code', 'code', label.continue),
    input('code', 'email', 'submit', { value: address, label: label.resend }),
  ]
}

export async function startRecovery(exchange: Exchange): Promise<HttpResponse> {
  const { service } = exchange
  requireEnabled(service, 'recovery')
  if (await exchange.session()) throw alreadySignedIn(exchange)
  const returnTo = checkReturnTo(exchange.query.get('return_to'), service)
  const flow = await createFlow(service, {
    kind: 'recovery',
    active: 'code',
    requestUrl: exchange.url,
    returnTo: returnTo?.original ?? null,
    csrfToken: ensureCsrfToken(exchange),
    nodes: [...startNodes, ...captchaNodes(exchange.service.captcha)],
  })
  return respondStarted(exchange, flow)
}

/** Accepts an address, to which it sends a code, or a code, which signs the user in. */
export async function submitRecovery(exchange: Exchange): Promise<HttpResponse> {
  const { service, body } = exchange
  const flow = await submittedFlow(exchange, 'recovery')
  requireEnabled(service, 'recovery')
  if (isExpired(service, flow)) {
    return respondWithReplacement(exchange, flow, errorMessage.recoveryExpired(flow.expires_at, service.now()), {
      requestUrl: flow.request_url,
      csrfToken: ensureCsrfToken(exchange),
    })
  }
  if (body.kind === 'unreadable') {
    return formResponse(exchange, await saveSubmission(exchange, flow, { messages: unreadableBody(body.reason) }), 400)
  }
  const { fields } = body
  requireCsrf(exchange, fields)
  const method = textOf(fields, 'method') || (textOf(fields, 'code') && 'code')
  if (method !== 'code') return rejectMethod(exchange, flow, method)
  const email = textOf(fields, 'email')
  if (email && (await exchange.session())) throw alreadySignedIn(exchange)
  if (flow.state === 'passed_challenge') {
    const message = errorMessage.generic('The code was already used. Please request another code.')
    return respondWithReplacement(exchange, flow, email ? errorMessage.recoveryDone : message)
  }
  if (isOutOfTries(flow)) return respondWithReplacement(exchange, flow, tooManyTries)
  requireCsrf(exchange, fields, flow)
  if (!email && flow.state !== 'choose_method') return submitCode(exchange, flow, fields)
  const verified = await verifyCaptcha(exchange, flow, fields)
  if (verified) return submitAddress(exchange, verified.flow, email)
  return formResponse(
    exchange,
    await saveSubmission(exchange, flow, { messages: [onForm(errorMessage.captchaFailed)] }),
    400,
  )
}

/** Does the same work and responds the same for known and unknown addresses. Only a known address is emailed. */
async function submitAddress(exchange: Exchange, flow: Flow, email: string): Promise<HttpResponse> {
  const { service } = exchange
  if (!isEmail(email)) {
    const message = email ? errorMessage.email(email.slice(0, emailLengthMax)) : errorMessage.required('email')
    return formResponse(exchange, await saveSubmission(exchange, flow, { messages: [onField('email', message)] }), 400)
  }
  const address = normalizeAddress(email)
  const owner = await findRecoveryAddressOwner(service.db, address)
  // Over the limit, the last code stays valid.
  if (await consumeMailQuota(service, address, exchange.client.ip))
    await mailCode(service, service.db, flow, { address, identityId: owner }, (code, minutes) =>
      recoveryMail(address, code, minutes),
    )
  const sent = await saveFlow(service, flow, {
    state: 'sent_email',
    active: 'code',
    memory: { ...flow.memory, address: email },
    ui: { ...flow.ui, nodes: withCsrfToken(codeNodes(email), flow.csrf_token), messages: [notice.recoveryCodeSent] },
  })
  return formResponse(exchange, sent, 200)
}

async function submitCode(exchange: Exchange, flow: Flow, fields: Fields): Promise<HttpResponse> {
  const { service, client } = exchange
  using attempt = await beginAttempt(service, 'recovery', normalizeAddress(flow.memory.address ?? ''), client.ip)
  if (attempt.isThrottled) {
    emitEvent(exchange, 'throttled', null)
    const updated = await saveSubmission(exchange, flow, { messages: [onForm(errorMessage.generic(tooManyAttempts))] })
    return formResponse(exchange, updated, 400)
  }
  const outcome = await tryCode(service, flow, textOf(fields, 'code'))
  if (outcome.kind === 'too_many_tries') return respondWithReplacement(exchange, flow, tooManyTries)
  if (outcome.kind === 'valid') {
    const identity = await findIdentity(service.db, outcome.identityId)
    // The identity may have changed its address after the code was sent.
    const isCurrent = identity && normalizeAddress(signInAddress(identity)) === outcome.address
    if (isCurrent && identity.state === 'active') {
      await attempt.refund()
      return completeRecovery(exchange, flow, identity, outcome.address)
    }
  }
  const updated = await saveSubmission(exchange, flow, { messages: [onForm(errorMessage.recoveryCodeWrong)] })
  return formResponse(exchange, updated, 200)
}

/** Signs the user in, revokes all other sessions, and continues with a settings flow for a new password. */
async function completeRecovery(
  exchange: Exchange,
  flow: Flow,
  identity: Identity,
  address: string,
): Promise<HttpResponse> {
  const { service } = exchange
  const identityId = identity.id
  await restoreAddress(service, identity, address)
  await saveFlow(service, flow, { state: 'passed_challenge' })
  const currentSession = await exchange.session()
  if (currentSession) await revokeSession(service, currentSession.identity.id, currentSession.id)
  const issued = await issueSession(service, identityId, { method: 'code_recovery' }, exchange.client)
  await revokeOtherSessions(service, identityId, issued.session.id)
  const csrfToken = renewCsrfToken(exchange)
  setSessionCookie(exchange, issued)
  emitEvent(exchange, 'recovered', identityId)
  emitEvent(exchange, 'signed_in', identityId, 'code_recovery')
  const { privilegedMs } = service.lifespans
  const until = new Date(issued.session.authenticated_at.getTime() + privilegedMs)
  const returnQuery = flow.return_to ? `&${new URLSearchParams({ return_to: flow.return_to })}` : ''
  const settings = await createSettings(exchange, issued.session.identity, {
    requestUrl: `${exchange.url}${returnQuery}`,
    returnTo: flow.return_to,
    csrfToken,
    messages: [notice.recovered(until, privilegedMs / 60_000)],
  })
  throw locationChangeRequired(pageUrl(service, 'settings', settings.id))
}

/**
 * Makes the recovered address the identity's verified address. Discards a pending address change, because an attacker
 * may have requested it.
 */
async function restoreAddress({ db, now }: Service, identity: Identity, address: string): Promise<void> {
  const { traits } = identity
  const isPending = normalizeAddress(traits.email) !== address
  await db.transaction().execute(async (tx) => {
    if (isPending) await updateTraits(tx, identity, { ...traits, email: address }, now())
    await markVerified(tx, identity.id, address, now())
  })
}

async function rejectMethod(exchange: Exchange, flow: Flow, method: string): Promise<HttpResponse> {
  if (method === 'link') {
    throw new WireError(404, {
      reason:
        'This endpoint was disabled by system administrator. Please check your url or contact the system administrator to enable it.',
    })
  }
  const message = await saveSubmission(exchange, flow, { messages: [onForm(errorMessage.recoveryNoMethod)] })
  return formResponse(exchange, await saveFlow(exchange.service, message, { active: 'default' }), 400)
}

interface Replacement {
  readonly requestUrl: string
  readonly csrfToken: string
}

/** Responds with a new flow that replaces one that can't continue. */
async function respondWithReplacement(
  exchange: Exchange,
  flow: Flow,
  message: Message,
  { requestUrl, csrfToken }: Replacement = { requestUrl: exchange.url, csrfToken: renewCsrfToken(exchange) },
): Promise<HttpResponse> {
  const { service } = exchange
  const next = await createFlow(service, {
    kind: 'recovery',
    active: 'code',
    requestUrl,
    returnTo: flow.return_to,
    csrfToken,
    nodes: [...startNodes, ...captchaNodes(exchange.service.captcha)],
    messages: [message],
  })
  if (!exchange.wantsJson) return redirect(pageUrl(service, 'recovery', next.id))
  return redirect(`${service.publicUrl}/self-service/recovery/flows?id=${next.id}`)
}

function alreadySignedIn({ service }: Exchange): WireError {
  const browser = { location: service.defaultReturnUrl, status: 302 } as const
  return sessionAlreadyAvailable('recovery', browser, 'The request was malformed or contained invalid parameters')
}
