/** Invitations to a workspace, and the email domains that may join without one. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { emailPattern } from '#identity.ts'
import { Empty, Id, Timestamp } from '#primitives.ts'
import { Role } from '#role.ts'

/** How long an invitation is valid, in days. */
export const invitationDays = 7

/** A pending invitation; used and revoked ones are not listed. */
export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  /** Name of the member who sent it. */
  invitedBy: z.string(),
  createTime: Timestamp,
  /** When the last email was sent. */
  sendTime: Timestamp,
  expireTime: Timestamp,
  isExpired: z.boolean(),
})
export type Invitation = z.infer<typeof Invitation>

/** An invitation as shown to its recipient. */
export const ReceivedInvitation = z.object({
  id: Id,
  workspaceName: z.string(),
  role: Role,
  invitedBy: z.string(),
  expireTime: Timestamp,
})
export type ReceivedInvitation = z.infer<typeof ReceivedInvitation>

export const listInvitations = endpoint({
  method: 'GET',
  path: '/v1/invitations',
  summary: 'List pending invitations',
  description: 'Newest first, including expired ones.',
  input: z.object({}),
  result: z.object({ invitations: z.array(Invitation) }),
})
export const createInvitation = endpoint({
  method: 'POST',
  path: '/v1/invitations',
  summary: 'Invite someone',
  description: `Sends an email with a link that is valid for ${invitationDays} days and can be used once, by this address only.`,
  input: z.strictObject({
    invitation: z.strictObject({ email: z.email({ pattern: emailPattern }), role: Role }),
  }),
  result: z.object({ invitation: Invitation }),
})
export const resendInvitation = endpoint({
  method: 'POST',
  path: '/v1/invitations/:id/resend',
  summary: 'Resend an invitation',
  description: 'Sends a new link, which is valid for another 7 days. The previous one stops working.',
  input: z.strictObject({ id: Id }),
  result: z.object({ invitation: Invitation }),
})
export const revokeInvitation = endpoint({
  method: 'DELETE',
  path: '/v1/invitations/:id',
  summary: 'Revoke an invitation',
  description: 'The link stops working immediately.',
  input: z.object({ id: Id }),
  result: Empty,
})
const token = z.string().check(z.minLength(1), z.maxLength(200))
export const previewInvitation = endpoint({
  method: 'POST',
  path: '/v1/invitations/preview',
  summary: 'Get an invitation',
  description: 'Returns the workspace and the role that an invitation link grants, without accepting it.',
  input: z.strictObject({
    /** The `token` of the link. */
    token,
  }),
  result: z.object({ invitation: ReceivedInvitation }),
})
export const acceptInvitation = endpoint({
  method: 'POST',
  path: '/v1/invitations/accept',
  summary: 'Accept an invitation',
  description:
    'Requires the session of a user whose verified email address was invited. Pass the `token` of the link, or the `id` from the list of your workspaces.',
  input: z.strictObject({ token: z.optional(token), id: z.optional(Id) }),
  result: z.object({ workspaceId: Id, workspaceName: z.string(), role: Role }),
})

/** Users with an address in this domain can join without an invitation, after a DNS record proves control of the domain. */
export const EmailDomain = z.object({
  id: Id,
  domain: z.string(),
  role: Role,
  isVerified: z.boolean(),
  /** Name and value of the TXT record that proves the domain. */
  recordName: z.string(),
  recordValue: z.string(),
  createTime: Timestamp,
  verifyTime: z.optional(Timestamp),
})
export type EmailDomain = z.infer<typeof EmailDomain>

/** Roles that can be assigned to users who join by email domain. */
export const DomainRole = z.enum(['analyst', 'viewer', 'auditor'])
const domain = z
  .string()
  .check(
    z.trim(),
    z.toLowerCase(),
    z.maxLength(253),
    z.regex(
      /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
      'Expected a domain such as example.com',
    ),
  )

export const listEmailDomains = endpoint({
  method: 'GET',
  path: '/v1/email-domains',
  summary: 'List email domains',
  input: z.object({}),
  result: z.object({ emailDomains: z.array(EmailDomain) }),
})
export const createEmailDomain = endpoint({
  method: 'POST',
  path: '/v1/email-domains',
  summary: 'Add an email domain',
  description: 'Takes effect after the TXT record in the response has been published and verified.',
  input: z.strictObject({ emailDomain: z.strictObject({ domain, role: DomainRole }) }),
  result: z.object({ emailDomain: EmailDomain }),
})
export const verifyEmailDomain = endpoint({
  method: 'POST',
  path: '/v1/email-domains/:id/verify',
  summary: 'Verify an email domain',
  description: 'Looks up the TXT record.',
  input: z.strictObject({ id: Id }),
  result: z.object({ emailDomain: EmailDomain }),
})
export const deleteEmailDomain = endpoint({
  method: 'DELETE',
  path: '/v1/email-domains/:id',
  summary: 'Remove an email domain',
  description: 'Users who have already joined remain members.',
  input: z.object({ id: Id }),
  result: Empty,
})
