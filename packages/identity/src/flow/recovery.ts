/** Getting back into an account whose password is lost, by a code mailed to its address. */
import { captchaNodes, isHuman } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { WireError, locationChangeRequired, sessionAlreadyAvailable } from '#http/error.ts'
import { type Answer, csrfOf, json, redirect, renewCsrf, setSession, tell } from '#http/exchange.ts'
import { type Exchange, type Service, pageUrl } from '#service.ts'
import { createFlow, csrfPlace, flowBody, isExpired, saveFlow, withToken } from '#flow/flow.ts'
import type { Flow } from '#store.ts'
import { createSettings } from '#flow/settings.ts'
import { formAnswer, keepAttempt, requireCsrf, requireEnabled, submittedFlow, unreadable } from '#flow/submit.ts'
import {
  type Identity,
  findIdentity,
  markVerified,
  ownerOfRecoveryAddress,
  signInAddress,
  updateTraits,
} from '#identities.ts'
import { recoveryMail } from '#mail.ts'
import { isSpent, issueCode, tooOften, tryCode } from '#method/code.ts'
import { checkReturnTo } from '#return-to.ts'
import { emailLengthMax, isEmail, normalAddress } from '#schema.ts'
import { issueSession, revokeOthers, revokeSession } from '#session.ts'
import { attempt, mayMail, tooManyAttempts } from '#throttle.ts'
import { type Message, label, notice, on, onForm } from '#ui/message.ts'
import { type Node, input, submit as submitNode } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

const startNodes: readonly Node[] = [
  csrfPlace,
  input('code', 'email', 'email', { required: true, label: label.email }),
  submitNode('code', 'code', label.continue),
]

function codeNodes(address: string): Node[] {
  return [
    csrfPlace,
    input('code', 'code', 'text', { required: true, pattern: '[0-9]+', maxlength: 6, label: label.recoveryCode }),
    input('code', 'method', 'hidden', { value: 'code' }),
    submitNode('code', 'code', label.continue),
    input('code', 'email', 'submit', { value: address, label: label.resend }),
  ]
}

/** Starts a flow that asks for an address. */
export async function startRecovery(exchange: Exchange): Promise<Answer> {
  const { service } = exchange
  requireEnabled(service, 'recovery')
  const returnTo = checkReturnTo(exchange.query.get('return_to'), service)
  if (await exchange.session()) throw alreadySignedIn(exchange)
  const flow = await createFlow(service, {
    kind: 'recovery',
    active: 'code',
    requestUrl: exchange.url,
    returnTo: returnTo?.shown ?? null,
    csrfToken: csrfOf(exchange),
    nodes: [...startNodes, ...captchaNodes(exchange.service.captcha)],
  })
  if (exchange.acceptsJson) return json(200, flowBody(service, flow))
  return redirect(pageUrl(service, 'recovery', flow.id))
}

/** Takes an address, to which a code is sent, or a code, which opens the account. */
export async function submitRecovery(exchange: Exchange): Promise<Answer> {
  const { service, body } = exchange
  const flow = await submittedFlow(exchange, 'recovery')
  requireEnabled(service, 'recovery')
  if (isExpired(service, flow)) {
    return replaced(exchange, flow, problem.recoveryExpired(flow.expires_at, service.now()), {
      requestUrl: flow.request_url,
      csrfToken: csrfOf(exchange),
    })
  }
  if (body.kind === 'unreadable') {
    return formAnswer(exchange, await keepAttempt(exchange, flow, { messages: unreadable(body.reason) }), 400)
  }
  const { fields } = body
  requireCsrf(exchange, fields)
  const method = textOf(fields, 'method')
  if (method !== 'code') return refuseMethod(exchange, flow, method)
  const email = textOf(fields, 'email')
  if (email && (await exchange.session())) throw alreadySignedIn(exchange)
  if (flow.state === 'passed_challenge') {
    const told = problem.generic('The code was already used. Please request another code.')
    return replaced(exchange, flow, email ? problem.recoveryDone : told)
  }
  if (isSpent(flow)) return replaced(exchange, flow, tooOften)
  requireCsrf(exchange, fields, flow)
  if (!email && flow.state !== 'choose_method') return takeCode(exchange, flow, fields)
  const human = await isHuman(exchange, flow, fields)
  if (human) return takeAddress(exchange, human.flow, email)
  return formAnswer(exchange, await keepAttempt(exchange, flow, { messages: [onForm(problem.captchaFailed)] }), 400)
}

/** The address of a recovery's form, opened as a page: nothing was sent, so the form is shown. */
export async function openRecovery(exchange: Exchange): Promise<Answer> {
  const flow = await submittedFlow(exchange, 'recovery')
  return redirect(pageUrl(exchange.service, 'recovery', flow.id))
}

