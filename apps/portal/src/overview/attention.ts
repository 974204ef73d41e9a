/** What needs attention first: new, regressed or known to be exploited. */
import type { Issue } from '@glacis/contract/issue'

export type Reason = 'new' | 'regressed' | 'exploited'

/** Most rows of the list. */
export const attentionMax = 7
/** How long a risk counts as new, in milliseconds: a week. */
const newForMs = 7 * 86_400_000

/** Why an issue needs attention; empty when it does not. */
export function reasonsFor(issue: Pick<Issue, 'status' | 'firstSeenTime' | 'threat'>, now: number): Reason[] {
  const reasons: Reason[] = []
  if (issue.status === 'STATUS_REGRESSION') reasons.push('regressed')
  else if (now - Date.parse(issue.firstSeenTime) < newForMs) reasons.push('new')
  if (issue.threat.knownExploited) reasons.push('exploited')
  return reasons
}

const ranks: Readonly<Record<string, number>> = {
  CATEGORY_CRITICAL: 4,
  CATEGORY_HIGH: 3,
  CATEGORY_MEDIUM: 2,
  CATEGORY_LOW: 1,
}

/** Critical before high, then newest; at most seven. What has no severity can wait. */
export function needingAttention<Item extends Pick<Issue, 'status' | 'firstSeenTime' | 'threat'>>(
  issues: readonly Item[],
  now: number,
): Item[] {
  const rank = ({ threat }: Item) => ranks[threat.severity.category] ?? 0
  return issues
    .filter((issue) => rank(issue) > 0 && reasonsFor(issue, now).length > 0)
    .sort((a, b) => rank(b) - rank(a) || Date.parse(b.firstSeenTime) - Date.parse(a.firstSeenTime))
    .slice(0, attentionMax)
}
