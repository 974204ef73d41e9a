/** A list of issues with its filters, its bulk bar and its pages; the address holds the state. */
import type { Verification } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { BulkBar } from '#issues/bulk-bar.tsx'
import { IssueTable } from '#issues/issue-table.tsx'
import { list } from '#issues/queries.ts'
import { RiskFilters } from '#issues/risk-filters.tsx'
import { hasFilters, issuesInput, type RiskSearch, withoutFilters } from '#issues/search.ts'
import { keepShown, nothingSelected, pick, pickAll } from '#issues/selection.ts'
import { ListBody, ListPager } from '#ui/list.tsx'

export interface IssueListProps {
  readonly search: RiskSearch
  /** Whose issues, where the path says so and not the search. */
  readonly place?: Pick<RiskSearch, 'target' | 'asset'>
  /** Changes the address; `replace` while somebody types. */
  readonly onSearch: (search: RiskSearch, options?: { readonly replace: boolean }) => void
  /** Left out, verified and potential issues stand together and the potential ones are marked. */
  readonly verification?: Verification
  /** The tools row; the filters of a risk list unless given. */
  readonly tools?: ReactNode
  /** How many the tab holds, as far as another call has told. */
  readonly total?: number | undefined
  readonly hidesHosts?: boolean
  readonly empty: ReactNode
}

/** Everything under the tabs of a risk list. */
export function IssueList({ search, place, onSearch, verification, tools, total, hidesHosts, empty }: IssueListProps) {
  const query = useQuery(list(issuesInput({ ...search, ...place }, verification)))
  const [picked, setPicked] = useState(nothingSelected)
  const [isPicking, setIsPicking] = useState(false)
  const issues = query.data?.issues
  const rows = issues?.map(({ id }) => id) ?? []
  const selection = keepShown(picked, rows)
  const isFiltered = hasFilters(search)
  const change = (to: RiskSearch) => onSearch({ ...search, after: undefined, ...to })
  return (
    <>
      {selection.ids.size > 0 ? (
        <BulkBar
          issues={issues?.filter(({ id }) => selection.ids.has(id)) ?? []}
          onKeep={(ids) => setPicked({ ids: new Set(ids), anchor: undefined })}
        />
      ) : (
        (tools ?? (
          <RiskFilters
            search={search}
            onSearch={onSearch}
            isPicking={isPicking}
            onPicking={() => setIsPicking(!isPicking)}
          />
        ))
      )}
      <ListBody
        what="Risks"
        query={query}
        count={issues?.length}
        isFiltered={isFiltered}
        onClear={() => onSearch(withoutFilters(search))}
        empty={empty}
      >
        <IssueTable
          label="Risks"
          issues={issues}
          sort={search.sort ?? 'recent'}
          onSort={(sort) => change({ sort: sort === 'recent' ? undefined : sort })}
          isMixed={verification === undefined}
          hidesHosts={hidesHosts ?? false}
          picking={{
            selection,
            isOnPhone: isPicking || selection.ids.size > 0,
            onPick: (id, isRange) => setPicked(pick(selection, rows, id, isRange)),
            onPickAll: () => setPicked(pickAll(selection, rows)),
            onClear: () => setPicked(nothingSelected),
          }}
        />
      </ListBody>
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={rows.length}
        page={query.data}
        total={isFiltered ? undefined : total}
        onTurn={(to) => onSearch({ ...search, ...to })}
      />
    </>
  )
}
