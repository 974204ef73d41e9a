/** Layout of a flow's groups: dividers, primary button, and initial focus. */
import type { InputNode, UiNode } from '@glacis/contract/identity'
import { isButton, isResend } from '#identity/body.ts'
import { fieldState, inputsOf, isButtonGroup, namesFirst } from '#identity/nodes.ts'

export type Group = UiNode['group']
/** Groups whose fields are common to all sign-in methods. */
const shared: ReadonlySet<Group> = new Set(['default', 'profile', 'captcha'])

interface Primary {
  readonly button: InputNode | undefined
  /** The field that receives focus. */
  readonly focus: InputNode | undefined
}

/** The primary button (the first that isn't a provider, a key, or a step back) and the field to focus. */
export function primaryOf(groups: ReadonlyMap<Group, readonly UiNode[]>): Primary {
  const inputs = [...groups.values()].flatMap((nodes) => inputsOf(namesFirst(nodes)))
  const buttons = inputs.filter((node) => node.attributes.type === 'submit')
  const submitButtons = buttons.filter(
    (node) => !isButtonGroup(node.group) && node.attributes.name !== 'screen' && !isResend(node.attributes),
  )
  const fields = inputs.filter((node) => !isButton(node) && node.attributes.type !== 'hidden')
  const wrong = fields.find((node) => fieldState(node.messages) === 'error')
  return { button: submitButtons[0] ?? buttons.find((node) => node.group !== 'oidc'), focus: wrong ?? fields[0] }
}

/** True if any of the nodes is visible. */
export function isVisible(nodes: readonly UiNode[]): boolean {
  return nodes.some((node) => node.type !== 'script' && !(node.type === 'input' && node.attributes.type === 'hidden'))
}

/** True if an earlier group is visible. */
export function hasVisibleBefore(index: number, groups: ReadonlyMap<Group, readonly UiNode[]>): boolean {
  return [...groups.values()].slice(0, index).some(isVisible)
}

/** True after the providers, and between two sign-in methods that each have fields. */
export function needsDivider(group: Group, index: number, groups: ReadonlyMap<Group, readonly UiNode[]>): boolean {
  const before = [...groups].slice(0, index)
  if (!isVisible(groups.get(group) ?? [])) return false
  const visibleBefore = before.filter(([, nodes]) => isVisible(nodes))
  if (visibleBefore.length > 0 && visibleBefore.every(([name]) => name === 'oidc')) return true
  return (
    !shared.has(group) &&
    hasFields(groups.get(group) ?? []) &&
    before.some(([name, nodes]) => !shared.has(name) && hasFields(nodes))
  )
}

function hasFields(nodes: readonly UiNode[]): boolean {
  return inputsOf(nodes).some((node) => !isButton(node) && node.attributes.type !== 'hidden')
}
