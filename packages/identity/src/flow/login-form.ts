/** Login forms for first and second factors. */
import { captchaNodes } from '#captcha.ts'
import { type Form, buildForm, buildIdentityForm, withNewChallenges } from '#flow/form.ts'
import { type FlowDraft, csrfPlaceholder } from '#flow/flow.ts'
import type { Flow, FlowMemory } from '#store.ts'
import type { Exchange, Method, Service, LiveSession } from '#service.ts'
import type { Identity } from '#identities.ts'
import { notice } from '#ui/message.ts'
import { type Node, type Order, input, sorted } from '#ui/node.ts'

const order: Order = {
  groups: ['oidc', 'default', 'webauthn', 'passkey', 'code', 'captcha', 'password', 'totp', 'lookup_secret'],
  names: ['csrf_token', 'identifier', 'password'],
}

/** Sorts login nodes in wire order. */
export function sortLogin(nodes: readonly Node[]): Node[] {
  return sorted(nodes, order)
}

/** Values of a new login flow, also used to replace an expired one. */
export async function draftLogin(
  { service }: Exchange,
  memory: FlowMemory,
  session: LiveSession | null,
): Promise<Pick<FlowDraft, 'kind' | 'nodes' | 'messages' | 'memory'>> {
  const isStepUp = memory.requestedAal === 'aal2' && session?.aal !== 'aal2'
  const form = await buildLoginForm(service, memory, session?.identity ?? null)
  return {
    kind: 'login',
    nodes: sortLogin([
      csrfPlaceholder,
      ...form.nodes,
      ...(memory.requestedAal === 'aal2' ? [] : captchaNodes(service.captcha)),
    ]),
    messages: [...(memory.refresh ? [notice.confirmIdentity] : []), ...(isStepUp ? [notice.secondFactor] : [])],
    memory: form.memory,
  }
}

/** Builds the form for a first factor, or for the identity's second factors. */
function buildLoginForm(service: Service, memory: FlowMemory, identity: Identity | null): Promise<Form> {
  const { refresh, requestedAal } = memory
  if (requestedAal !== 'aal2' || !identity) {
    return buildForm(service, refresh ? identity : null, memory, ({ login }, context) => login?.nodes(context))
  }
  return buildIdentityForm(service, identity, memory, (method, context) =>
    isSecondFactorOf(method, identity) ? method.secondFactor?.nodes(context) : undefined,
  )
}

/** Gives the flow's WebAuthn nodes a new challenge. */
export async function withNewChallenge({ service }: Exchange, flow: Flow, session: LiveSession | null): Promise<Flow> {
  const { nodes, memory } = await buildLoginForm(service, flow.memory, session?.identity ?? null)
  return { ...flow, memory, ui: { ...flow.ui, nodes: withNewChallenges(flow.ui.nodes, nodes) } }
}

/** True if the identity has to or can use this method as a second factor. */
export function isSecondFactorOf({ name, secondFactor }: Method, { credential_types: types }: Identity): boolean {
  return secondFactor !== undefined && (secondFactor.isForAllIdentities === true || types.includes(name))
}

/** After a code was sent, the identifier can no longer be changed. */
export function withHiddenIdentifier(node: Node): Node {
  if (node.type !== 'input' || node.attributes.name !== 'identifier') return node
  return input('default', 'identifier', 'hidden', { value: node.attributes.value })
}
