/** Provisioning of members by an identity provider. The provider itself uses SCIM 2.0 (RFC 7643, RFC 7644) at `url`. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { GroupRoleName, GroupRoles } from '#group-role.ts'
import { Empty, Id, Name, Timestamp, UpdateMask } from '#primitives.ts'
import { Role } from '#role.ts'

/** Default and maximum lifetime of a provisioning token, in days. */
export const provisioningTokenLife = { default: 365, most: 730 } as const

export const ProvisioningToken = z.object({
  id: Id,
  name: z.string(),
  /** The first characters, for identification. */
  prefix: z.string(),
  /** The complete token. Present only in the response that creates it. */
  token: z.optional(z.string()),
  /** Name of the member who created it. */
  createdBy: z.string(),
  createTime: Timestamp,
  expireTime: Timestamp,
  lastUsedTime: z.optional(Timestamp),
})
export type ProvisioningToken = z.infer<typeof ProvisioningToken>

/** A group of the identity provider. */
export const ProvisionedGroup = z.object({ id: Id, name: z.string(), memberCount: z.int() })
export type ProvisionedGroup = z.infer<typeof ProvisionedGroup>

/** A user who becomes a member when they first sign in with this verified address. */
export const PendingMember = z.object({ id: Id, name: z.string(), email: z.string(), role: Role })
export type PendingMember = z.infer<typeof PendingMember>

export const Provisioning = z.object({
  /** Base URL of the SCIM service, for the identity provider. */
  url: z.string(),
  /** Role of users in no group of `groupRoles`. */
  defaultRole: GroupRoleName,
  groupRoles: GroupRoles,
  tokens: z.array(ProvisioningToken),
  groups: z.array(ProvisionedGroup),
  /** At most 500, oldest first. */
  pendingMembers: z.array(PendingMember),
  userCount: z.object({ active: z.int(), inactive: z.int() }),
})
export type Provisioning = z.infer<typeof Provisioning>

export const getProvisioning = endpoint({
  method: 'GET',
  path: '/v1/provisioning',
  summary: 'Get provisioning',
  description: 'Settings, tokens, groups, and pending members of SCIM provisioning.',
  input: z.object({}),
  result: z.object({ provisioning: Provisioning }),
})
export const updateProvisioning = endpoint({
  method: 'PATCH',
  path: '/v1/provisioning',
  summary: 'Update provisioning',
  description:
    'Changes only the fields named in `updateMask.paths`: `defaultRole` or `groupRoles`. Applies to provisioned members immediately; the role of owners never changes.',
  input: z.strictObject({
    provisioning: z.strictObject({ defaultRole: z.optional(GroupRoleName), groupRoles: z.optional(GroupRoles) }),
    updateMask: UpdateMask,
    /** The current values of these fields. If one is different, the request is rejected with the reason `SETTINGS_CHANGED`. */
    replaces: z.optional(
      z.strictObject({ defaultRole: z.optional(GroupRoleName), groupRoles: z.optional(GroupRoles) }),
    ),
  }),
  result: z.object({ provisioning: Provisioning }),
})
export const createProvisioningToken = endpoint({
  method: 'POST',
  path: '/v1/provisioning/tokens',
  summary: 'Create a provisioning token',
  description: 'The bearer token for the identity provider. It is returned once, in this response.',
  input: z.strictObject({
    token: z.strictObject({
      name: Name,
      /** At most 730 days from now. Default: 365 days. */
      expireTime: z.optional(Timestamp),
    }),
  }),
  result: z.object({ token: ProvisioningToken }),
})
export const deleteProvisioningToken = endpoint({
  method: 'DELETE',
  path: '/v1/provisioning/tokens/:id',
  summary: 'Revoke a provisioning token',
  description: 'The token stops working immediately. Current members keep their access.',
  input: z.object({ id: Id }),
  result: Empty,
})
