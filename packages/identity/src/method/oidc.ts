/** Signing in by another service. The form leads to it; the answer comes back in `flow/callback.ts`. */
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { WireError } from '#http/error.ts'
import { tell } from '#http/exchange.ts'
import {
  type Exchange,
  type HeldScene,
  type Method,
  type Refused,
  type Scene,
  type SettingsOutcome,
  refused,
  type Service,
  type LiveSession,
} from '#service.ts'
import { countFirstFactors, dropUnlessLast } from '#method/first-factors.ts'
import { depart } from '#oidc/journey.ts'
import { dropLinks, readLinks } from '#oidc/link.ts'
import type { Provider } from '#oidc/provider.ts'
import { label, onForm } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

export const oidc: Method = {
  name: 'oidc',
  claims: (fields) => ['provider', 'link', 'unlink'].some((field) => textOf(fields, field)),
  login: { nodes: loginNodes, submit: leave },
  registration: {
    nodes: ({ service }) =>
      service.providers.map(({ id, label: name }) => providerNode(id, label.signUpWith(name, id))),
    missing: () => [],
    needsNoTraits: true,
    submit: (exchange, fields, _traits, flow) => leave(exchange, fields, flow),
  },
  settings: { nodes: settingsNodes, submit: change },
}

/** The button that goes to a provider. */
export function providerNode(id: string, words: Node['meta']['label']): Node {
  return input('oidc', 'provider', 'submit', { value: id, ...(words && { label: words }) })
}

async function loginNodes({ service, holder }: Scene): Promise<Node[]> {
  const links = holder ? await readLinks(service.db, holder.id) : []
  return service.providers
    .filter(({ id }) => !holder || links.some(({ provider }) => provider === id))
    .map(({ id, label: name }) => providerNode(id, label.signInWith(name, id)))
}

async function settingsNodes({ service, holder }: HeldScene): Promise<Node[]> {
  const linked = new Set((await readLinks(service.db, holder.id)).map(({ provider }) => provider))
  const canUnlink = linked.size > 0 && (await countFirstFactors(service, service.db, holder.id)) > 1
  return service.providers.flatMap(({ id, label: name }) => {
    if (!linked.has(id)) return [input('oidc', 'link', 'submit', { value: id, label: label.link(name) })]
    return canUnlink ? [input('oidc', 'unlink', 'submit', { value: id, label: label.unlink(name) })] : []
  })
}

/** Goes to the provider; what was typed goes along and is read when the browser comes back. */
async function leave(exchange: Exchange, fields: Fields, flow: Flow): Promise<Refused> {
  const provider = providerOf(exchange.service, textOf(fields, 'provider'))
  await depart(exchange, provider, flow, fields['traits'])
  return unreachable(provider)
}

function unreachable({ label: name }: Provider): Refused {
  return refused(onForm(problem.generic(`${name} can not be reached at the moment. Please try again later.`)))
}

/**
 * The provider of an id.
 *
 * @throws WireError 404 when there is none
 */
export function providerOf({ providers }: Service, id: string): Provider {
  const provider = providers.find((one) => one.id === id)
  if (provider) return provider
  const shown = JSON.stringify(id.slice(0, 64))
  throw new WireError(404, { reason: `OpenID Connect Provider ${shown} is unknown or has not been configured` })
}

async function change(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome> {
  const { service } = exchange
  const [link, unlink] = [textOf(fields, 'link'), textOf(fields, 'unlink')]
  if (!link === !unlink) return refused(onForm(problem.settingsNoMethod))
  if (!isPrivileged(service, session)) return { kind: 'reauthenticate' }
  if (unlink) return takeAway(exchange, session, unlink)
  const provider = providerOf(service, link)
  const links = await readLinks(service.db, session.identity.id)
  if (links.some((one) => one.provider === link)) {
    return refused(onForm(problem.generic('can not link OpenID Connect connection because it is linked already')))
  }
  await depart(exchange, provider, flow)
  return unreachable(provider)
}

async function takeAway(exchange: Exchange, { identity }: LiveSession, id: string): Promise<SettingsOutcome> {
  const { service } = exchange
  const links = await readLinks(service.db, identity.id)
  if (!links.some(({ provider }) => provider === id)) {
    return refused(onForm(problem.generic('can not unlink OpenID Connect connection because it does not exist')))
  }
  const isGone = await dropUnlessLast(service, identity.id, (tx) => dropLinks(tx, identity.id, id, service.now()))
  if (!isGone) return refused(onForm(problem.lastProvider))
  tell(exchange, 'provider_unlinked', identity.id, id)
  return { kind: 'saved' }
}
