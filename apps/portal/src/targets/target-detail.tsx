/** `/scope/{id}`: header and tabs of a target; child routes render below. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { openCount } from '#issues/queries.ts'
import { useKeys } from '#lib/keyboard.ts'
import { clickKeys } from '#lib/page-keys.ts'
import { list as scanList } from '#scans/queries.ts'
import { AgentWarning } from '#targets/agent-warning.tsx'
import { DeleteTarget } from '#targets/delete-target.tsx'
import { PauseAction } from '#targets/pause-action.tsx'
import { detail } from '#targets/queries.ts'
import { ScanButton, useActiveScan } from '#targets/scan-button.tsx'
import { TagList } from '#targets/target-table.tsx'
import { TargetForm } from '#targets/target-form.tsx'
import { TargetNotes } from '#targets/target-notes.tsx'
import { Button } from '#ui/button.tsx'
import { progressText, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { totalOf } from '#ui/list.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuDivider } from '#ui/menu-entries.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'

const route = getRouteApi('/_auth/scope/$id')

export function TargetDetailPage() {
  const { id } = route.useParams()
  const { target } = useSuspenseQuery(detail(id)).data
  const navigate = useNavigate()
  const scan = useActiveScan(id)
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  useKeys(keys)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={target.name}
        crumbs={<Crumb to="/scope">Scope</Crumb>}
        here={target.name}
        aside={<TagList tags={target.tags} max={5} />}
        actions={
          <>
            <span className="max-md:flex-none!">
              <Menu call="updateTarget" label="More actions" square button={<Ellipsis aria-hidden="true" />}>
                <PauseAction target={target} />
                <MenuDivider />
                <MenuAction danger call="deleteTarget" icon={<Trash2 />} onClick={() => setDialog('delete')}>
                  Delete
                </MenuAction>
              </Menu>
            </span>
            <Button size="sm" call="updateTarget" icon={<Pencil />} data-key="e" onClick={() => setDialog('edit')}>
              Edit
            </Button>
            {(scan || target.pauseTime === undefined) && <ScanButton targetId={id} activeScan={scan} />}
          </>
        }
      />
      <AgentWarning target={target} onEdit={() => setDialog('edit')} />
      <TargetNotes target={target} scan={scan} />
      {scan && !scan.progress?.resumeTime && (
        <div className="grid gap-1.5 px-(--gl-gutter) pt-2">
          <p className="text-12 text-ink-2">{progressText(scan)}</p>
          {scan.status === 'STATUS_RUNNING' && <ScanProgressBar scan={scan} />}
        </div>
      )}
      <TargetTabs id={id} hostCount={target.hostCount} />
      <Outlet />
      <TargetForm open={dialog === 'edit'} target={target} onClose={close} />
      <DeleteTarget
        target={dialog === 'delete' ? target : undefined}
        requireName
        onClose={close}
        onDeleted={() => navigate({ to: '/scope', replace: true })}
      />
    </div>
  )
}

const keys = clickKeys('1', '2', '3', '4', 's', 'e')

interface TargetTabsProps {
  readonly id: string
  readonly hostCount: number | undefined
}
function TargetTabs({ id, hostCount }: TargetTabsProps) {
  const issueCount = useQuery(openCount({ affectedTargetId: id })).data
  const scans = useQuery(scanList({ pageSize: 25, filter: { targetId: id } })).data
  const scanCount = totalOf(scans, scans?.scans.length ?? 0)
  return (
    <Tabs label="Target">
      <Tab data-key="1" to="/scope/$id" params={{ id }} activeOptions={{ exact: true, includeSearch: false }}>
        Overview
      </Tab>
      <Tab
        data-key="2"
        to="/scope/$id/scans"
        params={{ id }}
        activeOptions={{ includeSearch: false }}
        count={scanCount}
      >
        Scans
      </Tab>
      <Tab
        data-key="3"
        to="/scope/$id/issues"
        params={{ id }}
        activeOptions={{ includeSearch: false }}
        count={issueCount}
      >
        Risks
      </Tab>
      <Tab
        data-key="4"
        to="/scope/$id/assets"
        params={{ id }}
        activeOptions={{ includeSearch: false }}
        count={hostCount}
      >
        Assets
      </Tab>
    </Tabs>
  )
}
