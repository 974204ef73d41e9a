/** Proving an address by a code that was mailed to it. Needs no session and gives none. */
import { isHuman } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { flowReplaced } from '#http/error.ts'
import { type Answer, csrfOf, givenCsrf, json, redirect, renewCsrf, tell } from '#http/exchange.ts'
import { type Exchange, pageUrl } from '#service.ts'
import { fits } from '#http/csrf.ts'
import { createFlow, csrfPlace, expiredOnSubmit, flowBody, isExpired, saveFlow, withToken } from '#flow/flow.ts'
import type { Flow, Database } from '#store.ts'
import { codeNodes, emailField, startNodes } from '#flow/verification-form.ts'
import { formAnswer, keepAttempt, requireCsrf, requireEnabled, submittedFlow, unreadable } from '#flow/submit.ts'
import { markVerified, ownerOfAddress } from '#identities.ts'
import { verificationMail } from '#mail.ts'
import { issueCode, tooOften, tryCode } from '#method/code.ts'
import { checkReturnTo, resolveReturnTo } from '#return-to.ts'
import { emailLengthMax, normalAddress } from '#schema.ts'
import { attempt, mayMail, tooManyAttempts } from '#throttle.ts'
import { type Message, label, notice, on, onForm } from '#ui/message.ts'
import { anchor, nameOf } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

/** Starts a flow that asks for an address. */
export async function startVerification(exchange: Exchange): Promise<Answer> {
  const { service } = exchange
  requireEnabled(service, 'verification')
  const returnTo = checkReturnTo(exchange.query.get('return_to'), service)
  const flow = await createFlow(service, {
    kind: 'verification',
    active: 'code',
    requestUrl: exchange.url,
    returnTo: returnTo?.shown ?? null,
    csrfToken: csrfOf(exchange),
    nodes: startNodes(service),
  })
  if (exchange.acceptsJson) return json(200, flowBody(service, flow))
  return redirect(pageUrl(service, 'verification', flow.id))
}

/** Takes an address, to which a code is sent, or a code, which proves it. */
export async function submitVerification(exchange: Exchange): Promise<Answer> {
  const { service, body } = exchange
  const flow = await submittedFlow(exchange, 'verification')
  requireEnabled(service, 'verification')
  if (isExpired(service, flow)) return answerExpired(exchange, flow)
  if (body.kind === 'unreadable') {
    return formAnswer(exchange, await keepAttempt(exchange, flow, { messages: unreadable(body.reason) }), 400)
  }
  const { fields } = body
  const code = textOf(fields, 'code')
  const method = textOf(fields, 'method') || (code && 'code')
  if (method !== 'code') return refuseMethod(exchange, flow, method)
  if (flow.state === 'passed_challenge') {
    const next = await replace(exchange, flow, problem.verificationDone, exchange.url)
    throw flowReplaced(next.id, pageUrl(service, 'verification', next.id), 'use the new')
  }
  return code ? takeCode(exchange, flow, code) : takeAddress(exchange, flow, fields)
}

/**
 * The link of the mail: shows the form with the code filled in, in whichever browser it was opened.
 * Nothing is verified yet, for mail scanners follow links too.
 */
export async function openVerificationLink(exchange: Exchange): Promise<Answer> {
  const { service, query } = exchange
  const flow = await submittedFlow(exchange, 'verification')
  const code = query.get('code')
  if (isExpired(service, flow)) {
    const next = await replace(exchange, flow, problem.verificationExpired(flow.expires_at, service.now()))
    return redirect(pageUrl(service, 'verification', next.id))
  }
  if (code && /^\d{6}$/.test(code) && flow.state === 'sent_email') {
    const token = givenCsrf(exchange)
    const csrfToken = token && fits(flow.csrf_token, token) ? token : renewCsrf(exchange)
    const nodes = withToken(codeNodes(flow.memory.address ?? '', code), csrfToken)
    await saveFlow(service, flow, { csrf_token: csrfToken, ui: { ...flow.ui, nodes } })
  }
  return redirect(pageUrl(service, 'verification', flow.id))
}

interface Proof {
  readonly identityId: string
  readonly address: string
  readonly requestUrl: string
  readonly returnTo: string | null
  /** The token of the browser that shall see the form. */
  readonly csrfToken: string
}

/**
 * Sends a code unasked, inside the caller's transaction, and returns where the client shows its form.
 * The caller kicks the courier once the transaction stands.
 */
export async function startProofOfAddress(exchange: Exchange, tx: Database, proof: Proof) {
  const { service } = exchange
  const flow = await createFlow(
    service,
    {
      kind: 'verification',
      state: 'sent_email',
      active: 'code',
      requestUrl: proof.requestUrl,
      returnTo: proof.returnTo,
      csrfToken: proof.csrfToken,
      nodes: codeNodes(proof.address),
      messages: [notice.verificationCodeSent],
      memory: { address: proof.address },
    },
    tx,
  )
  await sendCode(exchange, tx, flow, proof.address, proof.identityId)
  return {
    action: 'show_verification_ui',
    flow: { id: flow.id, verifiable_address: proof.address, url: pageUrl(service, 'verification', flow.id) },
  }
}

