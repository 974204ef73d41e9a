/** Search and filters of the map. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { activeFilterCount, type MapSearch } from '#graph/search.ts'
import { all as allTargets, tags as allTags } from '#targets/queries.ts'
import { FilterBar, FilterMenu, FilterToggle } from '#ui/filter-bar.tsx'
import { SeverityGlyph, severityLevels, severityLabels } from '#ui/severity.tsx'

interface MapFiltersProps {
  readonly search: MapSearch
  readonly onSearch: (change: MapSearch) => void
  readonly find: ReactNode
}

const severityOptions = severityLevels.map((level) => ({
  value: level,
  label: severityLabels[level],
  icon: <SeverityGlyph level={level} />,
}))
const statusOptions = [
  { value: 'all', label: 'All' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'ignored', label: 'Ignored' },
] as const
const verificationOptions = [
  { value: 'potential', label: 'Potential' },
  { value: 'all', label: 'Verified and potential' },
] as const

export function MapFilters({ search, onSearch, find }: MapFiltersProps) {
  const targets = useQuery(allTargets()).data?.targets ?? []
  const tags = useQuery(allTags()).data?.tags ?? []
  const { target, tag, severity, status, verification, kev } = search
  return (
    <FilterBar
      activeCount={activeFilterCount(search)}
      onClear={() =>
        onSearch({
          target: undefined,
          tag: undefined,
          severity: undefined,
          status: undefined,
          verification: undefined,
          kev: undefined,
        })
      }
      search={find}
      filters={
        <>
          <FilterMenu
            label="Severity"
            many
            options={severityOptions}
            chosen={(severity ?? []).filter((level) => level !== 'none')}
            onChange={(chosen) => onSearch({ severity: chosen.length > 0 ? chosen : undefined })}
          />
          <FilterMenu
            label="Verification"
            options={verificationOptions}
            chosen={verification && verification !== 'verified' ? [verification] : []}
            onChange={([chosen]) => onSearch({ verification: chosen })}
          />
          <FilterMenu
            label="Status"
            options={statusOptions}
            chosen={status && status !== 'open' ? [status] : []}
            onChange={([chosen]) => onSearch({ status: chosen })}
          />
          <FilterMenu
            label="Target"
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={target ? [target] : []}
            onChange={([chosen]) => onSearch({ target: chosen })}
          />
          {(tags.length > 0 || tag) && (
            <FilterMenu
              label="Tag"
              many
              options={tags.map(({ id, name }) => ({ value: id, label: name }))}
              chosen={tag ?? []}
              onChange={(chosen) => onSearch({ tag: chosen.length > 0 ? chosen : undefined })}
            />
          )}
          <FilterToggle
            label="Exploited in the wild"
            on={kev ?? false}
            onChange={(on) => onSearch({ kev: on || undefined })}
          />
        </>
      }
    />
  )
}
