/** From the fields of a form to the JSON that the service takes. */
import type { InputNode, UiNode } from '@glacis/contract/identity'
import { codeNames } from '#identity/nodes.ts'

/** What was pressed: its group decides what is sent, its name and value go along. */
export interface Submitter {
  readonly group: UiNode['group']
  readonly name: string
  readonly value: string
}

type Json = string | number | boolean | { [name: string]: Json }

/** Types of inputs that press rather than carry. */
export function isButton({ attributes }: InputNode): boolean {
  return attributes.type === 'submit' || attributes.type === 'button'
}

/** True for buttons that send a code once more. */
export function sendsAgain({ name }: Pick<Submitter, 'name'>): boolean {
  return name === 'resend' || name === 'email'
}

/**
 * The body of a submission: the fields of the default group, of the group of what was pressed, and
 * what was pressed itself. Dotted names nest (`traits.name.first`); a box is a truth value.
 */
export function bodyOf(nodes: readonly UiNode[], fields: FormData, submitter: Submitter): Record<string, Json> {
  const body: Record<string, Json> = {}
  const groups = new Set<UiNode['group']>(['default', 'captcha', submitter.group])
  for (const node of nodes) {
    if (node.type !== 'input' || isButton(node) || !groups.has(node.group)) continue
    // Whoever asks for another code does not mean the one that is typed already.
    if (sendsAgain(submitter) && codeNames.has(node.attributes.name)) continue
    const value = valueOf(node, fields)
    if (value !== undefined) put(body, node.attributes.name, value)
  }
  for (const [name, value] of fields) {
    if (name.startsWith('transient_payload.') && typeof value === 'string') put(body, name, value)
  }
  if (submitter.name) put(body, submitter.name, pressedValue(submitter.value))
  // A button that is not itself the method (a provider, a removal, a resend) belongs to its group's.
  const method = submitter.group === 'default' ? undefined : submitter.group
  if (method && body['method'] === undefined) put(body, 'method', method)
  return body
}

function valueOf({ attributes }: InputNode, fields: FormData): Json | undefined {
  if (attributes.type === 'checkbox') return fields.has(attributes.name)
  const value = fields.get(attributes.name)
  if (typeof value !== 'string') return undefined
  if (attributes.type === 'number' && value !== '') return Number(value)
  return value
}

/** A button can only carry text; the service wants `totp_unlink: true`. */
function pressedValue(value: string): Json {
  return value === 'true' ? true : value
}

function put(body: Record<string, Json>, name: string, value: Json): void {
  const path = name.split('.')
  const last = path.pop() ?? name
  let place = body
  for (const part of path) {
    const inner = place[part]
    place = typeof inner === 'object' ? inner : ((place[part] = {}) as Record<string, Json>)
  }
  place[last] = value
}
