/** Coming back from a provider: into an account, into a new one, or with a link for the present one. */
import { isPrivileged, lacksSecondFactor } from '#assurance.ts'
import { WireError, badRequest } from '#http/error.ts'
import { type Answer, redirect, tell } from '#http/exchange.ts'
import { type Exchange, pageUrl } from '#service.ts'
import { csrfPlace, isExpired, loadFlow, saveFlow } from '#flow/flow.ts'
import type { Flow } from '#store.ts'
import { completeLogin } from '#flow/login.ts'
import { completeRegistration } from '#flow/new-account.ts'
import { missingTraits } from '#flow/registration.ts'
import { completeChange } from '#flow/settings.ts'
import { isFields, textOf } from '#http/body.ts'
import { findIdentity, ownerOfAddress } from '#identities.ts'
import { providerNode, providerOf } from '#method/oidc.ts'
import { type Journey, arrive, callbackUrl } from '#oidc/journey.ts'
import { addLink, ownerOfLink } from '#oidc/link.ts'
import type { Person, Provider } from '#oidc/provider.ts'
import { normalAddress, readTraits, traitNodes, typedTraits } from '#schema.ts'
import { attemptSignUp, tooManyAttempts } from '#throttle.ts'
import { type Message, label } from '#ui/message.ts'
import { withMessages, withValues } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

/** The address to which a provider sends the browser back. */
export async function finishJourney(exchange: Exchange, providerId: string): Promise<Answer> {
  const { service, query } = exchange
  const provider = providerOf(service, providerId)
  const journey = await arrive(exchange, provider.id)
  const flow = await loadFlow(service, journey.kind, journey.flowId)
  if (isExpired(service, flow)) return redirect(pageUrl(service, flow.kind, flow.id))
  const error = query.get('error')
  if (error) return fail(exchange, flow, problem.providerError(error.slice(0, 100), said(query)))
  const person = await provider.finish(new URL(exchange.url), journey.checks).catch((cause: unknown) => {
    service.log.warn({ err: cause, provider: provider.id }, 'identity provider answered wrongly')
    return null
  })
  if (!person) {
    tell(exchange, 'sign_in_failed', null, provider.id)
    return fail(exchange, flow, problem.generic(`The answer of ${provider.label} could not be used. Please try again.`))
  }
  if (journey.kind === 'settings') return linkPresent(exchange, flow, provider, person)
  return enter(exchange, flow, provider, person, journey)
}

/** What a provider may say in a form; a browser hands it on from another site. */
const formFields = ['code', 'state', 'iss', 'error', 'error_description'] as const

/**
 * The answer of a provider that comes as a form (OAuth 2.0 Form Post Response Mode). Forms of other sites
 * come without our cookies, so the browser is sent on to the same address with the answer in its query.
 */
export async function forwardJourney(exchange: Exchange, providerId: string): Promise<Answer> {
  const { service, body } = exchange
  const { id } = providerOf(service, providerId)
  const fields = body.kind === 'fields' ? body.fields : {}
  const given = formFields.flatMap((name) => (textOf(fields, name) ? [[name, textOf(fields, name)]] : []))
  return redirect(`${callbackUrl(service, id)}?${new URLSearchParams(given)}`)
}

function said(query: URLSearchParams): string {
  return (query.get('error_description') ?? '').slice(0, 500)
}

/** Back to the form that was left, which then says why. */
async function fail(exchange: Exchange, flow: Flow, message: Message): Promise<Answer> {
  const { service } = exchange
  await saveFlow(service, flow, { active: 'oidc', ui: { ...flow.ui, messages: [message] } })
  return redirect(pageUrl(service, flow.kind, flow.id))
}

async function enter(
  exchange: Exchange,
  flow: Flow,
  provider: Provider,
  person: Person,
  journey: Journey,
): Promise<Answer> {
  const { service } = exchange
  const session = await exchange.session()
  if (session && !flow.memory.refresh) return redirect(service.defaultReturnUrl)
  const owner = await ownerOfLink(service.db, { provider: provider.id, subject: person.subject })
  if (!owner)
    return journey.kind === 'login' && flow.memory.refresh
      ? stranger(exchange, flow)
      : signUp(exchange, flow, provider, person, journey)
  const identity = await findIdentity(service.db, owner)
  if (identity?.state !== 'active') return fail(exchange, flow, problem.accountDisabled)
  return completeLogin(exchange, flow, session, owner, { method: 'oidc', provider: provider.id })
}

