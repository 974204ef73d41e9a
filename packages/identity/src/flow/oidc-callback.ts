/** Callback from an identity provider: signs in, registers a new identity, or links the current one. */
import { isPrivileged, lacksSecondFactor } from '#assurance.ts'
import { WireError, badRequest } from '#http/error.ts'
import { type HttpResponse, redirect, emitEvent } from '#http/exchange.ts'
import { type Exchange, pageUrl } from '#service.ts'
import { csrfPlaceholder, isExpired, loadFlow, saveFlow } from '#flow/flow.ts'
import type { Flow, Traits } from '#store.ts'
import { completeLogin } from '#flow/login.ts'
import { completeRegistration } from '#flow/complete-registration.ts'
import { createFlowForMissingTraits } from '#flow/registration.ts'
import { completeChange } from '#flow/settings.ts'
import { isFields, textOf } from '#http/body.ts'
import { findIdentity, findAddressOwner, findVerifiedAddressOwner } from '#identities.ts'
import { providerNode, getProvider } from '#method/oidc.ts'
import { type PendingAuthorization, consumeAuthorization, callbackUrl } from '#oidc/authorization.ts'
import { addLink, findLinkOwner } from '#oidc/link.ts'
import { linkedSubject, vouchesFor } from '#oidc/organization.ts'
import type { ProviderUser, Provider } from '#oidc/provider.ts'
import { normalizeAddress, parseTraits, traitNodes, submittedTraits } from '#schema.ts'
import { beginSignUpAttempt, tooManyAttempts } from '#throttle.ts'
import { type Message, label } from '#ui/message.ts'
import { withMessages, withValues } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

/** Completes a sign-in or link after the redirect back from a provider. */
export async function completeProviderSignIn(exchange: Exchange, providerId: string): Promise<HttpResponse> {
  const { service, query } = exchange
  const provider = await getProvider(service, providerId)
  const authorization = await consumeAuthorization(exchange, provider.id)
  const flow = await loadFlow(service, authorization.kind, authorization.flowId)
  if (isExpired(service, flow)) return redirect(pageUrl(service, flow.kind, flow.id))
  const error = query.get('error')
  if (error)
    return redirectWithError(exchange, flow, errorMessage.providerError(error.slice(0, 100), errorDescription(query)))
  const user = await provider
    .completeAuthorization(new URL(exchange.url), authorization.checks)
    .catch((cause: unknown) => {
      service.log.warn({ err: cause, provider: provider.id }, 'identity provider response rejected')
      return null
    })
  if (!user) {
    emitEvent(exchange, 'sign_in_failed', null, provider.id)
    return redirectWithError(exchange, flow, errorMessage.generic(`Sign-in with ${provider.label} failed. Try again.`))
  }
  if (authorization.kind === 'settings') return linkCurrentIdentity(exchange, flow, provider, user)
  return signInOrSignUp(exchange, flow, provider, user, authorization)
}

/** Response parameters accepted from a form post. */
const formPostFields = ['code', 'state', 'iss', 'error', 'error_description'] as const

/**
 * Supports the OAuth 2.0 Form Post Response Mode. A cross-site form post doesn't include our cookies, so the browser is
 * redirected to the same URL with the parameters in the query.
 */
export async function forwardFormPost(exchange: Exchange, providerId: string): Promise<HttpResponse> {
  const { service, body } = exchange
  const { id } = await getProvider(service, providerId)
  const fields = body.kind === 'fields' ? body.fields : {}
  const given = formPostFields.flatMap((name) => (textOf(fields, name) ? [[name, textOf(fields, name)]] : []))
  return redirect(`${callbackUrl(service, id)}?${new URLSearchParams(given)}`)
}

function errorDescription(query: URLSearchParams): string {
  return (query.get('error_description') ?? '').slice(0, 500)
}

/** Redirects back to the flow's form, which shows the error. */
async function redirectWithError(exchange: Exchange, flow: Flow, message: Message): Promise<HttpResponse> {
  const { service } = exchange
  await saveFlow(service, flow, { active: 'oidc', ui: { ...flow.ui, messages: [message] } })
  return redirect(pageUrl(service, flow.kind, flow.id))
}

async function signInOrSignUp(
  exchange: Exchange,
  flow: Flow,
  provider: Provider,
  user: ProviderUser,
  authorization: PendingAuthorization,
): Promise<HttpResponse> {
  const { service } = exchange
  const session = await exchange.session()
  if (session && !flow.memory.refresh) return redirect(service.defaultReturnUrl)
  const link = { provider: provider.id, subject: linkedSubject(provider, user) }
  const owner = (await findLinkOwner(service.db, link)) ?? (await linkByDomain(exchange, provider, user, link))
  if (!owner && provider.domains && !vouchesFor(provider, user.email))
    return redirectWithError(exchange, flow, errorMessage.generic(otherDomain(provider)))
  if (!owner && !provider.domains)
    return authorization.kind === 'login' && flow.memory.refresh
      ? rejectUnlinkedUser(exchange, flow)
      : signUp(exchange, flow, provider, user, authorization)
  if (!owner) return signUp(exchange, flow, provider, user, authorization)
  const identity = await findIdentity(service.db, owner)
  if (identity?.state !== 'active') return redirectWithError(exchange, flow, errorMessage.accountDisabled)
  // The address may have changed since the accounts were linked.
  if (provider.domains && !vouchesFor(provider, identity.traits.email))
    return redirectWithError(exchange, flow, errorMessage.generic(otherDomain(provider)))
  await announceSignIn(exchange, provider, user, identity)
  return completeLogin(exchange, flow, session, owner, { method: 'oidc', provider: provider.id })
}

/**
 * Links the identity with the user's verified address, if the organization vouches for its domain. An unverified
 * address is not linked: someone else may have signed up with it.
 */
