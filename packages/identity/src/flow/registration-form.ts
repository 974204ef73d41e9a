/** The forms of a registration: all at once, or who one is first and how one will sign in after it. */
import { captchaNodes } from '#captcha.ts'
import { type Drawing, draw } from '#flow/draw.ts'
import { csrfPlace } from '#flow/flow.ts'
import type { Method, Service } from '#service.ts'
import { traitNames, traitNodes } from '#schema.ts'
import type { FlowMemory } from '#store.ts'
import { label } from '#ui/message.ts'
import { type Node, type Order, input, sorted, submit } from '#ui/node.ts'

const order: Order = {
  groups: ['oidc', 'saml', 'default', 'webauthn', 'passkey', 'code', 'password', 'captcha', 'profile'],
  names: ['csrf_token', ...traitNames, 'webauthn_remove', 'webauthn_register_displayname', 'webauthn_register'],
}

/** Puts the nodes of a registration into the order of the wire. */
export function sortRegistration(nodes: readonly Node[]): Node[] {
  return sorted(nodes, order)
}

/** `whole` asks for everything; the other two are the steps of a registration in two. */
export type Step = 'whole' | 'profile' | 'credential'

/** The step with which a registration begins. */
export function firstStep({ registrationStyle }: Service): Step {
  return registrationStyle === 'two-step' ? 'profile' : 'whole'
}

/** Draws one step. Other services bring the traits along, so their buttons are on every one. */
export async function drawRegistration(service: Service, memory: FlowMemory, step: Step): Promise<Drawing> {
  const isAsked = ({ registration }: Method) => step !== 'profile' || registration?.needsNoTraits === true
  const drawing = await draw(service, null, memory, (method, scene) =>
    isAsked(method) ? method.registration?.nodes(scene) : undefined,
  )
  return {
    ...drawing,
    nodes: sortRegistration([csrfPlace, ...ownNodes(step), ...drawing.nodes, ...captchaNodes(service.captcha)]),
  }
}

/** The way back from a code that was mailed. */
export function backToCredentials(): Node {
  return input('profile', 'screen', 'submit', { value: 'credential-selection', label: label.back })
}

/** The traits where they are known already. */
export function hiddenTraits(): Node[] {
  return traitNodes('default').map(hidden)
}

function ownNodes(step: Step): Node[] {
  const traits = traitNodes('default')
  if (step === 'whole') return traits
  if (step === 'profile') return [...traits, submit('profile', 'profile', label.signUp)]
  const back = input('profile', 'screen', 'submit', { value: 'previous', label: label.back })
  return [...hiddenTraits(), back]
}

function hidden(node: Node): Node {
  return node.type === 'input' ? { ...node, attributes: { ...node.attributes, type: 'hidden' } } : node
}