/** Who renews a session by an account that is nobody's has not proved who it is. */
function stranger(exchange: Exchange, flow: Flow): Promise<Answer> {
  return fail(exchange, flow, problem.linkMismatch)
}

const closed = 'There is no account for this sign-in, and new ones are made by the people who run this installation.'

/**
 * An account for somebody new. An address that is an account's already never opens that account, be it
 * verified at the provider or not: its owner signs in and links.
 */
async function signUp(
  exchange: Exchange,
  flow: Flow,
  provider: Provider,
  person: Person,
  journey: Journey,
): Promise<Answer> {
  const { service } = exchange
  if (service.disabledFlows.has('registration')) return fail(exchange, flow, problem.generic(closed))
  const traits = merged(person, journey.traits)
  const reading = readTraits(traits)
  const address = typeof traits['email'] === 'string' ? normalAddress(traits['email']) : ''
  if (address && (await ownerOfAddress(service.db, address))) return fail(exchange, flow, problem.linkAfterSignIn)
  if (reading.kind === 'invalid') {
    const target = flow.kind === 'registration' ? flow : await missingTraits(exchange, flow)
    const nodes = [
      providerNode(provider.id, label.continueSignUp),
      csrfNodeOf(target),
      ...withValues(traitNodes('default'), typedTraits(traits)),
    ]
    const ui = withMessages({ ...target.ui, nodes, messages: [] }, reading.messages)
    await saveFlow(service, target, { active: 'oidc', ui })
    return redirect(pageUrl(service, 'registration', target.id), 302)
  }
  const newcomer = await attemptSignUp(service, exchange.client.ip)
  if (newcomer.isRefused) {
    tell(exchange, 'throttled', null, 'registration')
    return fail(exchange, flow, problem.generic(tooManyAttempts))
  }
  const isProven = person.isEmailVerified && normalAddress(person.email ?? '') === address
  const link = { provider: provider.id, subject: person.subject }
  const made = await completeRegistration(exchange, flow, reading.traits, {
    method: { method: 'oidc', provider: provider.id },
    isProven,
    attach: async (tx, identityId) => {
      if (!(await addLink(tx, identityId, link, service.now()))) throw badRequest('This account was linked meanwhile.')
    },
  })
  return made ?? fail(exchange, flow, problem.linkAfterSignIn)
}

function csrfNodeOf(flow: Flow) {
  return flow.ui.nodes.find((node) => node.type === 'input' && node.attributes.name === 'csrf_token') ?? csrfPlace
}

/** What was typed comes before what the provider says. */
function merged(person: Person, typed: unknown): Record<string, unknown> {
  const given = isFields(typed) ? typed : {}
  const name = isFields(given['name']) ? given['name'] : {}
  const known = (value: string | null, key: string) => (value ? { [key]: value } : {})
  return {
    ...known(person.email, 'email'),
    ...given,
    name: { ...known(person.first, 'first'), ...known(person.last, 'last'), ...name },
  }
}

async function linkPresent(exchange: Exchange, flow: Flow, provider: Provider, person: Person): Promise<Answer> {
  const { service } = exchange
  const session = await exchange.session()
  if (!session || session.identity.id !== flow.identity_id) {
    throw new WireError(403, {
      id: 'security_identity_mismatch',
      reason: 'The request was made for another identity and has been blocked for security reasons.',
    })
  }
  if (lacksSecondFactor(service, session) || !isPrivileged(service, session))
    return redirect(pageUrl(service, 'settings', flow.id))
  const link = { provider: provider.id, subject: person.subject }
  const isNew = await service.db.transaction().execute((tx) => addLink(tx, session.identity.id, link, service.now()))
  if (!isNew) {
    return fail(exchange, flow, problem.generic(`This account at ${provider.label} is linked to another account.`))
  }
  tell(exchange, 'provider_linked', session.identity.id, provider.id)
  return completeChange(exchange, { ...flow, active: 'oidc' }, session)
}
