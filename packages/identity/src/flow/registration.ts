/** Registration flow. */
import { verifyCaptcha } from '#captcha.ts'
import { type Fields, textOf } from '#http/body.ts'
import { badRequest, sessionAlreadyAvailable } from '#http/error.ts'
import { type HttpResponse, ensureCsrfToken, emitEvent } from '#http/exchange.ts'
import type { Exchange, CodeSent, Method, Service } from '#service.ts'
import { createFlow, csrfPlaceholder, expiredOnSubmit, isExpired, saveFlow, withCsrfToken } from '#flow/flow.ts'
import type { Flow, FlowMemory, Traits } from '#store.ts'
import {
  formResponse,
  saveSubmission,
  requireCsrf,
  requireEnabled,
  requireFlowCookie,
  submittedFlow,
  unreadableBody,
  respondStarted,
} from '#flow/submit.ts'
import { withNewChallenges } from '#flow/form.ts'
import {
  backToCredentials,
  buildRegistrationForm,
  firstStep,
  hiddenTraits,
  sortRegistration,
} from '#flow/registration-form.ts'
import { selectMethod } from '#method/methods.ts'
import { checkReturnTo } from '#return-to.ts'
import { parseTraits, schemaId, submittedTraits } from '#schema.ts'
import { beginSignUpAttempt, tooManyAttempts } from '#throttle.ts'
import { type Message, type FieldMessage, notice, onForm } from '#ui/message.ts'
import { withValues } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'
import { completeRegistration } from '#flow/complete-registration.ts'

export async function startRegistration(exchange: Exchange): Promise<HttpResponse> {
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
  const flow = await createRegistrationFlow(exchange, {
    requestUrl: exchange.url,
    returnTo: returnTo?.original ?? null,
    memory: {
      ...(afterVerification && { afterVerificationReturnTo: afterVerification.original }),
      ...(schema && { identitySchema: schema }),
    },
  })
  return respondStarted(exchange, flow)
}

/** Accepts a step, or traits with a credential, which creates the identity. */
export async function submitRegistration(exchange: Exchange): Promise<HttpResponse> {
  const { service, body } = exchange
  const loaded = await submittedFlow(exchange, 'registration')
  requireEnabled(service, 'registration')
  if (await exchange.session()) {
    throw sessionAlreadyAvailable('registration', { location: service.defaultReturnUrl, status: 302 })
  }
  if (isExpired(service, loaded)) throw expiredOnSubmit(service, loaded, await createReplacement(exchange, loaded))
  requireFlowCookie(exchange, loaded)
  if (body.kind === 'unreadable') return respondWithErrors(exchange, loaded, unreadableBody(body.reason))
  const { fields } = body
  if (isStepSubmission(service, fields)) return submitStep(exchange, loaded, fields)
  const method = selectMethod(service, 'registration', fields)
  if (!method?.registration)
    return respondWithErrors(exchange, loaded, [onForm(errorMessage.registrationNoMethod)], fields)
  requireCsrf(exchange, fields, loaded)
  const verified = await verifyCaptcha(exchange, loaded, fields)
  if (!verified) return respondWithErrors(exchange, loaded, [onForm(errorMessage.captchaFailed)], fields)
  const { flow } = verified
  const missing = method.registration.missingFields(fields)
  const parsed = parseTraits(fields['traits'])
  if (method.registration.hasOptionalTraits)
    return submitWithoutTraits(exchange, flow, method.registration.submit, fields)
  if (parsed.kind === 'invalid') return respondWithErrors(exchange, flow, [...parsed.messages, ...missing], fields)
  if (missing.length > 0) return respondWithErrors(exchange, flow, missing, fields)
  const signUp = await beginSignUpAttempt(service, exchange.client.ip)
  if (signUp.isThrottled) {
    emitEvent(exchange, 'throttled', null, 'registration')
    return respondWithErrors(exchange, flow, [onForm(errorMessage.generic(tooManyAttempts))], fields)
  }
  const outcome = await method.registration.submit(exchange, fields, parsed.traits, flow)
  if (outcome.kind === 'code_sent') return respondCodeSent(exchange, flow, method.name, parsed.traits, outcome)
  if (outcome.kind === 'rejected') {
    await signUp.refund()
    const next = outcome.needsNewChallenge ? await withNewChallenge(exchange, flow) : flow
    return respondWithErrors(exchange, next, outcome.messages, fields)
  }
  // A code was already counted when it was sent.
  if (outcome.isAddressVerified) await signUp.refund()
  const response = await completeRegistration(exchange, flow, parsed.traits, {
    attach: outcome.attach,
    method: { method: method.name },
    isAddressVerified: outcome.isAddressVerified ?? false,
  })
  return response ?? respondWithErrors(exchange, flow, [onForm(errorMessage.duplicateAccount)], fields)
}

