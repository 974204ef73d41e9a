/** Filter bar of the scope list. */
import { useQuery } from '@tanstack/react-query'
import { all as allAgents } from '#agents/queries.ts'
import { countFilters, withoutFilters } from '#lib/search-schema.ts'
import { tags as tagsQuery } from '#targets/queries.ts'
import { type ScheduleParam, type ScopeSearch, stateLabels, type StateParam } from '#targets/search.ts'
import { members } from '#workspaces/queries.ts'
import { FilterBar, FilterMenu, SearchField } from '#ui/filter-bar.tsx'

const schedules: readonly { readonly value: ScheduleParam; readonly label: string }[] = [
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
]

const states = (Object.keys(stateLabels) as StateParam[]).map((value) => ({ value, label: stateLabels[value] }))

interface TargetFiltersProps {
  readonly search: ScopeSearch
  readonly onSearch: (search: ScopeSearch, replace?: boolean) => void
}

export function TargetFilters({ search, onSearch }: TargetFiltersProps) {
  const { q, tag = [], schedule = [], agent, owner, state = [] } = search
  const agents = useQuery(allAgents()).data?.agents ?? []
  const people = useQuery(members()).data?.members ?? []
  const tags = useQuery(tagsQuery()).data?.tags ?? []
  const set = (change: ScopeSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  return (
    <FilterBar
      activeCount={countFilters(search)}
      onClear={() => onSearch(withoutFilters(search))}
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
          <FilterMenu
            label="State"
            many
            options={states}
            chosen={state}
            onChange={(chosen) => set({ state: chosen.length > 0 ? [...chosen] : undefined })}
          />
          {(people.length > 1 || owner) && (
            <FilterMenu
              label="Owner"
              options={people.map(({ id, name }) => ({ value: id, label: name }))}
              chosen={owner ? [owner] : []}
              onChange={([chosen]) => set({ owner: chosen })}
            />
          )}
          {(agents.length > 0 || agent) && (
            <FilterMenu
              label="Agent"
              options={[
                { value: 'any', label: 'Any agent' },
                { value: 'none', label: 'None' },
                ...agents.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              chosen={agent ? [agent] : []}
              onChange={([chosen]) => set({ agent: chosen })}
            />
          )}
        </>
      }
    />
  )
}
