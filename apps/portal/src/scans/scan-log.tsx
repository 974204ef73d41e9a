/** The log of a scan. */
import type { Scan, ScanEvent } from '@glacis/contract/scan'
import { useMutation, useQuery } from '@tanstack/react-query'
import { FileDown } from 'lucide-react'
import { events, isActive, fetchLog } from '#scans/queries.ts'
import type { ScanPartSearch } from '#scans/search.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { FilterBar, FilterMenu, SearchField } from '#ui/filter-bar.tsx'
import { ListBody } from '#ui/list.tsx'
import { AbsoluteTime } from '#ui/relative-time.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

const levels: Readonly<
  Record<ScanEvent['level'], { readonly word: string; readonly variant: 'gray' | 'yellow' | 'red' }>
> = {
  LEVEL_INFO: { word: 'Info', variant: 'gray' },
  LEVEL_WARN: { word: 'Warning', variant: 'yellow' },
  LEVEL_ERROR: { word: 'Error', variant: 'red' },
}
const choices = { warn: 'LEVEL_WARN', error: 'LEVEL_ERROR' } as const

interface ScanLogProps {
  readonly scan: Scan
  readonly search: ScanPartSearch
  readonly onSearch: (search: ScanPartSearch, replace?: boolean) => void
}

/** Oldest entry first; polled while the scan runs. */
export function ScanLog({ scan, search, onSearch }: ScanLogProps) {
  const { q, level } = search
  const filter = { query: q || undefined, level: level && choices[level] }
  const query = useQuery(events({ id: scan.id, filter }, { isRunning: isActive(scan) }))
  const clear = () => onSearch({ ...search, q: undefined, level: undefined })
  const shown = query.data?.events
  return (
    <section aria-label="Log">
      <FilterBar
        search={
          <SearchField
            label="Search the log"
            value={q ?? ''}
            onChange={(text) => onSearch({ ...search, q: text || undefined }, true)}
          />
        }
        activeCount={[q, level].filter(Boolean).length}
        onClear={clear}
        filters={
          <FilterMenu
            label="Level"
            options={[
              { value: 'warn', label: 'Warnings and errors' },
              { value: 'error', label: 'Errors' },
            ]}
            chosen={level ? [level] : []}
            onChange={([chosen]) => onSearch({ ...search, level: chosen })}
          />
        }
        sort={<Download scan={scan} />}
      />
      <ListBody
        what="The log"
        query={query}
        count={shown?.length}
        isFiltered={Boolean(q || level)}
        onClear={clear}
        empty={<EmptyState title="No log entries yet">The scan writes its log as it runs.</EmptyState>}
      >
        <Table label="Log">
          <thead>
            <tr>
              <HeaderCell width={190}>Time</HeaderCell>
              <HeaderCell width={100}>Level</HeaderCell>
              <HeaderCell>Message</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {!shown && <SkeletonRows rows={6} columns={3} />}
            {shown?.map((event) => (
              <tr key={event.id} className="md:[&>td]:py-2! md:[&>td]:align-top">
                <Cell label="Time" quiet className="tabular-nums">
                  <AbsoluteTime value={event.time} seconds />
                </Cell>
                <Cell label="Level">
                  <Badge variant={levels[event.level].variant}>{levels[event.level].word}</Badge>
                </Cell>
                <Cell label="Message" primary className="py-2! whitespace-normal! wrap-anywhere">
                  {event.message}
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </ListBody>
    </section>
  )
}

/** Downloads the complete log, ignoring the filters. */
function Download({ scan }: { readonly scan: Scan }) {
  const saving = useMutation({
    mutationFn: () => fetchLog(scan.id),
    onSuccess: (text) => saveText(`glacis-scan-${scan.id}.log`, text),
  })
  return (
    <Button size="sm" icon={<FileDown />} loading={saving.isPending} onClick={() => saving.mutate()}>
      Download log
    </Button>
  )
}

/** Downloads text as a file. */
function saveText(filename: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  URL.revokeObjectURL(url)
}
