/** The "Risks" tabs of a target and of a host. */
import { getRouteApi } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { IssueList } from '#issues/issue-list.tsx'
import { defaultSort, type RiskSearch, type RiskTab, riskTabs, sortOptions } from '#issues/search.ts'
import { FilterBar, SearchField } from '#ui/filter-bar.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'
import { SortMenu } from '#ui/sort-menu.tsx'
import { EmptyState } from '#ui/states.tsx'

const targetRoute = getRouteApi('/_auth/scope/$id/issues')
const hostRoute = getRouteApi('/_auth/assets/$id/issues')

/** `/scope/{id}/issues` */
export function TargetIssuesPage() {
  const { id } = targetRoute.useParams()
  const search = targetRoute.useSearch()
  const navigate = targetRoute.useNavigate()
  return (
    <ChildList
      search={search}
      parent={{ target: id }}
      onSearch={(to, replace) => void navigate({ search: to, replace, resetScroll: false })}
    />
  )
}

/** `/assets/{id}/issues` */
export function HostIssuesPage() {
  const { id } = hostRoute.useParams()
  const search = hostRoute.useSearch()
  const navigate = hostRoute.useNavigate()
  return (
    <ChildList
      search={search}
      parent={{ asset: id }}
      onSearch={(to, replace) => void navigate({ search: to, replace, resetScroll: false })}
    />
  )
}

type ChildSearch = Pick<RiskSearch, 'status' | 'q' | 'sort' | 'size' | 'after'>
interface ChildListProps {
  readonly search: ChildSearch
  /** The target or host, which is in the path rather than the search. */
  readonly parent: Pick<RiskSearch, 'target' | 'asset'>
  readonly onSearch: (search: ChildSearch, replace: boolean) => void
}

function ChildList({ search, parent, onSearch }: ChildListProps) {
  const set = (change: ChildSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  const tab = search.status ?? 'open'
  return (
    <IssueList
      key={tab}
      search={search}
      parent={parent}
      onSearch={({ status, q, sort, size, after }, options) =>
        onSearch({ status, q, sort, size, after }, options?.replace ?? false)
      }
      hidesHosts={parent.asset !== undefined}
      tools={
        <FilterBar
          filters={
            <SegmentedControl label="Status" options={tabs} value={tab} onChange={(status) => set({ status })} />
          }
          search={
            <SearchField
              label="Search risks"
              value={search.q ?? ''}
              onChange={(q) => set({ q: q || undefined }, true)}
            />
          }
          sort={
            <span className="max-md:-ml-3">
              <SortMenu
                options={sortOptions}
                value={search.sort ?? defaultSort(undefined)}
                onSort={(sort) => set({ sort })}
              />
            </span>
          }
        />
      }
      empty={
        <EmptyState
          icon={<ShieldCheck />}
          title={tab === 'open' ? 'No open risks' : `No ${tab === 'all' ? '' : tab} risks`}
        >
          {tab === 'open' && 'New risks appear here when a scan finds them.'}
        </EmptyState>
      }
    />
  )
}

const tabs: readonly { readonly value: RiskTab; readonly label: string }[] = riskTabs.map((value) => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1),
}))
