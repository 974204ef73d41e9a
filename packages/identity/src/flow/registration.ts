/** Signing up: traits and a first credential in one form, a session and a code to prove the address after it. */
import { isHuman } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { badRequest, sessionAlreadyAvailable } from '#http/error.ts'
import { type Answer, csrfOf, json, redirect, tell } from '#http/exchange.ts'
import { type Exchange, type Asked, type Method, type Service, pageUrl } from '#service.ts'
import { createFlow, csrfPlace, expiredOnSubmit, flowBody, isExpired, saveFlow, withToken } from '#flow/flow.ts'
import type { Flow, FlowMemory, Traits } from '#store.ts'
import {
  formAnswer,
  keepAttempt,
  requireCsrf,
  requireEnabled,
  requireOwnCookie,
  submittedFlow,
  unreadable,
} from '#flow/submit.ts'
import { withFreshKeys } from '#flow/draw.ts'
import {
  backToCredentials,
  drawRegistration,
  firstStep,
  hiddenTraits,
  sortRegistration,
} from '#flow/registration-form.ts'
import { methodFor } from '#method/methods.ts'
import { checkReturnTo } from '#return-to.ts'
import { readTraits, schemaId, typedTraits } from '#schema.ts'
import { attemptSignUp, tooManyAttempts } from '#throttle.ts'
import { type Message, type PlacedMessage, notice, onForm } from '#ui/message.ts'
import { withValues } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'
import { completeRegistration } from '#flow/new-account.ts'

/** Starts a registration. */
export async function startRegistration(exchange: Exchange): Promise<Answer> {
  const { service, query } = exchange
  const returnTo = checkReturnTo(query.get('return_to'), service)
  const afterVerification = checkReturnTo(query.get('after_verification_return_to'), service)
  requireEnabled(service, 'registration')
  const schema = query.get('identity_schema') || null
  if (schema && schema !== schemaId) throw badRequest(`Requested identity schema "${schema}" does not exist.`)
  if (await exchange.session()) {
    throw sessionAlreadyAvailable('registration', {
      location: returnTo?.url ?? service.defaultReturnUrl,
      status: 303,
    })
  }
  const flow = await create(exchange, {
    requestUrl: exchange.url,
    returnTo: returnTo?.shown ?? null,
    memory: {
      ...(afterVerification && { afterVerificationReturnTo: afterVerification.shown }),
      ...(schema && { identitySchema: schema }),
    },
  })
  if (exchange.acceptsJson) return json(200, flowBody(service, flow))
  return redirect(pageUrl(service, 'registration', flow.id))
}

/** Takes traits and a credential, and makes the account. */
export async function submitRegistration(exchange: Exchange): Promise<Answer> {
  const { service, body } = exchange
  const opened = await submittedFlow(exchange, 'registration')
  requireEnabled(service, 'registration')
  if (await exchange.session()) {
    throw sessionAlreadyAvailable('registration', { location: service.defaultReturnUrl, status: 302 })
  }
  if (isExpired(service, opened)) throw expiredOnSubmit(service, opened, await replace(exchange, opened))
  requireOwnCookie(exchange, opened)
  if (body.kind === 'unreadable') return refuse(exchange, opened, unreadable(body.reason))
  const { fields } = body
  if (isStep(service, fields)) return takeStep(exchange, opened, fields)
  const method = methodFor(service, 'registration', fields)
  if (!method?.registration) return refuse(exchange, opened, [onForm(problem.registrationNoMethod)], fields)
  requireCsrf(exchange, fields, opened)
  const human = await isHuman(exchange, opened, fields)
  if (!human) return refuse(exchange, opened, [onForm(problem.captchaFailed)], fields)
  const { flow } = human
  const missing = method.registration.missing(fields)
  const reading = readTraits(fields['traits'])
  if (method.registration.needsNoTraits) return leave(exchange, flow, method.registration.submit, fields)
  if (reading.kind === 'invalid') return refuse(exchange, flow, [...reading.messages, ...missing], fields)
  if (missing.length > 0) return refuse(exchange, flow, missing, fields)
  const signUp = await attemptSignUp(service, exchange.client.ip)
  if (signUp.isRefused) {
    tell(exchange, 'throttled', null, 'registration')
    return refuse(exchange, flow, [onForm(problem.generic(tooManyAttempts))], fields)
  }
  const outcome = await method.registration.submit(exchange, fields, reading.traits, flow)
  if (outcome.kind === 'asked') return ask(exchange, flow, method.name, reading.traits, outcome)
  if (outcome.kind === 'refused') {
    await signUp.forgive()
    const next = outcome.isSpent ? await withNewChallenge(exchange, flow) : flow
    return refuse(exchange, next, outcome.messages, fields)
  }
  // A code was counted when it was mailed.
  if (outcome.isProven) await signUp.forgive()
  const made = await completeRegistration(exchange, flow, reading.traits, {
    attach: outcome.attach,
    method: { method: method.name },
    isProven: outcome.isProven ?? false,
  })
  return made ?? refuse(exchange, flow, [onForm(problem.duplicateAccount)], fields)
}

