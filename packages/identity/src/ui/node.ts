/** UI nodes: the elements of a flow's form. */
import type { Message, FieldMessage } from '#ui/message.ts'

export interface InputAttributes {
  readonly name: string
  readonly type: 'text' | 'password' | 'email' | 'hidden' | 'submit' | 'button'
  readonly value?: string | number | boolean
  readonly required?: true
  readonly autocomplete?: string
  readonly pattern?: string
  readonly disabled: boolean
  /** JavaScript for older clients. `onclickTrigger` names the same global function for clients with a strict CSP. */
  readonly onclick?: string
  readonly onclickTrigger?: string
  readonly onload?: string
  readonly onloadTrigger?: string
  readonly maxlength?: number
  readonly node_type: 'input'
}
interface AnchorAttributes {
  readonly href: string
  readonly title: Message
  readonly id: string
  readonly node_type: 'a'
}
interface TextAttributes {
  readonly text: Message
  readonly id: string
  readonly node_type: 'text'
}
interface ImageAttributes {
  readonly src: string
  readonly id: string
  readonly width: number
  readonly height: number
  readonly node_type: 'img'
}
interface ScriptAttributes {
  readonly src: string
  readonly async: true
  readonly referrerpolicy: 'no-referrer'
  readonly crossorigin: 'anonymous'
  readonly integrity: string
  readonly type: 'text/javascript'
  readonly id: string
  readonly nonce: string
  readonly node_type: 'script'
}
interface DivAttributes {
  readonly class: string
  readonly id: string
  readonly data: Readonly<Record<string, string>>
  readonly node_type: 'div'
}
interface NodeBase {
  readonly group: string
  readonly messages: readonly Message[]
  readonly meta: { readonly label?: Message }
}
export type InputNode = { readonly type: 'input'; readonly attributes: InputAttributes } & NodeBase
export type AnchorNode = { readonly type: 'a'; readonly attributes: AnchorAttributes } & NodeBase
type TextNode = { readonly type: 'text'; readonly attributes: TextAttributes } & NodeBase
type ImageNode = { readonly type: 'img'; readonly attributes: ImageAttributes } & NodeBase
type ScriptNode = { readonly type: 'script'; readonly attributes: ScriptAttributes } & NodeBase
type DivNode = { readonly type: 'div'; readonly attributes: DivAttributes } & NodeBase
export type Node = InputNode | AnchorNode | TextNode | ImageNode | ScriptNode | DivNode

export interface Ui {
  readonly action: string
  readonly method: 'POST' | 'GET'
  readonly nodes: readonly Node[]
  readonly messages: readonly Message[]
}

interface InputOptions {
  readonly value?: string | number | boolean | undefined
  readonly required?: boolean
  readonly autocomplete?: string
  readonly pattern?: string
  readonly maxlength?: number
  readonly disabled?: boolean
  /** Global function to call on click, with its argument as JSON. */
  readonly onClick?: { readonly trigger: string; readonly argument?: string }
  /** Global function to call when the node is rendered. */
  readonly onLoad?: string
  readonly label?: Message
}

/** Creates an input node. Empty attributes are omitted, and the order of attributes follows the protocol. */
export function input(
  group: string,
  name: string,
  type: InputAttributes['type'],
  options: InputOptions = {},
): InputNode {
  return {
    type: 'input',
    group,
    attributes: {
      name,
      type,
      ...(options.value !== undefined && { value: options.value }),
      ...(options.required && { required: true as const }),
      ...(options.autocomplete && { autocomplete: options.autocomplete }),
      ...(options.pattern && { pattern: options.pattern }),
      disabled: options.disabled ?? false,
      ...(options.onClick && {
        onclick: `window.${options.onClick.trigger}(${options.onClick.argument ?? ''})`,
        onclickTrigger: options.onClick.trigger,
      }),
      ...(options.onLoad && { onload: `window.${options.onLoad}()`, onloadTrigger: options.onLoad }),
      ...(options.maxlength && { maxlength: options.maxlength }),
      node_type: 'input',
    },
    messages: [],
    meta: options.label ? { label: options.label } : {},
  }
}

