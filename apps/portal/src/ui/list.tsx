/** Shared states of all lists: error, empty, and paging. */
import { CloudOff, Search } from 'lucide-react'
import { type ReactNode, useDeferredValue } from 'react'
import { focusPageTitle } from '#lib/focus.ts'
import { Button } from '#ui/button.tsx'
import { Pager } from '#ui/pager.tsx'
import { EmptyState, ErrorState, loadErrorText } from '#ui/states.tsx'

interface Reading {
  readonly data: unknown
  readonly error: unknown
  readonly isPlaceholderData?: boolean
  readonly refetch: () => unknown
}

interface ListBodyProps {
  /** Plural, starting a sentence: "Risks". */
  readonly what: string
  readonly query: Reading
  /** Number of rows; undefined while the first page is loading. */
  readonly count: number | undefined
  readonly isFiltered?: boolean
  readonly onClear?: () => void
  /** Explains why the current filters match nothing, if that is known. */
  readonly noMatches?: { readonly title: string; readonly text: ReactNode } | undefined
  /** Shown if there are no items at all. */
  readonly empty: ReactNode
  /** The table. It renders its own skeleton while loading. */
  readonly children: ReactNode
}

/** The table, or an error or empty state. Rows stay visible while newer ones load. */
export function ListBody({
  what,
  query,
  count,
  isFiltered = false,
  onClear,
  noMatches,
  empty,
  children,
}: ListBodyProps) {
  // The first rows render in the background, in tasks short enough for a phone.
  const wasLoading = useDeferredValue(count === undefined)
  const previous = useDeferredValue(children)
  if (query.error && query.data === undefined) {
    return (
      <StateFrame>
        <ErrorState
          icon={<CloudOff />}
          title={`${what} couldn't be loaded`}
          message={loadErrorText(query.error) + (isFiltered ? ' Your filters are unchanged.' : '')}
          onRetry={() => void query.refetch()}
        />
      </StateFrame>
    )
  }
  if (count === 0 && isFiltered) {
    return (
      <StateFrame>
        <EmptyState
          icon={<Search />}
          title={noMatches?.title ?? 'No results for these filters'}
          actions={
            onClear && (
              <Button
                size="sm"
                onClick={() => {
                  focusPageTitle()
                  onClear()
                }}
              >
                Clear filters
              </Button>
            )
          }
        >
          {noMatches?.text}
        </EmptyState>
      </StateFrame>
    )
  }
  if (count === 0) return <StateFrame>{empty}</StateFrame>
  return (
    <div className="table-container" aria-busy={count === undefined || query.isPlaceholderData === true}>
      {wasLoading ? previous : children}
    </div>
  )
}

function StateFrame({ children }: { readonly children: ReactNode }) {
  return <div className="border-t border-line">{children}</div>
}

interface Page {
  readonly nextPageToken: string
  readonly totalSize?: number | undefined
  readonly totalSizeIsExact?: boolean | undefined
}
interface ListPagerProps {
  /** Tokens of the previous pages and this one, from the URL. */
  readonly after: readonly string[] | undefined
  readonly size: number
  readonly shown: number
  readonly page: Page | undefined
  /** Used if the response has no total. */
  readonly total?: number | undefined
  readonly onTurn: (to: { readonly after: readonly string[] | undefined; readonly size?: 25 | 50 | 100 | 500 }) => void
}

const sizes = [25, 50, 100, 500] as const

/** Total rows: from the response, or counted once the last page is loaded. */
export function totalOf(page: Page | undefined, rowsUpToHere: number): number | undefined {
  return page?.totalSize ?? (page?.nextPageToken === '' ? rowsUpToHere : undefined)
}

/** The pager of a list with page tokens in the URL. */
export function ListPager({ after = [], size, shown, page, total, onTurn }: ListPagerProps) {
  if (!page || (shown === 0 && after.length === 0)) return null
  const { nextPageToken, totalSizeIsExact } = page
  const before = after.slice(0, -1)
  return (
    <Pager
      from={after.length * size + 1}
      shown={shown}
      total={totalOf(page, after.length * size + shown) ?? total}
      totalIsExact={totalSizeIsExact}
      size={size}
      onSize={(chosen) => onTurn({ after: undefined, size: sizes.find((option) => option === chosen) ?? 25 })}
      onPrevious={after.length > 0 ? () => onTurn({ after: before.length > 0 ? before : undefined }) : undefined}
      onNext={nextPageToken ? () => onTurn({ after: [...after, nextPageToken] }) : undefined}
    />
  )
}
