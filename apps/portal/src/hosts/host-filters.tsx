/** The tools row of the asset list. */
import { useQuery } from '@tanstack/react-query'
import type { CriticalityWord, HostSearch, SeverityWord } from '#hosts/search.ts'
import { one as oneProduct } from '#products/queries.ts'
import { all as allTargets, tags as tagsQuery } from '#targets/queries.ts'
import { FilterBar, FilterMenu, type FilterOption, SearchField } from '#ui/filter-bar.tsx'
import { SeverityGlyph, severityLevels, severityWords } from '#ui/severity.tsx'

interface HostFiltersProps {
  readonly search: HostSearch
  readonly onSearch: (search: HostSearch, replace?: boolean) => void
}

const severities: readonly FilterOption<SeverityWord>[] = severityLevels.map((level) => ({
  value: level,
  label: severityWords[level],
  icon: <SeverityGlyph level={level} className="size-3.5" />,
}))
const criticalities: readonly FilterOption<CriticalityWord>[] = [
  { value: 'high', label: 'High' },
  { value: 'normal', label: 'Normal' },
  { value: 'low', label: 'Low' },
]
const ages: readonly FilterOption<'new' | 'gone'>[] = [
  { value: 'new', label: 'New in 7 days' },
  { value: 'gone', label: 'Not seen in 30 days' },
]
const nothing: HostSearch = {
  q: undefined,
  target: undefined,
  technology: undefined,
  tag: undefined,
  severity: undefined,
  criticality: undefined,
  age: undefined,
}

export function HostFilters({ search, onSearch }: HostFiltersProps) {
  const { q, target, technology, tag = [], severity = [], criticality = [], age } = search
  const targets = useQuery(allTargets()).data?.targets ?? []
  const tags = useQuery(tagsQuery()).data?.tags ?? []
  const set = (change: HostSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  const some = <Value,>(chosen: readonly Value[]) => (chosen.length > 0 ? chosen : undefined)
  return (
    <FilterBar
      activeCount={[q, target, technology, tag.length, severity.length, criticality.length, age].filter(Boolean).length}
      onClear={() => set(nothing)}
      search={
        <SearchField
          label="Search, or port:443"
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
            options={severities}
            chosen={severity}
            onChange={(chosen) => set({ severity: some(chosen) })}
          />
          <FilterMenu
            label="Criticality"
            many
            options={criticalities}
            chosen={criticality}
            onChange={(chosen) => set({ criticality: some(chosen) })}
          />
          <FilterMenu
            label="Seen"
            options={ages}
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
  const label = product ? `${product.name} ${product.version}`.trim() : 'one technology'
  return <FilterMenu label="Technology" options={[{ value: id, label }]} chosen={[id]} onChange={onRemove} />
}
