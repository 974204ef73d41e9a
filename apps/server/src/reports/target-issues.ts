/** Restricts issues to the target of a report. */
import type { Issue } from '@glacis/contract/issue'
import { worstOf } from '#issues/index.ts'

/**
 * The issues with their occurrences in this target only, and the status they have there, so that
 * the report of a target doesn't reveal hosts of others. Issues without occurrences in the target
 * are dropped.
 */
export function restrictToTarget(issues: readonly Issue[], targetId: string): Issue[] {
  return issues.flatMap((issue) => {
    const affectedHosts = issue.affectedHosts.filter(({ target }) => target.id === targetId)
    if (affectedHosts.length === 0) return []
    const status = worstOf(affectedHosts.map((item) => item.status))
    const ignored = affectedHosts.find((item) => item.status === status)?.ignored
    const { affectedHostCount: _, ignored: __, ...rest } = issue
    return {
      ...rest,
      status,
      affectedHosts,
      firstSeenTime: affectedHosts.map((item) => item.firstSeenTime).toSorted()[0] ?? issue.firstSeenTime,
      lastSeenTime:
        affectedHosts
          .map((item) => item.lastSeenTime)
          .toSorted()
          .at(-1) ?? issue.lastSeenTime,
      ...(ignored && { ignored }),
    }
  })
}
