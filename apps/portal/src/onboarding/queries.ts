/** What the portal asks of setting up, and of what the product knows. */
import { checkFeed, getOnboarding, listFeeds } from '@glacis/contract/insights'
import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
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

/** Has the source of a feed asked at once; from then on the row says how that goes. */
export function checkNow(client: QueryClient) {
  return mutationOptions({
    mutationKey: [checkFeed.path, 'check'],
    mutationFn: (name: string) => call(checkFeed, { name }),
    onSuccess: ({ feed }) =>
      // A worker takes it up within seconds; until it says more, this does, and has the list asked again soon.
      client.setQueryData(
        feeds().queryKey,
        (known) =>
          known && {
            feeds: known.feeds.map((one) =>
              one.name === feed.name ? { ...feed, progress: 'Asking the source' } : one,
            ),
          },
      ),
  })
}