/** True for a submission of traits only, and for the back buttons. */
function isStepSubmission({ registrationStyle }: Service, fields: Fields): boolean {
  if (textOf(fields, 'screen') === 'credential-selection') return true
  const isProfile = textOf(fields, 'method') === 'profile' || textOf(fields, 'screen') === 'previous'
  return registrationStyle === 'two-step' && isProfile
}

/** Responds with the form for the code. Hidden fields resubmit the traits with it. */
async function respondCodeSent(
  exchange: Exchange,
  flow: Flow,
  method: string,
  traits: Traits,
  outcome: CodeSent,
): Promise<HttpResponse> {
  const nodes = [
    csrfPlaceholder,
    ...withValues(hiddenTraits(), submittedTraits(traits)),
    ...outcome.nodes,
    backToCredentials(),
  ]
  const updated = await saveFlow(exchange.service, flow, {
    state: 'sent_email',
    active: method,
    memory: { ...flow.memory, ...outcome.memory },
    ui: { ...flow.ui, nodes: withCsrfToken(nodes, flow.csrf_token), messages: [outcome.message] },
  })
  return formResponse(exchange, updated, 400)
}

/** Moves between steps. The form resubmits everything, and nothing is created before the last step. */
async function submitStep(exchange: Exchange, loaded: Flow, fields: Fields): Promise<HttpResponse> {
  requireCsrf(exchange, fields, loaded)
  const verified = await verifyCaptcha(exchange, loaded, fields)
  if (!verified) return respondWithErrors(exchange, loaded, [onForm(errorMessage.captchaFailed)], fields)
  const { flow } = verified
  const isBack = textOf(fields, 'screen') === 'previous'
  const isTwoStep = exchange.service.registrationStyle === 'two-step'
  const parsed = parseTraits(fields['traits'])
  if (!isBack && parsed.kind === 'invalid') return respondWithErrors(exchange, flow, parsed.messages, fields)
  const step = isBack || !isTwoStep ? firstStep(exchange.service) : 'credential'
  const form = await buildRegistrationForm(exchange.service, flow.memory, step)
  const updated = await saveSubmission(
    exchange,
    { ...flow, memory: form.memory, state: 'choose_method', active: null },
    {
      messages: step === 'credential' ? [onForm(notice.chooseCredential)] : [],
      values: submittedTraits(fields['traits']),
      nodes: withCsrfToken(form.nodes, ensureCsrfToken(exchange)),
    },
  )
  return formResponse(exchange, updated, 400)
}

type Submit = NonNullable<Method['registration']>['submit']

/** Submits a method that redirects to a provider. It returns only on failure. */
async function submitWithoutTraits(
  exchange: Exchange,
  flow: Flow,
  submit: Submit,
  fields: Fields,
): Promise<HttpResponse> {
  const outcome = await submit(exchange, fields, noTraits, flow)
  return respondWithErrors(exchange, flow, outcome.kind === 'rejected' ? outcome.messages : [], fields)
}

const noTraits: Traits = { email: '', name: { first: '', last: '' } }

/** Creates a registration flow for a provider sign-in that started from login and lacks required traits. */
export function createFlowForMissingTraits(exchange: Exchange, from: Flow): Promise<Flow> {
  return createRegistrationFlow(exchange, { requestUrl: from.request_url, returnTo: from.return_to, memory: {} })
}

interface FlowStart {
  readonly requestUrl: string
  readonly returnTo: string | null
  readonly memory: FlowMemory
  readonly messages?: readonly Message[]
}

async function createRegistrationFlow(exchange: Exchange, start: FlowStart): Promise<Flow> {
  const { service } = exchange
  const form = await buildRegistrationForm(service, start.memory, firstStep(service))
  return createFlow(service, { ...start, ...form, kind: 'registration', csrfToken: ensureCsrfToken(exchange) })
}

function createReplacement(exchange: Exchange, flow: Flow): Promise<Flow> {
  return createRegistrationFlow(exchange, {
    requestUrl: flow.request_url,
    returnTo: flow.return_to,
    memory: flow.memory,
    messages: [errorMessage.registrationExpired(flow.expires_at, exchange.service.now())],
  })
}

/** Gives the flow's WebAuthn nodes a new challenge. */
async function withNewChallenge({ service }: Exchange, flow: Flow): Promise<Flow> {
  const { nodes, memory } = await buildRegistrationForm(service, flow.memory, 'whole')
  return { ...flow, memory, ui: { ...flow.ui, nodes: withNewChallenges(flow.ui.nodes, nodes) } }
}

async function respondWithErrors(
  exchange: Exchange,
  flow: Flow,
  messages: readonly FieldMessage[],
  fields: Fields = {},
): Promise<HttpResponse> {
  const values = submittedTraits(fields['traits'])
  return formResponse(
    exchange,
    await saveSubmission(exchange, flow, { messages, values: values, sort: sortRegistration }),
    400,
    302,
  )
}