async function linkByDomain(
  exchange: Exchange,
  provider: Provider,
  { email }: ProviderUser,
  link: { readonly provider: string; readonly subject: string },
): Promise<string | null> {
  const { service } = exchange
  if (!email || !vouchesFor(provider, email)) return null
  const owner = await findVerifiedAddressOwner(service.db, normalizeAddress(email))
  if (!owner) return null
  const isNew = await service.db.transaction().execute((tx) => addLink(tx, owner, link, service.now()))
  if (isNew) emitEvent(exchange, 'provider_linked', owner, provider.id)
  return findLinkOwner(service.db, link)
}

function otherDomain({ label: name, domains = [] }: Provider): string {
  return domains.length > 0
    ? `${name} can only sign in users with an address at ${domains.join(', ')}.`
    : `${name} can't sign in anyone before its workspace has verified an email domain.`
}

async function announceSignIn(
  { service, client }: Exchange,
  provider: Provider,
  { groups }: ProviderUser,
  { id, traits }: { readonly id: string; readonly traits: Traits },
): Promise<void> {
  if (!provider.domains) return
  const name = `${traits.name.first} ${traits.name.last}`.trim()
  await service.onOrganizationSignIn({
    provider: provider.id,
    identityId: id,
    email: traits.email,
    name,
    groups,
    ...client,
  })
}

/** A provider account without a linked identity can't refresh a session. */
function rejectUnlinkedUser(exchange: Exchange, flow: Flow): Promise<HttpResponse> {
  return redirectWithError(exchange, flow, errorMessage.linkMismatch)
}

const registrationDisabled =
  'No account is linked to this sign-in, and registration is disabled. Contact your administrator.'

/**
 * Registers a new identity. If another identity has the address, it is never signed in, even if the provider reports the
 * address as verified: the owner has to sign in and link the provider.
 */
async function signUp(
  exchange: Exchange,
  flow: Flow,
  provider: Provider,
  user: ProviderUser,
  authorization: PendingAuthorization,
): Promise<HttpResponse> {
  const { service } = exchange
  if (service.disabledFlows.has('registration'))
    return redirectWithError(exchange, flow, errorMessage.generic(registrationDisabled))
  const merged = mergeTraits(user, authorization.traits)
  // An organization vouches only for the address that its own provider supplied.
  const traits = provider.domains ? { ...merged, email: user.email } : merged
  const parsed = parseTraits(traits)
  const address = typeof traits['email'] === 'string' ? normalizeAddress(traits['email']) : ''
  if (address && (await findAddressOwner(service.db, address)))
    return redirectWithError(exchange, flow, errorMessage.linkAfterSignIn)
  if (parsed.kind === 'invalid') {
    const target = flow.kind === 'registration' ? flow : await createFlowForMissingTraits(exchange, flow)
    const nodes = [
      providerNode(provider.id, label.continueSignUp),
      csrfNodeOf(target),
      ...withValues(traitNodes('default'), submittedTraits(traits)),
    ]
    const ui = withMessages({ ...target.ui, nodes, messages: [] }, parsed.messages)
    await saveFlow(service, target, { active: 'oidc', ui })
    return redirect(pageUrl(service, 'registration', target.id), 302)
  }
  const attempt = await beginSignUpAttempt(service, exchange.client.ip)
  if (attempt.isThrottled) {
    emitEvent(exchange, 'throttled', null, 'registration')
    return redirectWithError(exchange, flow, errorMessage.generic(tooManyAttempts))
  }
  const isAddressVerified =
    provider.domains !== undefined || (user.isEmailVerified && normalizeAddress(user.email ?? '') === address)
  const link = { provider: provider.id, subject: linkedSubject(provider, user) }
  const response = await completeRegistration(exchange, flow, parsed.traits, {
    method: { method: 'oidc', provider: provider.id },
    isAddressVerified,
    onCreated: (id) => announceSignIn(exchange, provider, user, { id, traits: parsed.traits }),
    attach: async (tx, identityId) => {
      if (!(await addLink(tx, identityId, link, service.now())))
        throw badRequest('This account has already been linked.')
    },
  })
  return response ?? redirectWithError(exchange, flow, errorMessage.linkAfterSignIn)
}

function csrfNodeOf(flow: Flow) {
  return flow.ui.nodes.find((node) => node.type === 'input' && node.attributes.name === 'csrf_token') ?? csrfPlaceholder
}

/** Submitted values take precedence over the provider's claims. */
function mergeTraits(user: ProviderUser, submitted: unknown): Record<string, unknown> {
  const given = isFields(submitted) ? submitted : {}
  const name = isFields(given['name']) ? given['name'] : {}
  const optional = (value: string | null, key: string) => (value ? { [key]: value } : {})
  return {
    ...optional(user.email, 'email'),
    ...given,
    name: { ...optional(user.first, 'first'), ...optional(user.last, 'last'), ...name },
  }
}

async function linkCurrentIdentity(
  exchange: Exchange,
  flow: Flow,
  provider: Provider,
  user: ProviderUser,
): Promise<HttpResponse> {
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
  if (provider.domains && !vouchesFor(provider, session.identity.traits.email))
    return redirectWithError(exchange, flow, errorMessage.generic(otherDomain(provider)))
  const link = { provider: provider.id, subject: linkedSubject(provider, user) }
  const isNew = await service.db.transaction().execute((tx) => addLink(tx, session.identity.id, link, service.now()))
  if (!isNew) {
    return redirectWithError(
      exchange,
      flow,
      errorMessage.generic(`Your ${provider.label} account is already linked to another account.`),
    )
  }
  emitEvent(exchange, 'provider_linked', session.identity.id, provider.id)
  return completeChange(exchange, { ...flow, active: 'oidc' }, session)
}
