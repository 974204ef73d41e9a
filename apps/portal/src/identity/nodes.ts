/** Accessors for the nodes of a flow. */
import type { Flow, InputNode, Message, UiNode } from '@glacis/contract/identity'
import type { FieldState } from '#ui/field.tsx'

type Group = UiNode['group']

/** Names of inputs for six-digit codes. */
export const codeNames: ReadonlySet<string> = new Set(['code', 'totp_code'])

/** Groups in display order. */
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

/** Nodes by group in display order, providers first. Unknown groups are omitted. */
export function byGroup(nodes: readonly UiNode[]): ReadonlyMap<Group, readonly UiNode[]> {
  const groups = new Map<Group, UiNode[]>()
  for (const group of order) {
    const members = nodes.filter((node) => node.group === group && node.type !== 'div')
    if (members.length > 0) groups.set(group, members)
  }
  return groups
}

/** True for groups that consist of a single button. */
export function isButtonGroup(group: Group): boolean {
  return group === 'oidc' || group === 'webauthn' || group === 'passkey'
}

export function inputsOf(nodes: readonly UiNode[], group?: Group): readonly InputNode[] {
  return nodes.filter((node): node is InputNode => node.type === 'input' && (!group || node.group === group))
}

export function inputNamed(nodes: readonly UiNode[], name: string): InputNode | undefined {
  return inputsOf(nodes).find((node) => node.attributes.name === name)
}

/** Labels of Kratos that don't name their field, or not as the rest of the portal does. */
const fieldNames: Readonly<Record<string, string>> = { 'E-Mail': 'Email', 'Verify code': 'Verification code' }

/** The label of a field. */
export function labelOf({ attributes, meta }: InputNode): string {
  const label = attributes.label?.text || meta.label?.text || attributes.name
  return fieldNames[label] ?? label
}

/** Error if any message is an error, else success if any message is a success. */
export function fieldState(messages: readonly Message[]): FieldState {
  if (messages.some(({ type }) => type === 'error')) return 'error'
  return messages.some(({ type }) => type === 'success') ? 'success' : 'default'
}

/** Message IDs for a wrong code. The service attaches them to the flow instead of the field. */
const wrongCode: ReadonlySet<number> = new Set([4000008, 4010008, 4040003, 4060006, 4070006])

/** Moves messages about a wrong code from the flow to the code field. */
export function withCodeMessages(flow: Flow): Flow {
  const codeMessages = flow.ui.messages.filter(({ id }) => wrongCode.has(id))
  const code = inputsOf(flow.ui.nodes).find(
    ({ attributes: { name, type } }) => codeNames.has(name) && type !== 'hidden',
  )
  if (codeMessages.length === 0 || !code) return flow
  const nodes = flow.ui.nodes.map((node) =>
    node === code ? { ...code, messages: [...code.messages, ...codeMessages] } : node,
  )
  return {
    ...flow,
    ui: { ...flow.ui, nodes, messages: flow.ui.messages.filter((message) => !codeMessages.includes(message)) },
  }
}

/** Message IDs for a sent code. The screen shows this itself. */
const codeSent: ReadonlySet<number> = new Set([1010014, 1010025, 1040005, 1060003, 1080003])

export function isCodeSent({ state }: Flow): boolean {
  return state === 'sent_email'
}

/** The address to which a code was sent, if the service returns it. */
export function codeSentTo({ ui: { nodes } }: Flow): string | undefined {
  const names = ['email', 'identifier', 'traits.email']
  const input = inputsOf(nodes).find(({ attributes: { name, value } }) => names.includes(name) && value)
  return input && String(input.attributes.value)
}

/** Removes messages that the screen shows itself. */
export function withoutCodeSent(flow: Flow): Flow {
  if (!isCodeSent(flow)) return flow
  return { ...flow, ui: { ...flow.ui, messages: flow.ui.messages.filter(({ id }) => !codeSent.has(id)) } }
}

/** Display name of a passkey. The service uses `unnamed` if it has no name. */
export function passkeyName({ group, meta }: InputNode): string {
  const name = meta.label?.context?.['display_name']
  if (typeof name !== 'string') throw new Error('passkey without a display name')
  if (name !== 'unnamed') return name
  return group === 'webauthn' ? 'Unnamed security key' : 'Unnamed passkey'
}

/** True for first and last name, which share a row. */
export function isNamePart(node: UiNode): boolean {
  return node.type === 'input' && node.attributes.type !== 'hidden' && /\.(first|last)$/.test(node.attributes.name)
}

/** Moves first and last name to the front. */
export function namesFirst(nodes: readonly UiNode[]): readonly UiNode[] {
  return [...nodes.filter(isNamePart), ...nodes.filter((node) => !isNamePart(node))]
}
