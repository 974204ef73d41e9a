/** Roles that an identity provider assigns through groups. */
import { z } from 'zod/mini'

/** Ownership is only granted in Glacis, so that an identity provider can't take over a workspace. */
export const GroupRoleName = z.enum(['admin', 'analyst', 'viewer', 'auditor'])
export type GroupRoleName = z.infer<typeof GroupRoleName>

export const GroupRole = z.strictObject({
  /** Name of the group as the identity provider sends it. */
  group: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  role: GroupRoleName,
})
export type GroupRole = z.infer<typeof GroupRole>

/** In order of precedence: a user in several groups gets the role of the first one. */
export const GroupRoles = z.array(GroupRole).check(
  z.maxLength(100),
  z.refine((all) => new Set(all.map(({ group }) => group)).size === all.length, 'Each group can be listed only once'),
)
export type GroupRoles = z.infer<typeof GroupRoles>
