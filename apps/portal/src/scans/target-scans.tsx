/** `/scope/{id}/scans` */
import type { Scan } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { useState } from 'react'
import { CancelScan } from '#scans/cancel-scan.tsx'
import { list } from '#scans/queries.ts'
import { scansInput } from '#scans/search.ts'
import { ScanTable } from '#scans/scan-table.tsx'
import { ListBody, ListPager } from '#ui/list.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/scope/$id/scans')

export function TargetScansPage() {
  const { id } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(list(scansInput({ target: id, size: search.size, after: search.after })))
  const [cancelling, setCancelling] = useState<Scan>()
  const scans = query.data?.scans
  return (
    <>
      <ListBody
        what="Scans"
        query={query}
        count={scans?.length}
        empty={
          <EmptyState icon={<FileText />} title="No scans yet">
            This target hasn't been scanned. Start a scan above, or wait for its schedule.
          </EmptyState>
        }
      >
        <ScanTable scans={scans} hidesTarget onCancel={setCancelling} />
      </ListBody>
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={scans?.length ?? 0}
        page={query.data}
        onTurn={(to) => void navigate({ search: (before) => ({ ...before, ...to }), resetScroll: false })}
      />
      <CancelScan scan={cancelling} onClose={() => setCancelling(undefined)} />
    </>
  )
}
