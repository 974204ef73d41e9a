/** `/scans`, the screen "Reporting". */
import type { Scan } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useKeys } from '#lib/keyboard.ts'
import { focusedRow, clickKeys } from '#lib/page-keys.ts'
import { denialOf } from '#lib/role.ts'
import { countFilters, withoutFilters } from '#lib/search-schema.ts'
import { CancelScan } from '#scans/cancel-scan.tsx'
import { isActive, list, reportUrl } from '#scans/queries.ts'
import { type ScanAge, type ScanSearch, type ScanStatusParam, type ScanTypeParam, scansInput } from '#scans/search.ts'
import { ScanTable } from '#scans/scan-table.tsx'
import { StartScanButton } from '#scans/start-scan.tsx'
import { all as allTargets } from '#targets/queries.ts'
import { ButtonLink } from '#ui/button.tsx'
import { FilterBar, FilterMenu } from '#ui/filter-bar.tsx'
import { ListBody, ListPager } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/scans')

/** All scans with their reports; polled every 5 s while one is active. */
export function ScanListPage() {
  const search: ScanSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: ScanSearch) => void navigate({ search: to, resetScroll: false })
  const query = useQuery(list(scansInput(search)))
  const [cancelling, setCancelling] = useState<Scan>()
  const scans = query.data?.scans
  const isFiltered = countFilters(search) > 0
  const isEmpty = scans?.length === 0 && !isFiltered
  useListKeys(scans, setCancelling)
  return (
    <div className="pg flex grow flex-col">
      <PageHead title="Reporting" description="All scans and their reports." actions={<StartScanButton />} />
      {isEmpty ? <div className="h-4.5" /> : <ScanFilters search={search} onSearch={go} />}
      <ListBody
        what="Scans"
        query={query}
        count={scans?.length}
        isFiltered={isFiltered}
        onClear={() => go(withoutFilters(search))}
        empty={<NoScans />}
      >
        <ScanTable scans={scans} onCancel={setCancelling} />
      </ListBody>
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={scans?.length ?? 0}
        page={query.data}
        onTurn={(to) => go({ ...search, ...to })}
      />
      <CancelScan scan={cancelling} onClose={() => setCancelling(undefined)} />
    </div>
  )
}

function NoScans() {
  const { data, isPending } = useQuery(allTargets())
  if (isPending) return null
  const hasTargets = data?.targets.length !== 0
  return (
    <EmptyState icon={<FileText />} title="No scans yet" actions={hasTargets ? <StartScanButton /> : <AddTarget />}>
      Scans check your targets for risks and produce reports.{' '}
      {hasTargets ? 'Start one now, or wait for the schedule.' : 'Add a target to scan it.'}
    </EmptyState>
  )
}

function AddTarget() {
  return (
    <ButtonLink to="/scope" search={{ create: true }} call="createTarget" variant="primary" size="sm" icon={<Plus />}>
      Add target
    </ButtonLink>
  )
}

/** `n` starts a scan; for the focused row, `d` downloads the report and `c` cancels after confirmation. */
function useListKeys(scans: readonly Scan[] | undefined, cancel: (scan: Scan) => void): void {
  const keys = useMemo(() => {
    const focused = () => scans?.find(({ id }) => id === focusedRow())
    const download = () => {
      const scan = focused()
      if (scan?.status === 'STATUS_COMPLETED') location.assign(reportUrl(scan.id))
    }
    const confirmCancel = () => {
      const scan = focused()
      if (scan && isActive(scan) && !denialOf('cancelScan')) cancel(scan)
    }
    return { ...clickKeys('n'), d: download, c: confirmCancel }
  }, [scans, cancel])
  useKeys(keys)
}

const statusOptions: readonly { readonly value: ScanStatusParam; readonly label: string }[] = [
  { value: 'created', label: 'Created' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'cancelled', label: 'Canceled' },
  { value: 'failed', label: 'Failed' },
]
const typeOptions: readonly { readonly value: ScanTypeParam; readonly label: string }[] = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'manual', label: 'Manual' },
  { value: 'emerging', label: 'Emerging' },
]

const ageOptions: readonly { readonly value: ScanAge; readonly label: string }[] = [
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'Last 30 days' },
]

function ScanFilters({
  search,
  onSearch,
}: {
  readonly search: ScanSearch
  readonly onSearch: (search: ScanSearch) => void
}) {
  const { target, status = [], type = [], since } = search
  const targets = useQuery(allTargets()).data?.targets ?? []
  const set = (change: ScanSearch) => onSearch({ ...search, after: undefined, ...change })
  return (
    <FilterBar
      activeCount={countFilters(search)}
      onClear={() => onSearch(withoutFilters(search))}
      filters={
        <>
          <FilterMenu
            label="Target"
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={target ? [target] : []}
            onChange={([chosen]) => set({ target: chosen })}
          />
          <FilterMenu
            label="Status"
            many
            options={statusOptions}
            chosen={status}
            onChange={(chosen) => set({ status: chosen.length > 0 ? chosen : undefined })}
          />
          <FilterMenu
            label="Type"
            many
            options={typeOptions}
            chosen={type}
            onChange={(chosen) => set({ type: chosen.length > 0 ? chosen : undefined })}
          />
          <FilterMenu
            label="Started"
            options={ageOptions}
            chosen={since ? [since] : []}
            onChange={([chosen]) => set({ since: chosen })}
          />
        </>
      }
    />
  )
}
