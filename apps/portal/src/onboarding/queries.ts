/** Queries and mutations for onboarding and feeds. */
import { checkFeed, getOnboarding, listFeeds } from '@glacis/contract/insights'
import { mutationOptions, useQuery } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { pollMs, query } from '#api/query.ts'
import type { FeedGap } from '#ui/feed-gap.tsx'
import { mine } from '#workspaces/queries.ts'

/** The onboarding steps and their status. */
export function steps() {
  return query(getOnboarding, {})
}

/** The feeds and their status; polled faster while one is being imported. */
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

/** Set if the feed has no records. Undefined if it has, or while that is unknown. */
export function useFeedGap(name: 'NVD' | 'CISA KEV'): FeedGap | undefined {
  const { data } = useQuery(feeds())
  const { isAdministrator = false } = useQuery(mine()).data ?? {}
  if (!data) return undefined
  const feed = data.feeds.find((listed) => listed.name === name)
  if (feed && feed.records > 0) return undefined
  return { feed: name, isDownloading: feed?.progress !== undefined, isAdministrator }
}

/** Triggers an immediate check of a feed; its row then shows the progress. */
export const checkFeedNow = mutationOptions({
  mutationFn: (name: string) => call(checkFeed, { name }),
  // A worker starts within seconds. Until the server reports progress, this shows it and speeds up the polling.
  onSettled: (response, _error, _name, _result, { client }) =>
    response &&
    client.setQueryData(
      feeds().queryKey,
      (cached) =>
        cached && {
          feeds: cached.feeds.map((feed) =>
            feed.name === response.feed.name ? { ...response.feed, progress: 'Checking for updates' } : feed,
          ),
        },
    ),
})
