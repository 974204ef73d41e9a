/** Explains why a built-in view is empty. */
import type { ReactNode } from 'react'
import { filterCount, type RiskSearch } from '#issues/search.ts'
import { useDenial } from '#lib/role.ts'
import { useFeedGap } from '#onboarding/queries.ts'
import { feedGapState } from '#ui/feed-gap.tsx'

interface EmptyView {
  readonly title: string
  readonly text: ReactNode
}

/**
 * The title and text of a built-in view without risks, or undefined for any other search.
 *
 * @param word the kind of risks that the list contains
 */
export function useEmptyView(search: RiskSearch, word: 'verified' | 'potential'): EmptyView | undefined {
  const denial = useDenial('updateIssue')
  const kevGap = useFeedGap('CISA KEV')
  if (filterCount(search) !== 1 || (search.status ?? 'open') !== 'open') return undefined
  if (search.mine)
    return {
      title: `No open ${word} risks assigned to you`,
      text: denial
        ? "Your role can't be assigned risks."
        : 'To assign a risk to yourself, open it and select Assign in its details.',
    }
  if (search.unassigned)
    return { title: `No unassigned ${word} risks`, text: 'Open risks without an assignee are listed here.' }
  if (search.kev && kevGap) return feedGapState(kevGap, `which ${word} risks are exploited in the wild`)
  if (search.kev)
    return {
      title: `No ${word} risks exploited in the wild`,
      text: "Open risks in CISA's catalog of known exploited vulnerabilities (KEV) are listed here.",
    }
  if (search.since === 'week')
    return {
      title: `No new ${word} risks this week`,
      text: 'Open risks first seen in the last 7 days are listed here.',
    }
  return undefined
}
