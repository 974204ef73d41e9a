/** Test fixtures for flows, in the identity service's format. */
import { Flow, UiNode } from '@glacis/contract/identity'
import { z } from 'zod/mini'

/** A flow node with only the properties a test needs; the contract's defaults supply the rest. */
export interface PartialNode {
  readonly type: UiNode['type']
  readonly group: string
  readonly attributes: object
  readonly label?: string
  readonly context?: object
  readonly messages?: readonly { readonly id: number; readonly type: string; readonly text: string }[]
}

export function readNodes(sketches: readonly PartialNode[]): UiNode[] {
  return z.array(UiNode).parse(
    sketches.map(({ label, context, ...node }) => ({
      ...node,
      meta: label === undefined ? {} : { label: { id: 1, type: 'info', text: label, context } },
    })),
  )
}

export function flowOf(
  nodes: readonly UiNode[],
  more: Partial<Flow> & { readonly messages?: Flow['ui']['messages'] } = {},
): Flow {
  const { messages = [], ...rest } = more
  const ui = {
    action: 'http://id.example.ch/self-service/login?flow=flow-1',
    method: 'POST',
    nodes: [...nodes],
    messages,
  }
  return { ...Flow.parse({ id: 'flow-1', state: 'choose_method', ui: { ...ui, nodes: [] } }), ui, ...rest }
}

const input = (group: string, name: string, type: string, label?: string, more: object = {}): PartialNode => ({
  type: 'input',
  group,
  attributes: { name, type, ...more },
  ...(label !== undefined && { label }),
})
const csrf = input('default', 'csrf_token', 'hidden', undefined, { value: 't', required: true })

export function loginNodes(): UiNode[] {
  return readNodes([
    input('oidc', 'provider', 'submit', 'Sign in with GitHub', { value: 'github' }),
    csrf,
    input('default', 'identifier', 'text', 'E-Mail', { value: '', required: true, autocomplete: 'username webauthn' }),
    input('password', 'password', 'password', 'Password', { required: true, autocomplete: 'current-password' }),
    input('password', 'method', 'submit', 'Sign in with password', { value: 'password' }),
    input('passkey', 'passkey_login_trigger', 'button', 'Sign in with passkey', {
      value: '',
      onclick: 'window.oryPasskeyLogin()',
      onclickTrigger: 'oryPasskeyLogin',
    }),
    input('passkey', 'passkey_login', 'hidden'),
  ])
}

export function registrationNodes(): UiNode[] {
  return readNodes([
    csrf,
    input('default', 'traits.email', 'email', 'E-Mail', { required: true, autocomplete: 'email' }),
    input('default', 'traits.name.first', 'text', 'First name', { required: true }),
    input('default', 'traits.name.last', 'text', 'Last name', { required: true }),
    input('password', 'password', 'password', 'Password', { required: true, autocomplete: 'new-password' }),
    input('password', 'method', 'submit', 'Sign up', { value: 'password' }),
  ])
}

/** Step one of a two-step registration; step two is `registrationNodes` with hidden traits. */
export function profileStepNodes(): UiNode[] {
  return readNodes([
    csrf,
    input('default', 'traits.email', 'email', 'E-Mail', { required: true, autocomplete: 'email' }),
    input('default', 'traits.name.first', 'text', 'First name', { required: true }),
    input('default', 'traits.name.last', 'text', 'Last name', { required: true }),
    input('profile', 'method', 'submit', 'Sign up', { value: 'profile' }),
  ])
}

export function credentialStepNodes(): UiNode[] {
  return readNodes([
    csrf,
    input('default', 'traits.email', 'hidden', 'E-Mail', { value: 'nora@example.ch' }),
    input('default', 'traits.name.first', 'hidden', 'First name', { value: 'Nora' }),
    input('default', 'traits.name.last', 'hidden', 'Last name', { value: 'Ammann' }),
    input('password', 'password', 'password', 'Password', { required: true, autocomplete: 'new-password' }),
    input('password', 'method', 'submit', 'Sign up', { value: 'password' }),
    input('profile', 'screen', 'submit', 'Back', { value: 'previous' }),
  ])
}

export function verificationNodes(): UiNode[] {
  return readNodes([
    input('code', 'method', 'hidden', undefined, { value: 'code' }),
    input('code', 'code', 'text', 'Verification code', { required: true }),
    input('code', 'method', 'submit', 'Continue', { value: 'code' }),
    csrf,
    input('code', 'email', 'submit', 'Resend code', { value: 'nora@example.ch' }),
  ])
}
