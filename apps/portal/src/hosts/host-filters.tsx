/** Search and filters of the asset list. */
import { useQuery } from '@tanstack/react-query'
import type { CriticalityParam, HostSearch, SeverityParam } from '#hosts/search.ts'
import { countFilters, withoutFilters } from '#lib/search-schema.ts'
import { detail as oneProduct } from '#products/queries.ts'
import { all as allTargets, tags as tagsQuery } from '#targets/queries.ts'
import { FilterBar, FilterMenu, type FilterOption, SearchField } from '#ui/filter-bar.tsx'
import { SeverityGlyph, severityLevels, severityLabels } from '#ui/severity.tsx'

interface HostFiltersProps {
  readonly search: HostSearch
  readonly onSearch: (search: HostSearch, replace?: boolean) => void
}

const severityOptions: readonly FilterOption<SeverityParam>[] = severityLevels.map((level) => ({
  value: level,
  label: severityLabels[level],
  icon: <SeverityGlyph level={level} className="size-3.5" />,
}))
const criticalityOptions: readonly FilterOption<CriticalityParam>[] = [
  { value: 'high', label: 'High' },
  { value: 'normal', label: 'Normal' },
  { value: 'low', label: 'Low' },
]
const seenOptions: readonly FilterOption<'new' | 'gone'>[] = [
  { value: 'new', label: 'New in the last 7 days' },
  { value: 'gone', label: 'Not seen for 30 days' },
]
export function HostFilters({ search, onSearch }: HostFiltersProps) {
  const { q, target, technology, tag = [], severity = [], criticality = [], age } = search
  const targets = useQuery(allTargets()).data?.targets ?? []
  const tags = useQuery(tagsQuery()).data?.tags ?? []
  const set = (change: HostSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  const some = <Value,>(chosen: readonly Value[]) => (chosen.length > 0 ? chosen : undefined)
  return (
    <FilterBar
      activeCount={countFilters(search)}
      onClear={() => onSearch(withoutFilters(search))}
      search={
        <SearchField
          label="Search assets or port:443"
          value={q ?? ''}
          onChange={(text) => set({ q: text || undefined }, true)}
        />
      }
      filters={
        <>
          <FilterMenu
            label="Target"
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={target ? [target] : []}
            onChange={([chosen]) => set({ target: chosen })}
          />
          {technology && <ProductFilter id={technology} onRemove={() => set({ technology: undefined })} />}
          <FilterMenu
            label="Tag"
            many
            options={tags.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={tag}
            onChange={(chosen) => set({ tag: some(chosen) })}
          />
          <FilterMenu
            label="Severity"
            many
            options={severityOptions}
            chosen={severity}
            onChange={(chosen) => set({ severity: some(chosen) })}
          />
          <FilterMenu
            label="Criticality"
            many
            options={criticalityOptions}
            chosen={criticality}
            onChange={(chosen) => set({ criticality: some(chosen) })}
          />
          <FilterMenu
            label="Seen"
            options={seenOptions}
            chosen={age ? [age] : []}
            onChange={([chosen]) => set({ age: chosen })}
          />
        </>
      }
    />
  )
}

function ProductFilter({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const product = useQuery(oneProduct(id)).data?.product
  const label = product ? `${product.name} ${product.version}`.trim() : '1 technology'
  return <FilterMenu label="Technology" options={[{ value: id, label }]} chosen={[id]} onChange={onRemove} />
}
