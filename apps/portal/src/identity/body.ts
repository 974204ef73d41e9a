/** Converts form fields to the JSON body that the identity service expects. */
import type { InputNode, UiNode } from '@glacis/contract/identity'
import { codeNames } from '#identity/nodes.ts'

/** The pressed button. Its group selects the fields to send; its name and value are sent too. */
export interface Submitter {
  readonly group: UiNode['group']
  readonly name: string
  readonly value: string
}

type Json = string | number | boolean | { [name: string]: Json }

/** True for inputs that are buttons. */
export function isButton({ attributes }: InputNode): boolean {
  return attributes.type === 'submit' || attributes.type === 'button'
}

/** True for buttons that resend a code. */
export function isResend({ name }: Pick<Submitter, 'name'>): boolean {
  return name === 'resend' || name === 'email'
}

/**
 * The request body: the fields of the default group and of the submitter's group, and the submitter itself.
 * Dotted names become nested objects (`traits.name.first`); checkboxes become booleans.
 */
export function bodyOf(nodes: readonly UiNode[], fields: FormData, submitter: Submitter): Record<string, Json> {
  const body: Record<string, Json> = {}
  const groups = new Set<UiNode['group']>(['default', 'captcha', submitter.group])
  for (const node of nodes) {
    if (node.type !== 'input' || isButton(node) || !groups.has(node.group)) continue
    // A resend must not submit the code typed so far.
    if (isResend(submitter) && codeNames.has(node.attributes.name)) continue
    const value = valueOf(node, fields)
    // Kratos prefers an empty trait to the value that the provider reports.
    if (value === '' && submitter.group === 'oidc') continue
    if (value !== undefined) setNested(body, node.attributes.name, value)
  }
  for (const [name, value] of fields) {
    if (name.startsWith('transient_payload.') && typeof value === 'string') setNested(body, name, value)
  }
  if (submitter.name) setNested(body, submitter.name, pressedValue(submitter.value))
  // Buttons that don't name a method (provider, removal, resend) use their group as the method.
  const method = submitter.group === 'default' ? undefined : submitter.group
  if (method && body['method'] === undefined) setNested(body, 'method', method)
  return body
}

function valueOf({ attributes }: InputNode, fields: FormData): Json | undefined {
  if (attributes.type === 'checkbox') return fields.has(attributes.name)
  const value = fields.get(attributes.name)
  if (typeof value !== 'string') return undefined
  if (attributes.type === 'number' && value !== '') return Number(value)
  return value
}

/** Button values are strings, but the service expects booleans such as `totp_unlink: true`. */
function pressedValue(value: string): Json {
  return value === 'true' ? true : value
}

function setNested(body: Record<string, Json>, name: string, value: Json): void {
  const path = name.split('.')
  const last = path.pop() ?? name
  let place = body
  for (const part of path) {
    const inner = place[part]
    place = typeof inner === 'object' ? inner : ((place[part] = {}) as Record<string, Json>)
  }
  place[last] = value
}
