/** Reading the nodes of a flow. */
import type { Flow, InputNode, Message, UiNode } from '@glacis/contract/identity'
import type { FieldState } from '#ui/field.tsx'

type Group = UiNode['group']

/** Inputs named so are codes of six characters. */
export const codeNames: ReadonlySet<string> = new Set(['code', 'totp_code'])

/** Groups that stand apart from the one form of a screen, in the order in which they are shown. */
const order: readonly Group[] = [
  'oidc',
  'default',
  'profile',
  'identifier_first',
  'password',
  'code',
  'totp',
  'lookup_secret',
  'webauthn',
  'passkey',
  'captcha',
  'link',
]

/** The nodes by group, providers first. What this version does not know is left out, never a failure. */
export function byGroup(nodes: readonly UiNode[]): ReadonlyMap<Group, readonly UiNode[]> {
  const groups = new Map<Group, UiNode[]>()
  for (const group of order) {
    const members = nodes.filter((node) => node.group === group && node.type !== 'div')
    if (members.length > 0) groups.set(group, members)
  }
  return groups
}

/** Groups that are a button alone. */
export function isQuiet(group: Group): boolean {
  return group === 'oidc' || group === 'webauthn' || group === 'passkey'
}

export function inputsOf(nodes: readonly UiNode[], group?: Group): readonly InputNode[] {
  return nodes.filter((node): node is InputNode => node.type === 'input' && (!group || node.group === group))
}

export function inputNamed(nodes: readonly UiNode[], name: string): InputNode | undefined {
  return inputsOf(nodes).find((node) => node.attributes.name === name)
}

/** An input is in error as soon as one of its messages is; a success shows only without errors. */
export function fieldState(messages: readonly Message[]): FieldState {
  if (messages.some(({ type }) => type === 'error')) return 'error'
  return messages.some(({ type }) => type === 'success') ? 'success' : 'default'
}

/** What the service says of a flow when only its code was wrong; it names no field. */
const wrongCode: ReadonlySet<number> = new Set([4000008, 4010008, 4040003, 4060006, 4070006])

/** The same flow, with what is said of a wrong code at the field of the code. */
export function withCodeMessages(flow: Flow): Flow {
  const said = flow.ui.messages.filter(({ id }) => wrongCode.has(id))
  const code = inputsOf(flow.ui.nodes).find(
    ({ attributes: { name, type } }) => codeNames.has(name) && type !== 'hidden',
  )
  if (said.length === 0 || !code) return flow
  const nodes = flow.ui.nodes.map((node) => (node === code ? { ...code, messages: [...code.messages, ...said] } : node))
  return { ...flow, ui: { ...flow.ui, nodes, messages: flow.ui.messages.filter((message) => !said.includes(message)) } }
}

/** What the service says when a code is on its way; the screen says it with the address. */
const codeSent: ReadonlySet<number> = new Set([1010014, 1010025, 1040005, 1060003, 1080003])

/** The address to which the code of a flow was sent; undefined while none is on its way. */
export function mailedTo({ state, ui: { nodes } }: Flow): string | undefined {
  if (state !== 'sent_email') return undefined
  const names = ['email', 'identifier', 'traits.email']
  const found = inputsOf(nodes).find(({ attributes: { name, value } }) => names.includes(name) && value)
  return found && String(found.attributes.value)
}

/** The same flow, without what the screen has said in its own words. */
export function withoutCodeSent(flow: Flow): Flow {
  if (!mailedTo(flow)) return flow
  return { ...flow, ui: { ...flow.ui, messages: flow.ui.messages.filter(({ id }) => !codeSent.has(id)) } }
}

/** The name of a passkey; services call those that they know nothing of `unnamed`. */
export function passkeyName({ group, meta }: InputNode): string {
  const name = meta.label?.context?.['display_name']
  if (typeof name !== 'string') throw new Error('a passkey came without a display name')
  if (name !== 'unnamed') return name
  return group === 'webauthn' ? 'Unnamed security key' : 'Unnamed passkey'
}

/** Fields that are half as wide as the others: the two parts of a name. */
export function isNamePart(node: UiNode): boolean {
  return node.type === 'input' && node.attributes.type !== 'hidden' && /\.(first|last)$/.test(node.attributes.name)
}

/** The same nodes, with the parts of a name before everything else. */
export function nameFirst(nodes: readonly UiNode[]): readonly UiNode[] {
  return [...nodes.filter(isNamePart), ...nodes.filter((node) => !isNamePart(node))]
}
