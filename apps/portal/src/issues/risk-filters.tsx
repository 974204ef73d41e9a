/** Search, filters, sort order, columns, and export of a risk list. */
import { useQuery } from '@tanstack/react-query'
import type { IssueFilter, Verification } from '@glacis/contract/issue'
import { Columns3 } from 'lucide-react'
import { detail as oneHost } from '#hosts/queries.ts'
import { columnLabels, optionalColumns, toggleColumn, useColumns } from '#issues/columns.ts'
import { ExportMenu } from '#issues/export-menu.tsx'
import { MoreFilters } from '#issues/more-filters.tsx'
import { defaultSort, filterCount, type RiskSearch, sortOptions, withoutFilters } from '#issues/search.ts'
import { formatDate } from '#lib/format.ts'
import type { ReactNode } from 'react'
import { detail as oneProduct } from '#products/queries.ts'
import { detail as oneScan } from '#scans/queries.ts'
import { all as allTargets, tags as allTags } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { FilterBar, FilterMenu, FilterToggle, SearchField } from '#ui/filter-bar.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'
import { SortMenu } from '#ui/sort-menu.tsx'
import { SeverityGlyph, severityLevels, severityLabels } from '#ui/severity.tsx'

interface RiskFiltersProps {
  readonly search: RiskSearch
  readonly verification: Verification | undefined
  /** The search as an API filter, for exports. */
  readonly filter: IssueFilter
  /** Shown next to "Clear filters". */
  readonly aside?: ReactNode
  readonly onSearch: (search: RiskSearch, options?: { readonly replace: boolean }) => void
  readonly isSelecting: boolean
  readonly onToggleSelecting: () => void
}

const severityOptions = [...severityLevels, 'none' as const].map((level) => ({
  value: level,
  label: severityLabels[level],
  icon: <SeverityGlyph level={level} />,
}))

/** Host, scan, and technology filters have no menu; they come from links on those pages. */
export function RiskFilters({
  search,
  verification,
  filter,
  onSearch,
  isSelecting,
  onToggleSelecting,
  aside,
}: RiskFiltersProps) {
  const usual = defaultSort(verification)
  const set = (change: RiskSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, { replace })
  const targets = useQuery(allTargets()).data?.targets ?? []
  const tags = useQuery(allTags()).data?.tags ?? []
  const { severity, target, kev, q, asset, scan, technology } = search
  return (
    <FilterBar
      activeCount={filterCount(search)}
      onClear={() => onSearch(withoutFilters(search))}
      search={
        <SearchField label="Search risks" value={q ?? ''} onChange={(text) => set({ q: text || undefined }, true)} />
      }
      filters={
        <>
          <FilterMenu
            label="Severity"
            many
            options={severityOptions}
            chosen={severity ?? []}
            onChange={(chosen) => set({ severity: chosen.length > 0 ? chosen : undefined })}
          />
          <FilterMenu
            label="Target"
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={target ? [target] : []}
            onChange={([chosen]) => set({ target: chosen })}
          />
          <FilterToggle
            label="Exploited in the wild"
            on={kev ?? false}
            onChange={(on) => set({ kev: on || undefined })}
          />
          <MoreFilters search={search} tags={tags} set={set} />
          {asset && <HostFilter id={asset} onRemove={() => set({ asset: undefined })} />}
          {technology && <ProductFilter id={technology} onRemove={() => set({ technology: undefined })} />}
          {scan && <ScanFilter id={scan} onRemove={() => set({ scan: undefined })} />}
        </>
      }
      sort={
        <span className="flex items-center gap-1 max-md:-mx-3">
          {aside}
          <span className="max-md:mr-auto">
            <SortMenu
              options={sortOptions}
              value={search.sort ?? usual}
              onSort={(sort) => set({ sort: sort === usual ? undefined : sort })}
            />
          </span>
          <ColumnMenu />
          <ExportMenu filter={filter} />
          <Button
            variant="ghost"
            size="sm"
            aria-pressed={isSelecting}
            className="md:hidden"
            onClick={onToggleSelecting}
          >
            Select
          </Button>
        </span>
      }
    />
  )
}

function ColumnMenu() {
  const chosen = useColumns()
  return (
    <span className="max-md:hidden">
      <Menu label="Columns" button={<Columns3 />} variant="ghost" size="sm" square>
        {optionalColumns.map((column) => (
          <MenuChoice
            key={column}
            kind="checkbox"
            checked={chosen.includes(column)}
            onClick={() => toggleColumn(column)}
          >
            {columnLabels[column]}
          </MenuChoice>
        ))}
      </Menu>
    </span>
  )
}

interface ChipProps {
  readonly id: string
  readonly onRemove: () => void
}
function HostFilter({ id, onRemove }: ChipProps) {
  const host = useQuery(oneHost(id)).data?.host
  return (
    <FilterMenu
      label="Asset"
      options={[{ value: id, label: host?.name ?? host?.address ?? '1 asset' }]}
      chosen={[id]}
      onChange={onRemove}
    />
  )
}

function ProductFilter({ id, onRemove }: ChipProps) {
  const product = useQuery(oneProduct(id)).data?.product
  const label = product ? `${product.name} ${product.version}`.trim() : '1 technology'
  return <FilterMenu label="Technology" options={[{ value: id, label }]} chosen={[id]} onChange={onRemove} />
}

function ScanFilter({ id, onRemove }: ChipProps) {
  const scan = useQuery(oneScan(id)).data?.scan
  const label = scan ? `${scan.target?.name ?? 'Deleted target'}, ${formatDate(scan.createTime)}` : '1 scan'
  return <FilterMenu label="Scan" options={[{ value: id, label }]} chosen={[id]} onChange={onRemove} />
}
