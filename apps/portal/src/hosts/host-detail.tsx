/** `/assets/{id}`: the head and the tabs of a host; its children stand below. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { ArrowRight, Pencil } from 'lucide-react'
import { useState } from 'react'
import { HostEdit } from '#hosts/host-edit.tsx'
import { one } from '#hosts/queries.ts'
import { nameOf } from '#hosts/words.ts'
import { openNow } from '#issues/queries.ts'
import { useKeys } from '#lib/keyboard.ts'
import { pressing } from '#lib/page-keys.ts'
import { Badge } from '#ui/badge.tsx'
import { Button, ButtonLink } from '#ui/button.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'

const route = getRouteApi('/_auth/assets/$id')

const keys = pressing('1', '2', '3', 'e')

/** One host: what runs on it, what is wrong with it. */
export function HostDetailPage() {
  const { id } = route.useParams()
  const { host } = useSuspenseQuery(one(id)).data
  const [isEditing, setIsEditing] = useState(false)
  useKeys(keys)
  const issueCount = useQuery(openNow({ affectedHostId: id })).data
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={<span className="font-mono">{nameOf(host)}</span>}
        documentTitle={nameOf(host)}
        crumbs={<Crumb to="/assets">Assets</Crumb>}
        here={<span className="font-mono">{nameOf(host)}</span>}
        aside={host.criticality === 'CRITICALITY_HIGH' && <Badge variant="orange">Critical asset</Badge>}
        actions={
          <>
            <Button size="sm" icon={<Pencil />} data-key="e" onClick={() => setIsEditing(true)}>
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
          Issues
        </Tab>
      </Tabs>
      <Outlet />
    </div>
  )
}
