/** The identity service's responses as the portal parses them, in the wire format of Ory Kratos (snake_case). */
import { z } from 'zod/mini'
import { Timestamp } from '#primitives.ts'

/**
 * A valid email address. Shared by input and output: if output were validated more strictly than input, an existing
 * account could not be displayed. At most 254 characters (RFC 5321), one `@`, a local part of up to 64 printable
 * characters (RFC 6531 allows any script), and a domain of one or more labels, also in any script. Unlike RFC 5322, no
 * quoted strings, comments, or spaces.
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
  verifiable_addresses: z._default(z.array(VerifiableAddress), []),
})
export type Identity = z.infer<typeof Identity>

export const Device = z.object({ ip_address: z._default(z.string(), ''), user_agent: z._default(z.string(), '') })
export const Session = z.object({
  id: z.string(),
  active: z.boolean(),
  expires_at: Timestamp,
  authenticated_at: Timestamp,
  identity: Identity,
  devices: z._default(z.array(Device), []),
  /** How the user signed in; the provider for `oidc`. */
  authentication_methods: z.optional(z.array(z.object({ method: z.string(), provider: z.optional(z.string()) }))),
})
export type Session = z.infer<typeof Session>

export const MessageType = z.catch(z.enum(['info', 'success', 'error']), 'error')
export const Message = z.object({
  id: z.number(),
  type: MessageType,
  text: z.string(),
  context: z.optional(z.looseObject({})),
})
export type Message = z.infer<typeof Message>

const label = z.object({
  id: z.optional(z.number()),
  type: z.optional(MessageType),
  text: z._default(z.string(), ''),
  context: z.optional(z.looseObject({})),
})
const text = z.object({ id: z.optional(z.number()), text: z.string(), context: z.optional(z.looseObject({})) })

/** Unknown node groups of newer services are accepted but not rendered. */
export const NodeGroup = z.catch(
  z.enum([
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
  ]),
  'unknown',
)

const input = z.object({
  node_type: z._default(z.literal('input'), 'input'),
  name: z.string(),
  type: z.string(),
  value: z.optional(z.union([z.string(), z.number(), z.boolean()])),
  required: z.optional(z.boolean()),
  disabled: z._default(z.boolean(), false),
  autocomplete: z.optional(z.string()),
  pattern: z.optional(z.string()),
  maxlength: z.optional(z.number()),
  onclick: z.optional(z.string()),
  onclickTrigger: z.optional(z.string()),
  onload: z.optional(z.string()),
  onloadTrigger: z.optional(z.string()),
  label: z.optional(label),
})
const shared = {
  messages: z._default(z.array(Message), []),
  meta: z._default(z.object({ label: z.optional(label) }), {}),
  group: NodeGroup,
}

export const InputNode = z.object({ type: z.literal('input'), attributes: input, ...shared })
export type InputNode = z.infer<typeof InputNode>
export const AnchorNode = z.object({
  type: z.literal('a'),
  attributes: z.object({ href: z.string(), title: text, id: z.optional(z.string()) }),
  ...shared,
})
export const ImageNode = z.object({
  type: z.literal('img'),
  attributes: z.object({
    src: z.string(),
    id: z.optional(z.string()),
    width: z.optional(z.number()),
    height: z.optional(z.number()),
  }),
  ...shared,
})
export const TextNode = z.object({
  type: z.literal('text'),
  attributes: z.object({ text, id: z.optional(z.string()) }),
  ...shared,
})
export const ScriptNode = z.object({
  type: z.literal('script'),
  attributes: z.object({
    src: z.string(),
    async: z._default(z.boolean(), true),
    crossorigin: z._default(z.string(), ''),
    integrity: z._default(z.string(), ''),
    referrerpolicy: z._default(z.string(), ''),
    type: z._default(z.string(), 'text/javascript'),
    id: z.optional(z.string()),
    nonce: z.optional(z.string()),
  }),
  ...shared,
})
export const OtherNode = z.object({ type: z.literal('div'), attributes: z.looseObject({}), ...shared })
export const UiNode = z.discriminatedUnion('type', [InputNode, AnchorNode, ImageNode, TextNode, ScriptNode, OtherNode])
export type UiNode = z.infer<typeof UiNode>

export const Flow = z.object({
  id: z.string(),
  state: z.optional(z.string()),
  refresh: z.optional(z.boolean()),
  requested_aal: z.optional(z.string()),
  return_to: z.optional(z.string()),
  expires_at: z.optional(Timestamp),
  ui: z.object({
    action: z.string(),
    method: z.string(),
    nodes: z.array(UiNode),
    messages: z._default(z.array(Message), []),
  }),
})
export type Flow = z.infer<typeof Flow>

/** An error response; `redirect_browser_to` is a sibling of `error`. */
export const FlowError = z.object({
  error: z.looseObject({
    id: z._default(z.string(), ''),
    code: z.optional(z.number()),
    message: z._default(z.string(), ''),
    reason: z.optional(z.string()),
  }),
  redirect_browser_to: z.optional(z.string()),
  use_flow_id: z.optional(z.string()),
})
export type FlowError = z.infer<typeof FlowError>
