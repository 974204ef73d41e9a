/** The identity service's responses as the portal reads them, in the wire format of Ory Kratos (snake_case). */
import { z } from 'zod'
import { Timestamp } from '#primitives.ts'

/**
 * A valid email address. Shared by input and output: if reading were stricter than writing, an existing
 * account could not be displayed. At most 254 characters (RFC 5321), one `@`,
 * a local part of up to 64 printable characters (RFC 6531 allows any script), and a domain of one
 * or more labels, also in any script. Unlike RFC 5322, no quoted strings, comments or spaces.
 */
export const emailPattern =
  /^(?=.{3,254}$)[^\s@<>()[\],;:\\"\p{Cc}\p{Cf}\p{Cs}]{1,64}@(?!-)[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)*$/u

export const Traits = z.object({
  email: z.email({ pattern: emailPattern }),
  name: z.object({ first: z.string(), last: z.string() }),
})
export const VerifiableAddress = z.object({ value: z.string(), verified: z.boolean() })
export const Identity = z.object({
  id: z.string(),
  traits: Traits,
  verifiable_addresses: z.array(VerifiableAddress).default([]),
})
export type Identity = z.infer<typeof Identity>

export const Device = z.object({ ip_address: z.string().default(''), user_agent: z.string().default('') })
export const Session = z.object({
  id: z.string(),
  active: z.boolean(),
  expires_at: Timestamp,
  authenticated_at: Timestamp,
  identity: Identity,
  devices: z.array(Device).default([]),
})
export type Session = z.infer<typeof Session>

export const MessageType = z.enum(['info', 'success', 'error']).catch('error')
export const Message = z.object({
  id: z.number(),
  type: MessageType,
  text: z.string(),
  context: z.looseObject({}).optional(),
})
export type Message = z.infer<typeof Message>

const label = z.object({
  id: z.number().optional(),
  type: MessageType.optional(),
  text: z.string().default(''),
  context: z.looseObject({}).optional(),
})
const text = z.object({ id: z.number().optional(), text: z.string(), context: z.looseObject({}).optional() })

/** Unknown node groups of newer services are accepted but not rendered. */
export const NodeGroup = z
  .enum([
    'default',
    'password',
    'code',
    'profile',
    'oidc',
    'webauthn',
    'passkey',
    'totp',
    'lookup_secret',
    'captcha',
    'identifier_first',
    'link',
    'unknown',
  ])
  .catch('unknown')

const input = z.object({
  node_type: z.literal('input').default('input'),
  name: z.string(),
  type: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  required: z.boolean().optional(),
  disabled: z.boolean().default(false),
  autocomplete: z.string().optional(),
  pattern: z.string().optional(),
  maxlength: z.number().optional(),
  onclick: z.string().optional(),
  onclickTrigger: z.string().optional(),
  onload: z.string().optional(),
  onloadTrigger: z.string().optional(),
  label: label.optional(),
})
const shared = {
  messages: z.array(Message).default([]),
  meta: z.object({ label: label.optional() }).default({}),
  group: NodeGroup,
}

export const InputNode = z.object({ type: z.literal('input'), attributes: input, ...shared })
export type InputNode = z.infer<typeof InputNode>
export const AnchorNode = z.object({
  type: z.literal('a'),
  attributes: z.object({ href: z.string(), title: text, id: z.string().optional() }),
  ...shared,
})
export const ImageNode = z.object({
  type: z.literal('img'),
  attributes: z.object({
    src: z.string(),
    id: z.string().optional(),
    width: z.number().optional(),
    height: z.number().optional(),
  }),
  ...shared,
})
export const TextNode = z.object({
  type: z.literal('text'),
  attributes: z.object({ text, id: z.string().optional() }),
  ...shared,
})
export const ScriptNode = z.object({
  type: z.literal('script'),
  attributes: z.object({
    src: z.string(),
    async: z.boolean().default(true),
    crossorigin: z.string().default(''),
    integrity: z.string().default(''),
    referrerpolicy: z.string().default(''),
    type: z.string().default('text/javascript'),
    id: z.string().optional(),
    nonce: z.string().optional(),
  }),
  ...shared,
})
export const OtherNode = z.object({ type: z.literal('div'), attributes: z.looseObject({}), ...shared })
export const UiNode = z.discriminatedUnion('type', [InputNode, AnchorNode, ImageNode, TextNode, ScriptNode, OtherNode])
export type UiNode = z.infer<typeof UiNode>

export const Flow = z.object({
  id: z.string(),
  state: z.string().optional(),
  refresh: z.boolean().optional(),
  requested_aal: z.string().optional(),
  return_to: z.string().optional(),
  expires_at: Timestamp.optional(),
  ui: z.object({
    action: z.string(),
    method: z.string(),
    nodes: z.array(UiNode),
    messages: z.array(Message).default([]),
  }),
})
export type Flow = z.infer<typeof Flow>

/** An error response; `redirect_browser_to` is a sibling of `error`. */
export const FlowError = z.object({
  error: z.looseObject({
    id: z.string().default(''),
    code: z.number().optional(),
    message: z.string().default(''),
    reason: z.string().optional(),
  }),
  redirect_browser_to: z.string().optional(),
  use_flow_id: z.string().optional(),
})
export type FlowError = z.infer<typeof FlowError>
