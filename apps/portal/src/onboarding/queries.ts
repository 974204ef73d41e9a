/** What the portal asks of setting up, and of what the product knows. */
import { getOnboarding, listFeeds } from '@glacis/contract/insights'
import { pollMs, query } from '#api/query.ts'

/** Which steps there are and which are done; asked again while one is open, because others may do it. */
export function steps() {
  return query(getOnboarding, {})
}

/** Everything that the product knows, by pack; asked again while something is being read. */
export function feeds() {
  const options = query(listFeeds, {})
  return {
    ...options,
    refetchInterval: ({
      state,
    }: {
      state: { data: { feeds: readonly { progress?: string | undefined }[] } | undefined }
    }) => (state.data?.feeds.some(({ progress }) => progress) ? pollMs : 60_000),
  }
}