async function takeAddress(exchange: Exchange, begun: Flow, fields: Fields): Promise<Answer> {
  const { service } = exchange
  requireCsrf(exchange, fields, begun)
  // Whoever wants another mail was challenged for the first one, here or when the account was made.
  const human = begun.state === 'sent_email' ? { flow: begun } : await isHuman(exchange, begun, fields)
  if (!human) return refuse(exchange, begun, onForm(problem.captchaFailed))
  const { flow } = human
  const typed = textOf(fields, 'email')
  if (!typed || typed.length > emailLengthMax) {
    const messages = [on('email', typed ? problem.email(typed.slice(0, emailLengthMax)) : problem.required('email'))]
    const nodes = flow.ui.nodes.map((node) => (nameOf(node) === 'email' ? emailField('') : node))
    return formAnswer(exchange, await keepAttempt(exchange, flow, { messages, nodes }), 400)
  }
  const address = normalAddress(typed)
  const owner = await ownerOfAddress(service.db, address)
  // Somebody who has had enough mails keeps the code of the last one.
  if (await mayMail(service, address, exchange.client.ip)) await sendCode(exchange, service.db, flow, address, owner)
  const sent = await saveFlow(service, flow, {
    state: 'sent_email',
    active: 'code',
    memory: { ...flow.memory, address: typed },
    ui: { ...flow.ui, nodes: withToken(codeNodes(typed), flow.csrf_token), messages: [notice.verificationCodeSent] },
  })
  return formAnswer(exchange, sent, 200)
}

/** A known and an unknown address make the same work; only one of the mails leaves. */
async function sendCode(
  exchange: Exchange,
  db: Database,
  flow: Flow,
  address: string,
  identityId: string | null,
): Promise<void> {
  const { service } = exchange
  const code = await issueCode(service, db, flow.id, address, identityId)
  const { codeMs } = service.lifespans
  const url = `${service.publicUrl}/self-service/verification?code=${code}&flow=${flow.id}`
  await service.courier.queue(db, verificationMail(address, code, url, Math.round(codeMs / 60_000)), {
    expiresAt: new Date(service.now().getTime() + codeMs),
    isVoid: identityId === null,
  })
}

async function takeCode(exchange: Exchange, flow: Flow, given: string): Promise<Answer> {
  const { service, client } = exchange
  using guess = await attempt(service, 'verification', normalAddress(flow.memory.address ?? ''), client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', null)
    return refuse(exchange, flow, onForm(problem.generic(tooManyAttempts)))
  }
  const outcome = await tryCode(service, flow, given)
  csrfOf(exchange)
  switch (outcome.kind) {
    case 'right': {
      const { identityId, address } = outcome
      if (!(await markVerified(service.db, identityId, address, service.now()))) return refuseCode(exchange, flow)
      await guess.forgive()
      tell(exchange, 'email_verified', identityId)
      return formAnswer(exchange, await pass(exchange, flow), 200)
    }
    case 'wrong':
      return refuseCode(exchange, flow)
    case 'expired': {
      const next = await replace(exchange, flow, problem.verificationExpired(outcome.at, service.now()))
      throw expiredOnSubmit(service, { ...flow, expires_at: outcome.at }, next)
    }
    case 'too often': {
      const next = await replace(exchange, flow, tooOften, exchange.url)
      throw flowReplaced(next.id, pageUrl(service, 'verification', next.id), 'retry the')
    }
  }
}

async function pass(exchange: Exchange, flow: Flow): Promise<Flow> {
  const { service } = exchange
  const url = resolveReturnTo(flow.return_to, service.defaultReturnUrl, service)
  const nodes = withToken([csrfPlace, anchor('code', 'continue', url, label.continue)], flow.csrf_token)
  return saveFlow(service, flow, {
    state: 'passed_challenge',
    ui: { action: url, method: 'GET', nodes, messages: [notice.verified] },
  })
}

async function refuseCode(exchange: Exchange, flow: Flow): Promise<Answer> {
  const { address } = flow.memory
  const nodes = address ? withToken(codeNodes(address), flow.csrf_token) : flow.ui.nodes
  const kept = await keepAttempt(exchange, flow, { messages: [onForm(problem.verificationCodeWrong)], nodes })
  return formAnswer(exchange, kept, 200)
}

async function refuseMethod(exchange: Exchange, flow: Flow, method: string): Promise<Answer> {
  const isKnown = method === '' || method === 'link'
  const message = isKnown
    ? onForm(problem.verificationNoMethod)
    : on('method', problem.generic('value must be one of "code", "link"'))
  return refuse(exchange, flow, message)
}

async function refuse(exchange: Exchange, flow: Flow, message: ReturnType<typeof onForm>): Promise<Answer> {
  return formAnswer(exchange, await keepAttempt(exchange, flow, { messages: [message] }), 400)
}

async function answerExpired(exchange: Exchange, flow: Flow): Promise<Answer> {
  const { service } = exchange
  const next = await replace(exchange, flow, problem.verificationExpired(flow.expires_at, service.now()))
  if (!exchange.wantsJson) return redirect(pageUrl(service, 'verification', next.id))
  return redirect(`${service.publicUrl}/self-service/verification/flows?id=${next.id}`)
}

/** A flow in the place of one that cannot go on; forms of the old one are void. */
async function replace(exchange: Exchange, flow: Flow, told: Message, requestUrl = flow.request_url): Promise<Flow> {
  return createFlow(exchange.service, {
    kind: 'verification',
    active: 'code',
    requestUrl,
    returnTo: flow.return_to,
    csrfToken: renewCsrf(exchange),
    nodes: startNodes(exchange.service),
    messages: [told],
  })
}
