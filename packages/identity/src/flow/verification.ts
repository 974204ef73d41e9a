/** Verification flow: verifies an email address with an emailed code. It neither requires nor creates a session. */
import { verifyCaptcha } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { flowReplaced } from '#http/error.ts'
import {
  type HttpResponse,
  ensureCsrfToken,
  csrfTokenFromCookie,
  redirect,
  renewCsrfToken,
  emitEvent,
} from '#http/exchange.ts'
import { type Exchange, pageUrl } from '#service.ts'
import { matchesToken } from '#http/csrf.ts'
import { createFlow, csrfPlaceholder, expiredOnSubmit, isExpired, saveFlow, withCsrfToken } from '#flow/flow.ts'
import type { Flow, Database } from '#store.ts'
import { codeNodes, emailField, startNodes } from '#flow/verification-form.ts'
import {
  formResponse,
  saveSubmission,
  requireCsrf,
  requireEnabled,
  submittedFlow,
  unreadableBody,
  respondStarted,
} from '#flow/submit.ts'
import { markVerified, findAddressOwner } from '#identities.ts'
import { verificationMail } from '#mail.ts'
import { mailCode, tooManyTries, tryCode } from '#method/code.ts'
import { checkReturnTo, resolveReturnTo } from '#return-to.ts'
import { emailLengthMax, isEmail, normalizeAddress } from '#schema.ts'
import { beginAttempt, consumeMailQuota, tooManyAttempts } from '#throttle.ts'
import { type Message, label, notice, onField, onForm } from '#ui/message.ts'
import { anchor, nameOf } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

export async function startVerification(exchange: Exchange): Promise<HttpResponse> {
  const { service } = exchange
  requireEnabled(service, 'verification')
  const returnTo = checkReturnTo(exchange.query.get('return_to'), service)
  const flow = await createFlow(service, {
    kind: 'verification',
    active: 'code',
    requestUrl: exchange.url,
    returnTo: returnTo?.original ?? null,
    csrfToken: ensureCsrfToken(exchange),
    nodes: startNodes(service),
  })
  return respondStarted(exchange, flow)
}

/** Accepts an address, to which it sends a code, or a code, which verifies the address. */
export async function submitVerification(exchange: Exchange): Promise<HttpResponse> {
  const { service, body } = exchange
  const flow = await submittedFlow(exchange, 'verification')
  requireEnabled(service, 'verification')
  if (isExpired(service, flow)) return respondExpired(exchange, flow)
  if (body.kind === 'unreadable') {
    return formResponse(exchange, await saveSubmission(exchange, flow, { messages: unreadableBody(body.reason) }), 400)
  }
  const { fields } = body
  const code = textOf(fields, 'code')
  const method = textOf(fields, 'method') || (code && 'code')
  if (method !== 'code') return rejectMethod(exchange, flow, method)
  if (flow.state === 'passed_challenge') {
    const next = await createReplacement(exchange, flow, errorMessage.verificationDone, exchange.url)
    throw flowReplaced(next.id, pageUrl(service, 'verification', next.id), 'use the new')
  }
  return code ? submitCode(exchange, flow, code) : submitAddress(exchange, flow, fields)
}

/**
 * Handles the link in the email, in any browser: prefills the code. Doesn't verify the address, because mail scanners
 * also follow links.
 */
export async function openVerificationLink(exchange: Exchange): Promise<HttpResponse> {
  const { service, query } = exchange
  const flow = await submittedFlow(exchange, 'verification')
  const code = query.get('code')
  if (isExpired(service, flow)) {
    const next = await createReplacement(
      exchange,
      flow,
      errorMessage.verificationExpired(flow.expires_at, service.now()),
    )
    return redirect(pageUrl(service, 'verification', next.id))
  }
  if (code && /^\d{6}$/.test(code) && flow.state === 'sent_email') {
    const token = csrfTokenFromCookie(exchange)
    const csrfToken = token && matchesToken(flow.csrf_token, token) ? token : renewCsrfToken(exchange)
    const nodes = withCsrfToken(codeNodes(flow.memory.address ?? '', code), csrfToken)
    await saveFlow(service, flow, { csrf_token: csrfToken, ui: { ...flow.ui, nodes } })
  }
  return redirect(pageUrl(service, 'verification', flow.id))
}

interface AddressVerification {
  readonly identityId: string
  readonly address: string
  readonly requestUrl: string
  readonly returnTo: string | null
  /** The token of the browser that will show the form. */
  readonly csrfToken: string
}

/** Creates a verification flow and sends its code, in the caller's transaction. @returns the `continue_with` item */
export async function startAddressVerification(exchange: Exchange, tx: Database, verification: AddressVerification) {
  const { service } = exchange
  const flow = await createFlow(
    service,
    {
      kind: 'verification',
      state: 'sent_email',
      active: 'code',
      requestUrl: verification.requestUrl,
      returnTo: verification.returnTo,
      csrfToken: verification.csrfToken,
      nodes: codeNodes(verification.address),
      messages: [notice.verificationCodeSent],
      memory: { address: verification.address },
    },
    tx,
  )
  await sendCode(exchange, tx, flow, verification.address, verification.identityId)
  return {
    action: 'show_verification_ui',
    flow: { id: flow.id, verifiable_address: verification.address, url: pageUrl(service, 'verification', flow.id) },
  }
}

