/** `/assets/{id}`: the head and the tabs of a host; its children stand below. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { one } from '#hosts/queries.ts'
import { nameOf } from '#hosts/words.ts'
import { openNow } from '#issues/queries.ts'
import { ButtonLink } from '#ui/button.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'

const route = getRouteApi('/_auth/assets/$id')

/** One host: what runs on it, what is wrong with it. */
export function HostDetailPage() {
  const { id } = route.useParams()
  const { host } = useSuspenseQuery(one(id)).data
  const issueCount = useQuery(openNow({ affectedHostId: id })).data
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={<span className="font-mono">{nameOf(host)}</span>}
        documentTitle={nameOf(host)}
        crumbs={<Crumb to="/assets">Assets</Crumb>}
        here={<span className="font-mono">{nameOf(host)}</span>}
        actions={
          host.target && (
            <ButtonLink to="/scope/$id" params={{ id: host.target.id }} size="sm">
              Open target
              <ArrowRight className="text-ink-3" aria-hidden="true" />
            </ButtonLink>
          )
        }
      />
      <Tabs label="Asset">
        <Tab to="/assets/$id" params={{ id }} activeOptions={{ exact: true, includeSearch: false }}>
          Overview
        </Tab>
        <Tab
          to="/assets/$id/technologies"
          params={{ id }}
          activeOptions={{ includeSearch: false }}
          count={host.inventory.length}
        >
          Technologies
        </Tab>
        <Tab to="/assets/$id/issues" params={{ id }} activeOptions={{ includeSearch: false }} count={issueCount}>
          Issues
        </Tab>
      </Tabs>
      <Outlet />
    </div>
  )
}
