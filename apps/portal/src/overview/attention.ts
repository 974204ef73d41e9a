/** Selects the risks that need attention: critical, new, regressed, or exploited in the wild. */
import type { Issue } from '@glacis/contract/issue'

export type AttentionReason = 'new' | 'regressed' | 'exploited'

/** Maximum number of rows. */
export const maxAttentionRows = 7
/** A risk counts as new for a week, in milliseconds. */
const newAgeMs = 7 * 86_400_000

/** Why an issue needs attention apart from its severity. */
export function attentionReasons(
  issue: Pick<Issue, 'status' | 'firstSeenTime' | 'threat'>,
  now: number,
): AttentionReason[] {
  const reasons: AttentionReason[] = []
  if (issue.status === 'STATUS_REGRESSION') reasons.push('regressed')
  else if (now - Date.parse(issue.firstSeenTime) < newAgeMs) reasons.push('new')
  if (issue.threat.knownExploited) reasons.push('exploited')
  return reasons
}

const ranks: Readonly<Record<string, number>> = {
  CATEGORY_CRITICAL: 4,
  CATEGORY_HIGH: 3,
  CATEGORY_MEDIUM: 2,
  CATEGORY_LOW: 1,
}

/** Critical before high, then newest first; at most `maxAttentionRows`. Issues without a severity are omitted. */
export function selectForAttention<Item extends Pick<Issue, 'status' | 'firstSeenTime' | 'threat'>>(
  issues: readonly Item[],
  now: number,
): Item[] {
  const rank = ({ threat }: Item) => ranks[threat.severity.category] ?? 0
  return issues
    .filter(
      (issue) =>
        rank(issue) === ranks['CATEGORY_CRITICAL'] || (rank(issue) > 0 && attentionReasons(issue, now).length > 0),
    )
    .sort((a, b) => rank(b) - rank(a) || Date.parse(b.firstSeenTime) - Date.parse(a.firstSeenTime))
    .slice(0, maxAttentionRows)
}
