/** What every list has in common: failing, being empty, and turning its pages. */
import { CloudOff, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { focusPageTitle } from '#lib/focus.ts'
import { Button } from '#ui/button.tsx'
import { Pager } from '#ui/pager.tsx'
import { EmptyState, ErrorState } from '#ui/states.tsx'

interface Reading {
  readonly data: unknown
  readonly error: unknown
  readonly isPlaceholderData?: boolean
  readonly refetch: () => unknown
}

interface ListBodyProps {
  /** Plural, as it begins a sentence: "Risks". */
  readonly what: string
  readonly query: Reading
  /** Number of rows; undefined while the first page is on its way. */
  readonly count: number | undefined
  readonly isFiltered?: boolean
  readonly onClear?: () => void
  /** What to show when nothing exists at all. */
  readonly empty: ReactNode
  /** The table, which draws its own skeleton while there are no rows. */
  readonly children: ReactNode
}

/** The table, or why there is none. Rows stay on screen while newer ones are on their way. */
export function ListBody({ what, query, count, isFiltered = false, onClear, empty, children }: ListBodyProps) {
  if (query.error && query.data === undefined) {
    return (
      <Ruled>
        <ErrorState
          icon={<CloudOff />}
          title={`${what} could not be loaded`}
          message={`The server answered ${statusOf(query.error)}. Filters are kept.`}
          onRetry={() => void query.refetch()}
        />
      </Ruled>
    )
  }
  if (count === 0 && isFiltered) {
    return (
      <Ruled>
        <EmptyState
          icon={<Search />}
          title="Nothing matches these filters"
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
        />
      </Ruled>
    )
  }
  if (count === 0) return <Ruled>{empty}</Ruled>
  return (
    <div className="holds-tables" aria-busy={count === undefined || query.isPlaceholderData === true}>
      {children}
    </div>
  )
}

function Ruled({ children }: { readonly children: ReactNode }) {
  return <div className="border-t border-line">{children}</div>
}

/** "503 Service Unavailable"; a failed call carries both. */
function statusOf(error: unknown): string {
  const { status, statusText } = (error ?? {}) as { status?: unknown; statusText?: unknown }
  if (typeof status === 'number' && status > 0 && typeof statusText === 'string') return `${status} ${statusText}`
  return 'nothing'
}

interface Page {
  readonly nextPageToken: string
  readonly totalSize?: number | undefined
  readonly totalSizeIsExact?: boolean | undefined
}
interface ListPagerProps {
  /** Tokens of the pages before and up to this one, as the address carries them. */
  readonly after: readonly string[] | undefined
  readonly size: number
  readonly shown: number
  readonly page: Page | undefined
  /** Used where the answer itself carries no total. */
  readonly total?: number | undefined
  readonly onTurn: (to: { readonly after: readonly string[] | undefined; readonly size?: 25 | 50 | 100 | 500 }) => void
}

const sizes = [25, 50, 100, 500] as const

/** How many rows a list has: as the answer says, or as counted once its last page is here. */
export function totalOf(page: Page | undefined, rowsUpToHere: number): number | undefined {
  return page?.totalSize ?? (page?.nextPageToken === '' ? rowsUpToHere : undefined)
}

/** The pager of a list whose pages are found by tokens kept in the address. */
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
      onSize={(chosen) => onTurn({ after: undefined, size: sizes.find((known) => known === chosen) ?? 25 })}
      onPrevious={after.length > 0 ? () => onTurn({ after: before.length > 0 ? before : undefined }) : undefined}
      onNext={nextPageToken ? () => onTurn({ after: [...after, nextPageToken] }) : undefined}
    />
  )
}
