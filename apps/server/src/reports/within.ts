/** What of an issue belongs into the report of one target. */
import type { Issue } from '@glacis/contract/issue'
import { worstOf } from '#issues/index.ts'

/**
 * The issues with their places in this target alone, each standing where those do: who gets the report of a target is
 * not told of the hosts of others. What has no place there any more is left out.
 */
export function issuesWithin(issues: readonly Issue[], targetId: string): Issue[] {
  return issues.flatMap((issue) => {
    const affectedHosts = issue.affectedHosts.filter(({ target }) => target.id === targetId)
    if (affectedHosts.length === 0) return []
    const status = worstOf(affectedHosts.map((one) => one.status))
    const ignored = affectedHosts.find((one) => one.status === status)?.ignored
    const { affectedHostCount: _, ignored: __, ...rest } = issue
    return {
      ...rest,
      status,
      affectedHosts,
      firstSeenTime: affectedHosts.map((one) => one.firstSeenTime).toSorted()[0] ?? issue.firstSeenTime,
      lastSeenTime:
        affectedHosts
          .map((one) => one.lastSeenTime)
          .toSorted()
          .at(-1) ?? issue.lastSeenTime,
      ...(ignored && { ignored }),
    }
  })
}