/** Submit button of a method. */
export function submit(group: string, method: string, label: Message): InputNode {
  return input(group, 'method', 'submit', { value: method, label })
}

/** Hidden CSRF token field. */
export function csrfNode(token: string): InputNode {
  return input('default', 'csrf_token', 'hidden', { value: token, required: true })
}

export function anchor(group: string, id: string, href: string, title: Message): AnchorNode {
  return {
    type: 'a',
    group,
    attributes: { href, title, id, node_type: 'a' },
    messages: [],
    meta: { label: title },
  }
}

export function text(group: string, id: string, shown: Message, label: Message): Node {
  return { type: 'text', group, attributes: { text: shown, id, node_type: 'text' }, messages: [], meta: { label } }
}

/** Creates a square image node; `size` is in pixels. */
export function image(group: string, id: string, src: string, size: number, label: Message): Node {
  const attributes = { src, id, width: size, height: size, node_type: 'img' } as const
  return { type: 'img', group, attributes, messages: [], meta: { label } }
}

/** The name of an input node; null for other nodes. */
export function nameOf(node: Node): string | null {
  return node.type === 'input' ? node.attributes.name : null
}

/** Removes the messages of an earlier submission. */
export function withoutMessages(nodes: readonly Node[]): Node[] {
  return nodes.map((node) => ({ ...node, messages: [] }))
}

/**
 * Adds messages to the first node of their field, or to the whole form. If a field has no node, one is added so that its
 * message isn't lost.
 */
export function withMessages(ui: Ui, placed: readonly FieldMessage[]): Ui {
  const nodes = [...ui.nodes]
  const messages = [...ui.messages]
  for (const { field, message } of placed) {
    if (field === null) {
      messages.push(message)
      continue
    }
    const index = nodes.findIndex((node) => nameOf(node) === field)
    const node = nodes[index] ?? input('default', field, 'text')
    const updated = { ...node, messages: [...node.messages, message] }
    if (index < 0) nodes.push(updated)
    else nodes[index] = updated
  }
  return { ...ui, nodes, messages }
}

/** Maximum length of redisplayed values, in characters. */
const redisplayLengthMax = 1024

/** Redisplays submitted values. Buttons keep their values, and passwords stay empty. */
export function withValues(nodes: readonly Node[], values: ReadonlyMap<string, string | undefined>): Node[] {
  return nodes.map((node) => {
    if (node.type !== 'input' || !values.has(node.attributes.name)) return node
    const { name, type } = node.attributes
    if (type === 'password' || type === 'submit' || type === 'button') return node
    const { attributes } = input(node.group, name, type, {
      ...optionsOf(node),
      value: values.get(name)?.slice(0, redisplayLengthMax),
    })
    return { ...node, attributes }
  })
}

function optionsOf({ attributes }: InputNode): InputOptions {
  const { autocomplete, pattern, maxlength, required } = attributes
  return {
    ...(required && { required }),
    ...(autocomplete && { autocomplete }),
    ...(pattern && { pattern }),
    ...(maxlength && { maxlength }),
  }
}

/** Order of groups, and of names within a group. */
export interface Order {
  readonly groups: readonly string[]
  readonly names: readonly string[]
}

/**
 * Stable sort by group, then by name prefix. Unknown groups come first. Within a group, unlisted names follow the listed
 * ones, and the method button is last.
 */
export function sorted(nodes: readonly Node[], order: Order): Node[] {
  const rank = (node: Node) => {
    const name = nameOf(node) ?? ('id' in node.attributes ? node.attributes.id : '')
    const position = order.names.findIndex((prefix) => name.startsWith(prefix))
    const within = name === 'method' ? order.names.length + 1 : position < 0 ? order.names.length : position
    return [order.groups.indexOf(node.group), within] as const
  }
  return nodes
    .map((node) => ({ node, rank: rank(node) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])
    .map(({ node }) => node)
}
