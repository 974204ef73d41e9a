/** What the list of technologies can be narrowed to, and in which order it stands. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { EndOfLife, listProducts, ProductFilter, ProductOrder } from '@glacis/contract/inventory'
import { useQuery } from '@tanstack/react-query'
import { ArrowDownWideNarrow, ChevronDown } from 'lucide-react'
import type { z } from 'zod'
import { type KindWord, parts } from '#products/words.ts'
import { all as allTargets } from '#targets/queries.ts'
import { buttonClass } from '#ui/button.tsx'
import { FilterBar, FilterMenu, FilterToggle, SearchField } from '#ui/filter-bar.tsx'
import { Menu, MenuChoice } from '#ui/menu.tsx'

export type SupportWord = 'past' | 'soon' | 'supported' | 'unknown'
export type ProductSort = 'name' | 'support' | 'risks' | 'hosts'

/** What the address of the list may carry. */
export interface ProductSearch {
  readonly q?: string | undefined
  readonly target?: string | undefined
  readonly asset?: string | undefined
  readonly vendor?: string | undefined
  /** With the vendor: all versions of one product. */
  readonly product?: string | undefined
  readonly kind?: readonly KindWord[] | undefined
  readonly support?: readonly SupportWord[] | undefined
  readonly risky?: boolean | undefined
  readonly watched?: boolean | undefined
  readonly watch?: boolean | undefined
  /** Versions stand below their product. */
  readonly group?: boolean | undefined
  readonly sort?: ProductSort | undefined
  readonly size?: 25 | 50 | 100 | 500 | undefined
  readonly after?: readonly string[] | undefined
}

const states: Readonly<Record<SupportWord, z.infer<typeof EndOfLife>['state']>> = {
  past: 'STATE_PAST',
  soon: 'STATE_SOON',
  supported: 'STATE_SUPPORTED',
  unknown: 'STATE_UNKNOWN',
}
const orders: Readonly<Record<ProductSort, z.infer<typeof ProductOrder>>> = {
  name: 'ORDER_BY_NAME',
  support: 'ORDER_BY_END_OF_LIFE',
  risks: 'ORDER_BY_SEVERITY',
  hosts: 'ORDER_BY_HOSTS',
}

/**
 * What the API is asked for. The worst comes first, unless somebody wants it otherwise; by name where versions are
 * grouped, so that those of a product come together on a page.
 */
export function productsInput(search: ProductSearch): InputOf<typeof listProducts> {
  const { sort, size, after, group } = search
  return {
    pageSize: size ?? 25,
    pageToken: after?.at(-1),
    orderBy: orders[sort ?? usualSort({ group })],
    filter: filterOf(search),
  }
}

/** By name, versions of one product come together. */
function usualSort({ group }: Pick<ProductSearch, 'group'>): ProductSort {
  return group ? 'name' : 'risks'
}

/** The filter alone, for a file of all that match. */
export function filterOf(search: ProductSearch): ProductFilter {
  const { q, target, asset, vendor, product, kind, support, risky, watched } = search
  return {
    query: q || undefined,
    vendor,
    product,
    targetId: target,
    hostId: asset,
    hasIssues: risky,
    watched,
    parts: kind?.map((word) => parts[word]),
    endOfLife: support?.map((word) => states[word]),
  }
}

/** True where something narrows the list. */
export function isNarrowed(search: ProductSearch): boolean {
  const { q, target, asset, vendor, product, kind, support, risky, watched } = search
  return Boolean(q || target || asset || vendor || product || kind?.length || support?.length || risky || watched)
}

const supportOptions: readonly { readonly value: SupportWord; readonly label: string }[] = [
  { value: 'past', label: 'Ended' },
  { value: 'soon', label: 'Ends within 90 days' },
  { value: 'supported', label: 'Supported' },
  { value: 'unknown', label: 'Unknown' },
]
const sortOptions: readonly { readonly value: ProductSort; readonly label: string }[] = [
  { value: 'risks', label: 'Worst risks' },
  { value: 'support', label: 'End of support' },
  { value: 'hosts', label: 'Hosts' },
  { value: 'name', label: 'Name' },
]
const kindOptions: readonly { readonly value: KindWord; readonly label: string }[] = [
  { value: 'application', label: 'Application' },
  { value: 'system', label: 'Operating system' },
  { value: 'hardware', label: 'Hardware' },
]

interface ProductFiltersProps {
  readonly search: ProductSearch
  readonly onSearch: (search: ProductSearch, replace?: boolean) => void
}
/** Search, filters and order. */
export function ProductFilters({ search, onSearch }: ProductFiltersProps) {
  const {
    q,
    target,
    asset,
    vendor,
    product,
    kind = [],
    support = [],
    risky = false,
    watched = false,
    sort,
    group,
  } = search
  const targets = useQuery(allTargets()).data?.targets ?? []
  const set = (change: ProductSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  return (
    <FilterBar
      activeCount={
        [q, target, asset, vendor, product, kind.length, support.length, risky, watched].filter(Boolean).length
      }
      onClear={() => onSearch({ size: search.size, sort, group })}
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
              options={[{ value: asset, label: 'one asset' }]}
              chosen={[asset]}
              onChange={() => set({ asset: undefined })}
            />
          )}
          <FilterToggle label="With open risks" on={risky} onChange={(on) => set({ risky: on || undefined })} />
          <FilterToggle label="Watched" on={watched} onChange={(on) => set({ watched: on || undefined })} />
          <FilterToggle label="Group versions" on={group ?? false} onChange={(on) => set({ group: on || undefined })} />
        </>
      }
      sort={<SortMenu search={search} onSort={(chosen) => set({ sort: chosen })} />}
    />
  )
}

/** The order in words; while nobody has chosen one it follows from what is shown. */
function SortMenu({
  search: { sort, group },
  onSort,
}: Pick<ProductFiltersProps, 'search'> & { readonly onSort: (sort: ProductSort) => void }) {
  const present = sort ?? usualSort({ group })
  const label = sortOptions.find(({ value }) => value === present)?.label
  return (
    <Menu
      label={`Sort: ${label}`}
      buttonClassName={buttonClass({ variant: 'ghost', size: 'sm' })}
      button={
        <>
          <ArrowDownWideNarrow aria-hidden="true" />
          {label}
          <ChevronDown className="size-3.5 text-ink-3" aria-hidden="true" />
        </>
      }
    >
      {sortOptions.map(({ value, label: word }) => (
        <MenuChoice key={value} checked={present === value} onClick={() => onSort(value)}>
          {word}
        </MenuChoice>
      ))}
    </Menu>
  )
}
