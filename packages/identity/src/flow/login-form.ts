/** The forms of a sign-in: by a first factor, by one of the second factors that the holder has, and once a code is on its way. */
import { captchaNodes } from '#captcha.ts'
import { type Drawing, draw, drawFor, withFreshKeys } from '#flow/draw.ts'
import { type Draft, csrfPlace } from '#flow/flow.ts'
import type { Flow, FlowMemory } from '#store.ts'
import type { Exchange, Method, Service, LiveSession } from '#service.ts'
import type { Identity } from '#identities.ts'
import { notice } from '#ui/message.ts'
import { type Node, type Order, input, sorted } from '#ui/node.ts'

const order: Order = {
  groups: ['oidc', 'default', 'webauthn', 'passkey', 'code', 'captcha', 'password', 'totp', 'lookup_secret'],
  names: ['csrf_token', 'identifier', 'password'],
}

/** Puts the nodes of a sign-in into the order of the wire. */
export function sortLogin(nodes: readonly Node[]): Node[] {
  return sorted(nodes, order)
}

/** What a sign-in starts with, and again once it has expired. */
export async function draftLogin(
  { service }: Exchange,
  memory: FlowMemory,
  session: LiveSession | null,
): Promise<Pick<Draft, 'kind' | 'nodes' | 'messages' | 'memory'>> {
  const isStepUp = memory.requestedAal === 'aal2' && session?.aal !== 'aal2'
  const drawing = await drawLogin(service, memory, session?.identity ?? null)
  return {
    kind: 'login',
    nodes: sortLogin([
      csrfPlace,
      ...drawing.nodes,
      ...(memory.requestedAal === 'aal2' ? [] : captchaNodes(service.captcha)),
    ]),
    messages: [...(memory.refresh ? [notice.confirmIdentity] : []), ...(isStepUp ? [notice.secondFactor] : [])],
    memory: drawing.memory,
  }
}

/** The fields of a first factor, or those of the second factors that the holder has. */
function drawLogin(service: Service, memory: FlowMemory, holder: Identity | null): Promise<Drawing> {
  const { refresh, requestedAal } = memory
  if (requestedAal !== 'aal2' || !holder) {
    return draw(service, refresh ? holder : null, memory, ({ login }, scene) => login?.nodes(scene))
  }
  return drawFor(service, holder, memory, (method, scene) =>
    isSecondFactorOf(method, holder) ? method.secondFactor?.nodes(scene) : undefined,
  )
}

/** The flow as it stands, with something else for authenticators to sign. */
export async function withNewChallenge({ service }: Exchange, flow: Flow, session: LiveSession | null): Promise<Flow> {
  const { nodes, memory } = await drawLogin(service, flow.memory, session?.identity ?? null)
  return { ...flow, memory, ui: { ...flow.ui, nodes: withFreshKeys(flow.ui.nodes, nodes) } }
}

/** Whether somebody has this method for a second factor. */
export function isSecondFactorOf({ name, secondFactor }: Method, { credential_types: types }: Identity): boolean {
  return secondFactor !== undefined && (secondFactor.isEverybodys === true || types.includes(name))
}

/** Who is to be signed in is settled once a code is on its way. */
export function settled(node: Node): Node {
  if (node.type !== 'input' || node.attributes.name !== 'identifier') return node
  return input('default', 'identifier', 'hidden', { value: node.attributes.value })
}