/** A submit of traits alone, or the way back from what came after them. */
function isStep({ registrationStyle }: Service, fields: Fields): boolean {
  if (textOf(fields, 'screen') === 'credential-selection') return true
  const isProfile = textOf(fields, 'method') === 'profile' || textOf(fields, 'screen') === 'previous'
  return registrationStyle === 'two-step' && isProfile
}

/** Goes on with the code that was mailed; the traits stay as they are, unseen, and are sent again with it. */
async function ask(exchange: Exchange, flow: Flow, method: string, traits: Traits, outcome: Asked): Promise<Answer> {
  const nodes = [csrfPlace, ...withValues(hiddenTraits(), typedTraits(traits)), ...outcome.nodes, backToCredentials()]
  const asked = await saveFlow(exchange.service, flow, {
    state: 'sent_email',
    active: method,
    memory: { ...flow.memory, ...outcome.memory },
    ui: { ...flow.ui, nodes: withToken(nodes, flow.csrf_token), messages: [outcome.message] },
  })
  return formAnswer(exchange, asked, 400)
}

/** Right traits lead to the choice of a credential; nothing is made yet, and all is sent again. */
async function takeStep(exchange: Exchange, opened: Flow, fields: Fields): Promise<Answer> {
  requireCsrf(exchange, fields, opened)
  const human = await isHuman(exchange, opened, fields)
  if (!human) return refuse(exchange, opened, [onForm(problem.captchaFailed)], fields)
  const { flow } = human
  const isBack = textOf(fields, 'screen') === 'previous'
  const isTwoSteps = exchange.service.registrationStyle === 'two-step'
  const reading = readTraits(fields['traits'])
  if (!isBack && reading.kind === 'invalid') return refuse(exchange, flow, reading.messages, fields)
  const step = isBack || !isTwoSteps ? firstStep(exchange.service) : 'credential'
  const drawing = await drawRegistration(exchange.service, flow.memory, step)
  const kept = await keepAttempt(
    exchange,
    { ...flow, memory: drawing.memory, state: 'choose_method', active: null },
    {
      messages: step === 'credential' ? [onForm(notice.chooseCredential)] : [],
      typed: typedTraits(fields['traits']),
      nodes: withToken(drawing.nodes, csrfOf(exchange)),
    },
  )
  return formAnswer(exchange, kept, 400)
}

type Submit = NonNullable<Method['registration']>['submit']

/** A submit that leads out of the house; it only comes back here when the way is blocked. */
async function leave(exchange: Exchange, flow: Flow, submit: Submit, fields: Fields): Promise<Answer> {
  const outcome = await submit(exchange, fields, noTraits, flow)
  return refuse(exchange, flow, outcome.kind === 'refused' ? outcome.messages : [], fields)
}

const noTraits: Traits = { email: '', name: { first: '', last: '' } }

/** A registration for somebody who came by another service and started at the sign-in. */
export function missingTraits(exchange: Exchange, from: Flow): Promise<Flow> {
  return create(exchange, { requestUrl: from.request_url, returnTo: from.return_to, memory: {} })
}

/** The address of a registration's form, opened as a page: nothing was sent, so the form is shown. */
export async function openRegistration(exchange: Exchange): Promise<Answer> {
  const flow = await submittedFlow(exchange, 'registration')
  return redirect(pageUrl(exchange.service, 'registration', flow.id))
}

interface Start {
  readonly requestUrl: string
  readonly returnTo: string | null
  readonly memory: FlowMemory
  readonly messages?: readonly Message[]
}

async function create(exchange: Exchange, start: Start): Promise<Flow> {
  const { service } = exchange
  const drawing = await drawRegistration(service, start.memory, firstStep(service))
  return createFlow(service, { ...start, ...drawing, kind: 'registration', csrfToken: csrfOf(exchange) })
}

function replace(exchange: Exchange, flow: Flow): Promise<Flow> {
  return create(exchange, {
    requestUrl: flow.request_url,
    returnTo: flow.return_to,
    memory: flow.memory,
    messages: [problem.registrationExpired(flow.expires_at, exchange.service.now())],
  })
}

/** The flow as it stands, with something else for authenticators to sign. */
async function withNewChallenge({ service }: Exchange, flow: Flow): Promise<Flow> {
  const { nodes, memory } = await drawRegistration(service, flow.memory, 'whole')
  return { ...flow, memory, ui: { ...flow.ui, nodes: withFreshKeys(flow.ui.nodes, nodes) } }
}

async function refuse(
  exchange: Exchange,
  flow: Flow,
  messages: readonly PlacedMessage[],
  fields: Fields = {},
): Promise<Answer> {
  const typed = typedTraits(fields['traits'])
  return formAnswer(exchange, await keepAttempt(exchange, flow, { messages, typed, sort: sortRegistration }), 400, 302)
}
