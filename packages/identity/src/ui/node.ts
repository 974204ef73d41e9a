/** Form nodes: what a flow asks its user interface to draw, in the order of the wire. */
import type { Message, PlacedMessage } from '#ui/message.ts'

export interface InputAttributes {
  readonly name: string
  readonly type: 'text' | 'password' | 'email' | 'hidden' | 'submit' | 'button'
  readonly value?: string | number | boolean
  readonly required?: true
  readonly autocomplete?: string
  readonly pattern?: string
  readonly disabled: boolean
  /** JavaScript for old clients; `…Trigger` names the same global function for those with a strict policy. */
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
interface BoxAttributes {
  readonly class: string
  readonly id: string
  readonly data: Readonly<Record<string, string>>
  readonly node_type: 'div'
}
interface Shared {
  readonly group: string
  readonly messages: readonly Message[]
  readonly meta: { readonly label?: Message }
}
export type InputNode = { readonly type: 'input'; readonly attributes: InputAttributes } & Shared
export type AnchorNode = { readonly type: 'a'; readonly attributes: AnchorAttributes } & Shared
type TextNode = { readonly type: 'text'; readonly attributes: TextAttributes } & Shared
type ImageNode = { readonly type: 'img'; readonly attributes: ImageAttributes } & Shared
type ScriptNode = { readonly type: 'script'; readonly attributes: ScriptAttributes } & Shared
type BoxNode = { readonly type: 'div'; readonly attributes: BoxAttributes } & Shared
export type Node = InputNode | AnchorNode | TextNode | ImageNode | ScriptNode | BoxNode

export interface Ui {
  readonly action: string
  readonly method: 'POST' | 'GET'
  readonly nodes: readonly Node[]
  readonly messages: readonly Message[]
}

interface Input {
  readonly value?: string | number | boolean | undefined
  readonly required?: boolean
  readonly autocomplete?: string
  readonly pattern?: string
  readonly maxlength?: number
  readonly disabled?: boolean
  /** The script's function that a click calls, with its argument as JSON. */
  readonly onClick?: { readonly trigger: string; readonly argument?: string }
  /** The script's function that is called when the node appears. */
  readonly onLoad?: string
  readonly label?: Message
}

/** An input; attributes that say nothing are left out, and their order is that of the protocol. */
export function input(group: string, name: string, type: InputAttributes['type'], more: Input = {}): InputNode {
  return {
    type: 'input',
    group,
    attributes: {
      name,
      type,
      ...(more.value !== undefined && { value: more.value }),
      ...(more.required && { required: true as const }),
      ...(more.autocomplete && { autocomplete: more.autocomplete }),
      ...(more.pattern && { pattern: more.pattern }),
      disabled: more.disabled ?? false,
      ...(more.onClick && {
        onclick: `window.${more.onClick.trigger}(${more.onClick.argument ?? ''})`,
        onclickTrigger: more.onClick.trigger,
      }),
      ...(more.onLoad && { onload: `window.${more.onLoad}()`, onloadTrigger: more.onLoad }),
      ...(more.maxlength && { maxlength: more.maxlength }),
      node_type: 'input',
    },
    messages: [],
    meta: more.label ? { label: more.label } : {},
  }
}

/** The button that sends a form by one method. */
export function submit(group: string, method: string, label: Message): InputNode {
  return input(group, 'method', 'submit', { value: method, label })
}

/** The hidden token that every form carries. */
export function csrfNode(token: string): InputNode {
  return input('default', 'csrf_token', 'hidden', { value: token, required: true })
}

/** A link that stands in a form's place. */
export function anchor(group: string, id: string, href: string, title: Message): AnchorNode {
  return {
    type: 'a',
    group,
    attributes: { href, title, id, node_type: 'a' },
    messages: [],
    meta: { label: title },
  }
}

/** A text that a form shows. */
export function text(group: string, id: string, shown: Message, label: Message): Node {
  return { type: 'text', group, attributes: { text: shown, id, node_type: 'text' }, messages: [], meta: { label } }
}

/** A picture that a form shows; width and height in pixels. */
export function image(group: string, id: string, src: string, size: number, label: Message): Node {
  const attributes = { src, id, width: size, height: size, node_type: 'img' } as const
  return { type: 'img', group, attributes, messages: [], meta: { label } }
}

/** The name of an input; other nodes have none. */
export function nameOf(node: Node): string | null {
  return node.type === 'input' ? node.attributes.name : null
}

/** The nodes without the messages that an earlier attempt left on them. */
export function withoutMessages(nodes: readonly Node[]): Node[] {
  return nodes.map((node) => ({ ...node, messages: [] }))
}

/**
 * Lays messages on a form: each on the first node of its field, the form's own above the form. A
 * field without a node gets a plain text node, so that nothing said is lost.
 */
export function withMessages(ui: Ui, placed: readonly PlacedMessage[]): Ui {
  const nodes = [...ui.nodes]
  const messages = [...ui.messages]
  for (const { field, message } of placed) {
    if (field === null) {
      messages.push(message)
      continue
    }
    const index = nodes.findIndex((node) => nameOf(node) === field)
    const node = nodes[index] ?? input('default', field, 'text')
    const told = { ...node, messages: [...node.messages, message] }
    if (index < 0) nodes.push(told)
    else nodes[index] = told
  }
  return { ...ui, nodes, messages }
}

/** Longest text that is shown again, in characters: a form is no store. */
const typedLengthMax = 1024

/** Shows again what was typed; buttons and hidden methods keep their values, secrets stay empty. */
export function withValues(nodes: readonly Node[], typed: ReadonlyMap<string, string | undefined>): Node[] {
  return nodes.map((node) => {
    if (node.type !== 'input' || !typed.has(node.attributes.name)) return node
    const { name, type } = node.attributes
    if (type === 'password' || type === 'submit' || type === 'button') return node
    const { attributes } = input(node.group, name, type, {
      ...moreOf(node),
      value: typed.get(name)?.slice(0, typedLengthMax),
    })
    return { ...node, attributes }
  })
}

function moreOf({ attributes }: InputNode): Input {
  const { autocomplete, pattern, maxlength, required } = attributes
  return {
    ...(required && { required }),
    ...(autocomplete && { autocomplete }),
    ...(pattern && { pattern }),
    ...(maxlength && { maxlength }),
  }
}

/** Which groups come first, and inside a group which names. */
export interface Order {
  readonly groups: readonly string[]
  readonly names: readonly string[]
}

/**
 * Sorts by group, then by name inside the group, then as they stood. Unknown groups come first;
 * names match by prefix; unnamed ones follow the named, and a group's method button is its last.
 */
export function sorted(nodes: readonly Node[], order: Order): Node[] {
  const rank = (node: Node) => {
    const name = nameOf(node) ?? ('id' in node.attributes ? node.attributes.id : '')
    const found = order.names.findIndex((prefix) => name.startsWith(prefix))
    const within = name === 'method' ? order.names.length + 1 : found < 0 ? order.names.length : found
    return [order.groups.indexOf(node.group), within] as const
  }
  return nodes
    .map((node) => ({ node, rank: rank(node) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])
    .map(({ node }) => node)
}
