/** The tools row of the scope list. */
import { useQuery } from '@tanstack/react-query'
import { tags as tagsQuery } from '#targets/queries.ts'
import type { ScheduleWord, ScopeSearch } from '#targets/search.ts'
import { FilterBar, FilterMenu, SearchField } from '#ui/filter-bar.tsx'

const schedules: readonly { readonly value: ScheduleWord; readonly label: string }[] = [
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
]

interface TargetFiltersProps {
  readonly search: ScopeSearch
  readonly onSearch: (search: ScopeSearch, replace?: boolean) => void
}

export function TargetFilters({ search, onSearch }: TargetFiltersProps) {
  const { q, tag = [], schedule = [] } = search
  const tags = useQuery(tagsQuery()).data?.tags ?? []
  const set = (change: ScopeSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  return (
    <FilterBar
      activeCount={[q, tag.length, schedule.length].filter(Boolean).length}
      onClear={() => set({ q: undefined, tag: undefined, schedule: undefined })}
      search={
        <SearchField label="Search targets" value={q ?? ''} onChange={(text) => set({ q: text || undefined }, true)} />
      }
      filters={
        <>
          <FilterMenu
            label="Tag"
            many
            options={tags.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={tag}
            onChange={(chosen) => set({ tag: chosen.length > 0 ? [...chosen] : undefined })}
          />
          <FilterMenu
            label="Schedule"
            many
            options={schedules}
            chosen={schedule}
            onChange={(chosen) => set({ schedule: chosen.length > 0 ? [...chosen] : undefined })}
          />
        </>
      }
    />
  )
}
