/** The roles that may permit intrusive checks on a target. */
import { intrusiveCheckRoles } from '@glacis/contract/permissions'
import type { CheckPermission } from '@glacis/contract/primitives'
import { errorReasons } from '@glacis/contract/role'
import type { Ctx } from '#ctx.ts'
import { ApiError } from '#errors.ts'

/**
 * Intrusive checks may lock accounts, write data, or crash a service, so analysts can't permit them. Values that stay
 * the same are no change: clients may send a target back as a whole.
 *
 * @throws ApiError `forbidden` if the role of the actor doesn't allow the change
 */
export function requirePermission(
  { actor }: Ctx,
  before: readonly CheckPermission[],
  after: readonly CheckPermission[] | undefined,
): void {
  if (after === undefined || new Set(before).symmetricDifference(new Set(after)).size === 0) return
  if (actor.role === undefined || intrusiveCheckRoles.includes(actor.role)) return
  throw new ApiError('forbidden', 'Only an owner or admin can change which intrusive checks may run', {
    reason: errorReasons.role,
    metadata: { role: actor.role, allowedRoles: intrusiveCheckRoles.join(',') },
  })
}
