/** Registration forms: everything in one form, or separate steps for the profile and the credential. */
import { captchaNodes } from '#captcha.ts'
import { type Form, buildForm } from '#flow/form.ts'
import { csrfPlaceholder } from '#flow/flow.ts'
import type { Method, Service } from '#service.ts'
import { traitNames, traitNodes } from '#schema.ts'
import type { FlowMemory } from '#store.ts'
import { label } from '#ui/message.ts'
import { type Node, type Order, input, sorted, submit } from '#ui/node.ts'

const order: Order = {
  groups: ['oidc', 'saml', 'default', 'webauthn', 'passkey', 'code', 'password', 'captcha', 'profile'],
  names: ['csrf_token', ...traitNames, 'webauthn_remove', 'webauthn_register_displayname', 'webauthn_register'],
}

/** Sorts registration nodes in wire order. */
export function sortRegistration(nodes: readonly Node[]): Node[] {
  return sorted(nodes, order)
}

/** `whole` is one-step registration; `profile` and `credential` are the two steps. */
export type Step = 'whole' | 'profile' | 'credential'

/** The first step of the configured style. */
export function firstStep({ registrationStyle }: Service): Step {
  return registrationStyle === 'two-step' ? 'profile' : 'whole'
}

/** Builds the form of a step. External providers can supply the traits, so their buttons are part of every step. */
export async function buildRegistrationForm(service: Service, memory: FlowMemory, step: Step): Promise<Form> {
  const isIncluded = ({ registration }: Method) => step !== 'profile' || registration?.hasOptionalTraits === true
  const form = await buildForm(service, null, memory, (method, context) =>
    isIncluded(method) ? method.registration?.nodes(context) : undefined,
  )
  return {
    ...form,
    nodes: sortRegistration([csrfPlaceholder, ...stepNodes(step), ...form.nodes, ...captchaNodes(service.captcha)]),
  }
}

/** Button that returns from the code form to the choice of credentials. */
export function backToCredentials(): Node {
  return input('profile', 'screen', 'submit', { value: 'credential-selection', label: label.back })
}

/** Trait fields for steps after the profile. */
export function hiddenTraits(): Node[] {
  return traitNodes('default').map(hidden)
}

function stepNodes(step: Step): Node[] {
  const traits = traitNodes('default')
  if (step === 'whole') return traits
  if (step === 'profile') return [...traits, submit('profile', 'profile', label.signUp)]
  const back = input('profile', 'screen', 'submit', { value: 'previous', label: label.back })
  return [...hiddenTraits(), back]
}

function hidden(node: Node): Node {
  return node.type === 'input' ? { ...node, attributes: { ...node.attributes, type: 'hidden' } } : node
}
