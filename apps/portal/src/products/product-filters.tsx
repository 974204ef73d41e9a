/** Search, filters, and sort order of the list of technologies. */
import { useQuery } from '@tanstack/react-query'
import { countFilters, withoutFilters } from '#lib/search-schema.ts'
import {
  type KindParam,
  type ProductSearch,
  type ProductSort,
  type SupportParam,
  defaultSort,
} from '#products/search.ts'
import { all as allTargets } from '#targets/queries.ts'
import { FilterBar, FilterMenu, FilterToggle, SearchField } from '#ui/filter-bar.tsx'
import { SortMenu } from '#ui/sort-menu.tsx'

const supportOptions: readonly { readonly value: SupportParam; readonly label: string }[] = [
  { value: 'past', label: 'Ended' },
  { value: 'soon', label: 'Ends within 90 days' },
  { value: 'supported', label: 'Supported' },
  { value: 'unknown', label: 'Unknown' },
]
const sortOptions: readonly { readonly value: ProductSort; readonly label: string }[] = [
  { value: 'risks', label: 'Highest risk' },
  { value: 'support', label: 'End of support' },
  { value: 'hosts', label: 'Hosts' },
  { value: 'name', label: 'Name' },
]
const kindOptions: readonly { readonly value: KindParam; readonly label: string }[] = [
  { value: 'application', label: 'Application' },
  { value: 'system', label: 'Operating system' },
  { value: 'hardware', label: 'Hardware' },
]

interface ProductFiltersProps {
  readonly search: ProductSearch
  readonly onSearch: (search: ProductSearch, replace?: boolean) => void
}
export function ProductFilters({ search, onSearch }: ProductFiltersProps) {
  const { q, target, asset, vendor, product, kind = [], support = [], risky = false, watched = false, group } = search
  const targets = useQuery(allTargets()).data?.targets ?? []
  const set = (change: ProductSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  return (
    <FilterBar
      activeCount={countFilters(search)}
      onClear={() => onSearch(withoutFilters(search))}
      search={
        <SearchField
          label="Search technologies"
          value={q ?? ''}
          onChange={(text) => set({ q: text || undefined }, true)}
        />
      }
      filters={
        <>
          <FilterMenu
            label="Kind"
            many
            options={kindOptions}
            chosen={kind}
            onChange={(chosen) => set({ kind: chosen.length > 0 ? chosen : undefined })}
          />
          <FilterMenu
            label="Support"
            many
            options={supportOptions}
            chosen={support}
            onChange={(chosen) => set({ support: chosen.length > 0 ? chosen : undefined })}
          />
          <FilterMenu
            label="Target"
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={target ? [target] : []}
            onChange={([chosen]) => set({ target: chosen })}
          />
          {vendor && (
            <FilterMenu
              label="Vendor"
              options={[{ value: vendor, label: vendor }]}
              chosen={[vendor]}
              onChange={() => set({ vendor: undefined })}
            />
          )}
          {product && (
            <FilterMenu
              label="Product"
              options={[{ value: product, label: product }]}
              chosen={[product]}
              onChange={() => set({ product: undefined })}
            />
          )}
          {asset && (
            <FilterMenu
              label="Asset"
              options={[{ value: asset, label: '1 asset' }]}
              chosen={[asset]}
              onChange={() => set({ asset: undefined })}
            />
          )}
          <FilterToggle label="With open risks" on={risky} onChange={(on) => set({ risky: on || undefined })} />
          <FilterToggle label="Watched" on={watched} onChange={(on) => set({ watched: on || undefined })} />
          <FilterToggle label="Group versions" on={group ?? false} onChange={(on) => set({ group: on || undefined })} />
        </>
      }
      sort={
        <span className="max-md:-ml-3">
          <SortMenu options={sortOptions} value={search.sort ?? defaultSort(search)} onSort={(sort) => set({ sort })} />
        </span>
      }
    />
  )
}
