/** Sign-in with external identity providers. `flow/oidc-callback.ts` handles the callback. */
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { WireError } from '#http/error.ts'
import { emitEvent } from '#http/exchange.ts'
import {
  type Exchange,
  type IdentityFormContext,
  type Method,
  type Rejected,
  type FormContext,
  type SettingsOutcome,
  rejected,
  type Service,
  type LiveSession,
} from '#service.ts'
import { countFirstFactors, removeUnlessLast } from '#method/first-factors.ts'
import { redirectToProvider } from '#oidc/authorization.ts'
import { deleteLinks, readLinks } from '#oidc/link.ts'
import type { Provider } from '#oidc/provider.ts'
import { label, onForm } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

export const oidc: Method = {
  name: 'oidc',
  matches: (fields) => ['provider', 'link', 'unlink'].some((field) => textOf(fields, field)),
  login: { nodes: loginNodes, submit: startProviderSignIn },
  registration: {
    nodes: ({ service }) =>
      service.providers.map(({ id, label: name }) => providerNode(id, label.signUpWith(name, id))),
    missingFields: () => [],
    hasOptionalTraits: true,
    submit: (exchange, fields, _traits, flow) => startProviderSignIn(exchange, fields, flow),
  },
  settings: { nodes: settingsNodes, submit: applyChange },
}

/** Button that signs in with a provider. */
export function providerNode(id: string, caption: Node['meta']['label']): Node {
  return input('oidc', 'provider', 'submit', { value: id, ...(caption && { label: caption }) })
}

async function loginNodes({ service, identity }: FormContext): Promise<Node[]> {
  const links = identity ? await readLinks(service.db, identity.id) : []
  return service.providers
    .filter(({ id }) => !identity || links.some(({ provider }) => provider === id))
    .map(({ id, label: name }) => providerNode(id, label.signInWith(name, id)))
}

async function settingsNodes({ service, identity }: IdentityFormContext): Promise<Node[]> {
  const linked = new Set((await readLinks(service.db, identity.id)).map(({ provider }) => provider))
  const canUnlink = linked.size > 0 && (await countFirstFactors(service, service.db, identity.id)) > 1
  return service.providers.flatMap(({ id, label: name }) => {
    if (!linked.has(id)) return [input('oidc', 'link', 'submit', { value: id, label: label.link(name) })]
    return canUnlink ? [input('oidc', 'unlink', 'submit', { value: id, label: label.unlink(name) })] : []
  })
}

/** Redirects to the provider. Submitted traits are preserved for the callback. */
async function startProviderSignIn(exchange: Exchange, fields: Fields, flow: Flow): Promise<Rejected> {
  const provider = await getProvider(exchange.service, textOf(fields, 'provider'))
  await redirectToProvider(exchange, provider, flow, fields['traits'])
  return unreachable(provider)
}

/** The provider can't be reached. */
export function unreachable({ label: name }: Provider): Rejected {
  return rejected(onForm(errorMessage.generic(`${name} can't be reached. Try again later.`)))
}

/** A provider of the installation, or of an organization. @throws WireError 404 for an unknown provider */
export async function getProvider(service: Service, id: string): Promise<Provider> {
  const known = service.providers.find((candidate) => candidate.id === id)
  const provider = known ?? (await service.findOrganizationProvider(id))
  if (provider) return provider
  const shown = JSON.stringify(id.slice(0, 64))
  throw new WireError(404, { reason: `OpenID Connect Provider ${shown} is unknown or has not been configured` })
}

async function applyChange(
  exchange: Exchange,
  session: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service } = exchange
  const [link, unlink] = [textOf(fields, 'link'), textOf(fields, 'unlink')]
  if (!link === !unlink) return rejected(onForm(errorMessage.settingsNoMethod))
  if (!isPrivileged(service, session)) return { kind: 'reauthenticate' }
  if (unlink) return unlinkProvider(exchange, session, unlink)
  const provider = await getProvider(service, link)
  const links = await readLinks(service.db, session.identity.id)
  if (links.some((candidate) => candidate.provider === link)) {
    return rejected(onForm(errorMessage.generic('can not link OpenID Connect connection because it is linked already')))
  }
  await redirectToProvider(exchange, provider, flow)
  return unreachable(provider)
}

async function unlinkProvider(exchange: Exchange, { identity }: LiveSession, id: string): Promise<SettingsOutcome> {
  const { service } = exchange
  const links = await readLinks(service.db, identity.id)
  if (!links.some(({ provider }) => provider === id)) {
    return rejected(onForm(errorMessage.generic('can not unlink OpenID Connect connection because it does not exist')))
  }
  const isRemoved = await removeUnlessLast(service, identity.id, (tx) =>
    deleteLinks(tx, identity.id, id, service.now()),
  )
  if (!isRemoved) return rejected(onForm(errorMessage.lastProvider))
  emitEvent(exchange, 'provider_unlinked', identity.id, id)
  return { kind: 'saved' }
}