/** A known and an unknown address make the same work and get the same answer; only one of the mails leaves. */
async function takeAddress(exchange: Exchange, flow: Flow, typed: string): Promise<Answer> {
  const { service } = exchange
  if (!isEmail(typed)) {
    const message = typed ? problem.email(typed.slice(0, emailLengthMax)) : problem.required('email')
    return formAnswer(exchange, await keepAttempt(exchange, flow, { messages: [on('email', message)] }), 400)
  }
  const address = normalAddress(typed)
  const owner = await ownerOfRecoveryAddress(service.db, address)
  // Somebody who has had enough mails keeps the code of the last one.
  if (await mayMail(service, address, exchange.client.ip)) await sendCode(service, flow, address, owner)
  const sent = await saveFlow(service, flow, {
    state: 'sent_email',
    active: 'code',
    memory: { ...flow.memory, address: typed },
    ui: { ...flow.ui, nodes: withToken(codeNodes(typed), flow.csrf_token), messages: [notice.recoveryCodeSent] },
  })
  return formAnswer(exchange, sent, 200)
}

async function sendCode(service: Service, flow: Flow, address: string, owner: string | null): Promise<void> {
  const code = await issueCode(service, service.db, flow.id, address, owner)
  const { codeMs } = service.lifespans
  await service.courier.queue(service.db, recoveryMail(address, code, Math.round(codeMs / 60_000)), {
    expiresAt: new Date(service.now().getTime() + codeMs),
    isVoid: owner === null,
  })
}

async function takeCode(exchange: Exchange, flow: Flow, fields: Fields): Promise<Answer> {
  const { service, client } = exchange
  using guess = await attempt(service, 'recovery', normalAddress(flow.memory.address ?? ''), client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', null)
    const kept = await keepAttempt(exchange, flow, { messages: [onForm(problem.generic(tooManyAttempts))] })
    return formAnswer(exchange, kept, 400)
  }
  const outcome = await tryCode(service, flow, textOf(fields, 'code'))
  if (outcome.kind === 'too often') return replaced(exchange, flow, tooOften)
  if (outcome.kind === 'right') {
    const identity = await findIdentity(service.db, outcome.identityId)
    // An address that stopped being the account's since proves nothing any more.
    const isStill = identity && normalAddress(signInAddress(identity)) === outcome.address
    if (isStill && identity.state === 'active') {
      await guess.forgive()
      return recover(exchange, flow, identity, outcome.address)
    }
  }
  const kept = await keepAttempt(exchange, flow, { messages: [onForm(problem.recoveryCodeWrong)] })
  return formAnswer(exchange, kept, 200)
}

/** The holder of the address is in: everybody else is out, and a settings flow asks for a new password. */
async function recover(exchange: Exchange, flow: Flow, identity: Identity, address: string): Promise<Answer> {
  const { service } = exchange
  const identityId = identity.id
  await settleAddress(service, identity, address)
  await saveFlow(service, flow, { state: 'passed_challenge' })
  const present = await exchange.session()
  if (present) await revokeSession(service, present.identity.id, present.id)
  const issued = await issueSession(service, identityId, { method: 'code_recovery' }, exchange.client)
  await revokeOthers(service, identityId, issued.session.id)
  const csrfToken = renewCsrf(exchange)
  setSession(exchange, issued)
  tell(exchange, 'recovered', identityId)
  tell(exchange, 'signed_in', identityId, 'code_recovery')
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
 * The recovered address is the account's, and proved. A new one that waits for its proof is dropped:
 * whoever the account is recovered from may have asked for it.
 */
async function settleAddress({ db, now }: Service, identity: Identity, address: string): Promise<void> {
  const { traits } = identity
  const isLeft = normalAddress(traits.email) !== address
  await db.transaction().execute(async (tx) => {
    if (isLeft) await updateTraits(tx, identity, { ...traits, email: address }, now())
    await markVerified(tx, identity.id, address, now())
  })
}

async function refuseMethod(exchange: Exchange, flow: Flow, method: string): Promise<Answer> {
  if (method === 'link') {
    throw new WireError(404, {
      reason:
        'This endpoint was disabled by system administrator. Please check your url or contact the system administrator to enable it.',
    })
  }
  const told = await keepAttempt(exchange, flow, { messages: [onForm(problem.recoveryNoMethod)] })
  return formAnswer(exchange, await saveFlow(exchange.service, told, { active: 'default' }), 400)
}

interface Replacement {
  readonly requestUrl: string
  readonly csrfToken: string
}

/** Answers with the flow that takes the place of one that cannot go on. */
async function replaced(
  exchange: Exchange,
  flow: Flow,
  told: Message,
  { requestUrl, csrfToken }: Replacement = { requestUrl: exchange.url, csrfToken: renewCsrf(exchange) },
): Promise<Answer> {
  const { service } = exchange
  const next = await createFlow(service, {
    kind: 'recovery',
    active: 'code',
    requestUrl,
    returnTo: flow.return_to,
    csrfToken,
    nodes: [...startNodes, ...captchaNodes(exchange.service.captcha)],
    messages: [told],
  })
  if (!exchange.wantsJson) return redirect(pageUrl(service, 'recovery', next.id))
  return redirect(`${service.publicUrl}/self-service/recovery/flows?id=${next.id}`)
}

function alreadySignedIn({ service }: Exchange): WireError {
  const browser = { location: service.defaultReturnUrl, status: 302 } as const
  return sessionAlreadyAvailable('recovery', browser, 'The request was malformed or contained invalid parameters')
}
