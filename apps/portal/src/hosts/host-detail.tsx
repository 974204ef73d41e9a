/** `/assets/{id}`: the header and tabs of a host. Child routes render the tabs' content. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { ArrowRight, Pencil } from 'lucide-react'
import { useState } from 'react'
import { HostEdit } from '#hosts/host-edit.tsx'
import { detail } from '#hosts/queries.ts'
import { hostName } from '#hosts/labels.ts'
import { openCount } from '#issues/queries.ts'
import { useKeys } from '#lib/keyboard.ts'
import { clickKeys } from '#lib/page-keys.ts'
import { Badge } from '#ui/badge.tsx'
import { Button, ButtonLink } from '#ui/button.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'

const route = getRouteApi('/_auth/assets/$id')

const keys = clickKeys('1', '2', '3', '4', 'e')

export function HostDetailPage() {
  const { id } = route.useParams()
  const { host } = useSuspenseQuery(detail(id)).data
  const [isEditing, setIsEditing] = useState(false)
  useKeys(keys)
  const issueCount = useQuery(openCount({ affectedHostId: id })).data
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={<span className="font-mono">{hostName(host)}</span>}
        documentTitle={hostName(host)}
        crumbs={<Crumb to="/assets">Assets</Crumb>}
        here={<span className="font-mono">{hostName(host)}</span>}
        aside={host.criticality === 'CRITICALITY_HIGH' && <Badge variant="orange">High criticality</Badge>}
        actions={
          <>
            <Button size="sm" call="updateHost" icon={<Pencil />} data-key="e" onClick={() => setIsEditing(true)}>
              Edit
            </Button>
            {host.target && (
              <ButtonLink to="/scope/$id" params={{ id: host.target.id }} size="sm">
                Open target
                <ArrowRight className="text-ink-3" aria-hidden="true" />
              </ButtonLink>
            )}
          </>
        }
      />
      {isEditing && <HostEdit host={host} onClose={() => setIsEditing(false)} />}
      <Tabs label="Asset">
        <Tab data-key="1" to="/assets/$id" params={{ id }} activeOptions={{ exact: true, includeSearch: false }}>
          Overview
        </Tab>
        <Tab
          data-key="2"
          to="/assets/$id/technologies"
          params={{ id }}
          activeOptions={{ includeSearch: false }}
          count={host.inventory.length}
        >
          Technologies
        </Tab>
        <Tab
          data-key="3"
          to="/assets/$id/issues"
          params={{ id }}
          activeOptions={{ includeSearch: false }}
          count={issueCount}
        >
          Risks
        </Tab>
        {host.inventoryAgentId && (
          <Tab data-key="4" to="/assets/$id/software" params={{ id }} activeOptions={{ includeSearch: false }}>
            Installed software
          </Tab>
        )}
      </Tabs>
      <Outlet />
    </div>
  )
}
