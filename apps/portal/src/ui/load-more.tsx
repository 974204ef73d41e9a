import { Button } from '#ui/button.tsx'

interface Pages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  fetchNextPage(): Promise<unknown>
}

interface LoadMoreProps {
  readonly query: Pages
  /** Names the listed items, if a page has several lists. */
  readonly what?: string
  readonly size?: 'sm'
  readonly className?: string
}

/** Loads the next page of an infinite query. Renders nothing after the last one. */
export function LoadMore({ query, what, size, className }: LoadMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <Button
      {...(size && { size })}
      {...(className && { className })}
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      Load more{what && ` ${what}`}
    </Button>
  )
}