async function submitAddress(exchange: Exchange, started: Flow, fields: Fields): Promise<HttpResponse> {
  const { service } = exchange
  requireCsrf(exchange, fields, started)
  // A resend needs no CAPTCHA: it was passed for the first code, here or during registration.
  const verified = started.state === 'sent_email' ? { flow: started } : await verifyCaptcha(exchange, started, fields)
  if (!verified) return respondWithError(exchange, started, onForm(errorMessage.captchaFailed))
  const { flow } = verified
  const email = textOf(fields, 'email')
  if (!isEmail(email)) {
    const messages = [
      onField('email', email ? errorMessage.email(email.slice(0, emailLengthMax)) : errorMessage.required('email')),
    ]
    const nodes = flow.ui.nodes.map((node) => (nameOf(node) === 'email' ? emailField('') : node))
    return formResponse(exchange, await saveSubmission(exchange, flow, { messages, nodes }), 400)
  }
  const address = normalizeAddress(email)
  const owner = await findAddressOwner(service.db, address)
  // Over the limit, the last code stays valid.
  if (await consumeMailQuota(service, address, exchange.client.ip))
    await sendCode(exchange, service.db, flow, address, owner)
  const sent = await saveFlow(service, flow, {
    state: 'sent_email',
    active: 'code',
    memory: { ...flow.memory, address: email },
    ui: {
      ...flow.ui,
      nodes: withCsrfToken(codeNodes(email), flow.csrf_token),
      messages: [notice.verificationCodeSent],
    },
  })
  return formResponse(exchange, sent, 200)
}

/** Does the same work for known and unknown addresses. Only a known address is emailed. */
async function sendCode(
  { service }: Exchange,
  db: Database,
  flow: Flow,
  address: string,
  identityId: string | null,
): Promise<void> {
  await mailCode(service, db, flow, { address, identityId }, (code, minutes) => {
    const url = `${service.publicUrl}/self-service/verification?code=${code}&flow=${flow.id}`
    return verificationMail(address, code, url, minutes)
  })
}

async function submitCode(exchange: Exchange, flow: Flow, code: string): Promise<HttpResponse> {
  const { service, client } = exchange
  using attempt = await beginAttempt(service, 'verification', normalizeAddress(flow.memory.address ?? ''), client.ip)
  if (attempt.isThrottled) {
    emitEvent(exchange, 'throttled', null)
    return respondWithError(exchange, flow, onForm(errorMessage.generic(tooManyAttempts)))
  }
  const outcome = await tryCode(service, flow, code)
  ensureCsrfToken(exchange)
  switch (outcome.kind) {
    case 'valid': {
      const { identityId, address } = outcome
      if (!(await markVerified(service.db, identityId, address, service.now()))) return rejectCode(exchange, flow)
      await attempt.refund()
      emitEvent(exchange, 'email_verified', identityId)
      return formResponse(exchange, await markPassed(exchange, flow), 200)
    }
    case 'invalid':
      return rejectCode(exchange, flow)
    case 'expired': {
      const next = await createReplacement(exchange, flow, errorMessage.verificationExpired(outcome.at, service.now()))
      throw expiredOnSubmit(service, { ...flow, expires_at: outcome.at }, next)
    }
    case 'too_many_tries': {
      const next = await createReplacement(exchange, flow, tooManyTries, exchange.url)
      throw flowReplaced(next.id, pageUrl(service, 'verification', next.id), 'retry the')
    }
  }
}

async function markPassed(exchange: Exchange, flow: Flow): Promise<Flow> {
  const { service } = exchange
  const url = resolveReturnTo(flow.return_to, service.defaultReturnUrl, service)
  const nodes = withCsrfToken([csrfPlaceholder, anchor('code', 'continue', url, label.continue)], flow.csrf_token)
  return saveFlow(service, flow, {
    state: 'passed_challenge',
    ui: { action: url, method: 'GET', nodes, messages: [notice.verified] },
  })
}

async function rejectCode(exchange: Exchange, flow: Flow): Promise<HttpResponse> {
  const { address } = flow.memory
  const nodes = address ? withCsrfToken(codeNodes(address), flow.csrf_token) : flow.ui.nodes
  const updated = await saveSubmission(exchange, flow, {
    messages: [onForm(errorMessage.verificationCodeWrong)],
    nodes,
  })
  return formResponse(exchange, updated, 200)
}

async function rejectMethod(exchange: Exchange, flow: Flow, method: string): Promise<HttpResponse> {
  const isKnown = method === '' || method === 'link'
  const message = isKnown
    ? onForm(errorMessage.verificationNoMethod)
    : onField('method', errorMessage.generic('value must be one of "code", "link"'))
  return respondWithError(exchange, flow, message)
}

async function respondWithError(
  exchange: Exchange,
  flow: Flow,
  message: ReturnType<typeof onForm>,
): Promise<HttpResponse> {
  return formResponse(exchange, await saveSubmission(exchange, flow, { messages: [message] }), 400)
}

async function respondExpired(exchange: Exchange, flow: Flow): Promise<HttpResponse> {
  const { service } = exchange
  const next = await createReplacement(exchange, flow, errorMessage.verificationExpired(flow.expires_at, service.now()))
  if (!exchange.wantsJson) return redirect(pageUrl(service, 'verification', next.id))
  return redirect(`${service.publicUrl}/self-service/verification/flows?id=${next.id}`)
}

/** Replaces a flow that can't continue. A new CSRF token invalidates its forms. */
async function createReplacement(
  exchange: Exchange,
  flow: Flow,
  message: Message,
  requestUrl = flow.request_url,
): Promise<Flow> {
  return createFlow(exchange.service, {
    kind: 'verification',
    active: 'code',
    requestUrl,
    returnTo: flow.return_to,
    csrfToken: renewCsrfToken(exchange),
    nodes: startNodes(exchange.service),
    messages: [message],
  })
}
