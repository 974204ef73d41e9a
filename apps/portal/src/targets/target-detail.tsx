/** `/scope/{id}`: the head and the tabs of a target; its children stand below. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { openNow } from '#issues/queries.ts'
import { list as scanList } from '#scans/queries.ts'
import { DeleteTarget } from '#targets/delete-target.tsx'
import { one } from '#targets/queries.ts'
import { ScanButton, useActiveScan } from '#targets/scan-button.tsx'
import { TagList } from '#targets/target-table.tsx'
import { TargetForm } from '#targets/target-form.tsx'
import { Button } from '#ui/button.tsx'
import { progressWords, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { totalOf } from '#ui/list.tsx'
import { Menu, MenuAction } from '#ui/menu.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'

const route = getRouteApi('/_auth/scope/$id')

/** Everything about one target, in four tabs. */
export function TargetDetailPage() {
  const { id } = route.useParams()
  const { target } = useSuspenseQuery(one(id)).data
  const navigate = useNavigate()
  const scan = useActiveScan(id)
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={target.name}
        crumbs={<Crumb to="/scope">Scope</Crumb>}
        here={target.name}
        aside={<TagList tags={target.tags} />}
        actions={
          <>
            <span className="max-md:flex-none!">
              <Menu label="More actions" square button={<Ellipsis aria-hidden="true" />}>
                <MenuAction danger icon={<Trash2 />} onClick={() => setDialog('delete')}>
                  Delete
                </MenuAction>
              </Menu>
            </span>
            <Button size="sm" icon={<Pencil />} onClick={() => setDialog('edit')}>
              Edit
            </Button>
            <ScanButton targetId={id} activeScan={scan} />
          </>
        }
      />
      {scan && (
        <div className="grid gap-1.5 px-(--gl-gutter) pt-2">
          <p className="text-12 text-ink-2">{progressWords(scan)}</p>
          {scan.status === 'STATUS_RUNNING' && <ScanProgressBar scan={scan} />}
        </div>
      )}
      <TargetTabs id={id} hostCount={target.hostCount} />
      <Outlet />
      <TargetForm open={dialog === 'edit'} target={target} onClose={close} />
      <DeleteTarget
        target={dialog === 'delete' ? target : undefined}
        onClose={close}
        onDeleted={() => navigate({ to: '/scope', replace: true })}
      />
    </div>
  )
}

interface TargetTabsProps {
  readonly id: string
  readonly hostCount: number | undefined
}
function TargetTabs({ id, hostCount }: TargetTabsProps) {
  const issueCount = useQuery(openNow({ affectedTargetId: id })).data
  const scans = useQuery(scanList({ pageSize: 25, filter: { targetId: id } })).data
  const scanCount = totalOf(scans, scans?.scans.length ?? 0)
  return (
    <Tabs label="Target">
      <Tab to="/scope/$id" params={{ id }} activeOptions={{ exact: true, includeSearch: false }}>
        Overview
      </Tab>
      <Tab to="/scope/$id/scans" params={{ id }} activeOptions={{ includeSearch: false }} count={scanCount}>
        Scans
      </Tab>
      <Tab to="/scope/$id/issues" params={{ id }} activeOptions={{ includeSearch: false }} count={issueCount}>
        Issues
      </Tab>
      <Tab to="/scope/$id/assets" params={{ id }} activeOptions={{ includeSearch: false }} count={hostCount}>
        Assets
      </Tab>
    </Tabs>
  )
}
