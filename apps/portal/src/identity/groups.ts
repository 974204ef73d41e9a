/** How the groups of a flow's form stand to each other, and which button and field come first. */
import type { InputNode, UiNode } from '@glacis/contract/identity'
import { isButton, sendsAgain } from '#identity/body.ts'
import { fieldState, inputsOf, isQuiet, nameFirst } from '#identity/nodes.ts'

export type Group = UiNode['group']
/** Groups whose fields belong to every way of signing in. */
const shared: ReadonlySet<Group> = new Set(['default', 'profile', 'captcha'])

interface Primary {
  readonly button: InputNode | undefined
  /** The first field that a person fills in. */
  readonly focus: InputNode | undefined
}

/** The one button that stands out: the first way on that is not a provider, a key or a step back. */
export function primaryOf(groups: ReadonlyMap<Group, readonly UiNode[]>): Primary {
  const inputs = [...groups.values()].flatMap((nodes) => inputsOf(nameFirst(nodes)))
  const buttons = inputs.filter((node) => node.attributes.type === 'submit')
  const onward = buttons.filter(
    (node) => !isQuiet(node.group) && node.attributes.name !== 'screen' && !sendsAgain(node.attributes),
  )
  const fields = inputs.filter((node) => !isButton(node) && node.attributes.type !== 'hidden')
  const wrong = fields.find((node) => fieldState(node.messages) === 'error')
  return { button: onward[0] ?? buttons.find((node) => node.group !== 'oidc'), focus: wrong ?? fields[0] }
}

/** Whether a person sees anything of them. */
export function isVisible(nodes: readonly UiNode[]): boolean {
  return nodes.some((node) => node.type !== 'script' && !(node.type === 'input' && node.attributes.type === 'hidden'))
}

/** Whether anything of the groups before this one is seen. */
export function hasVisibleBefore(index: number, groups: ReadonlyMap<Group, readonly UiNode[]>): boolean {
  return [...groups.values()].slice(0, index).some(isVisible)
}

/** Providers stand apart from the form, and so do two ways on that each have fields of their own. */
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
