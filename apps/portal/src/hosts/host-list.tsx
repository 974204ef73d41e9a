/** `/assets` */
import type { Host } from '@glacis/contract/host'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Server, Sparkles } from 'lucide-react'
import { useMemo } from 'react'
import { HostBulkBar } from '#hosts/host-bulk.tsx'
import { HostFilters } from '#hosts/host-filters.tsx'
import { HostTable } from '#hosts/host-table.tsx'
import { list } from '#hosts/queries.ts'
import { type HostSearch, hostsInput, newDays } from '#hosts/search.ts'
import { summary } from '#issues/queries.ts'
import { copyText } from '#lib/copy-text.ts'
import { useKeys } from '#lib/keyboard.ts'
import { focusedRow } from '#lib/page-keys.ts'
import { countFilters, withoutFilters } from '#lib/search-schema.ts'
import { useSelection } from '#lib/selection.ts'
import { addToast } from '#ui/toasts.tsx'
import { lastEnded } from '#scans/queries.ts'
import { Badge } from '#ui/badge.tsx'
import { ButtonLink } from '#ui/button.tsx'
import { ScopeLink } from '#ui/scope-link.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/assets')

export function HostListPage() {
  const search: HostSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: HostSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const query = useQuery(list(hostsInput(search)))
  const hosts = query.data?.hosts
  const { selected, keep, picking } = useSelection(hosts ?? [])
  const isFiltered = countFilters(search) > 0
  useCopyKey(hosts)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Assets"
        count={isFiltered || search.after ? undefined : totalOf(query.data, hosts?.length ?? 0) || undefined}
        aside={<NewHostsLink search={search} />}
        description="Hosts found while scanning your targets."
      />
      {hosts?.length === 0 && !isFiltered ? (
        <div className="h-4.5" />
      ) : selected.length > 0 ? (
        <HostBulkBar hosts={selected} onClear={() => keep([])} />
      ) : (
        <HostFilters search={search} onSearch={go} />
      )}
      <ListBody
        what="Assets"
        query={query}
        count={hosts?.length}
        isFiltered={isFiltered}
        onClear={() => go(withoutFilters(search))}
        empty={<NoHosts />}
      >
        <HostTable
          hosts={hosts}
          sort={search.sort}
          onSort={(sort) => go({ ...search, sort: sort === search.sort ? undefined : sort, after: undefined })}
          picking={picking}
        />
      </ListBody>
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={hosts?.length ?? 0}
        page={query.data}
        onTurn={(to) => go({ ...search, ...to })}
      />
    </div>
  )
}

/** `c` copies the address of the focused row. */
function useCopyKey(hosts: readonly Host[] | undefined): void {
  const keys = useMemo(() => {
    async function copy(): Promise<void> {
      const address = hosts?.find(({ id }) => id === focusedRow())?.address
      if (!address) return
      await copyText(address)
      addToast('info', { title: 'Info', message: `Copied ${address}.` })
    }
    return { c: () => void copy() }
  }, [hosts])
  useKeys(keys)
}

/** The number of hosts first seen this week. Hidden if there are none, or if the list already shows only them. */
function NewHostsLink({ search }: { readonly search: HostSearch }) {
  const { data } = useQuery(list({ ...hostsInput({ age: 'new' }), pageSize: 50 }))
  const count = data?.hosts.length ?? 0
  if (search.age || count === 0) return null
  const more = data?.nextPageToken ? '+' : ''
  return (
    <Link to="/assets" search={{ age: 'new' }} title={`First seen in the last ${newDays} days`}>
      <Badge variant="main" className="hover:underline">
        <Sparkles className="size-3" aria-hidden="true" />
        {count}
        {more} new this week
      </Badge>
    </Link>
  )
}

/** The empty state before the first scan, or after scans that found no hosts. */
function NoHosts() {
  const { data: figures, isPending } = useQuery(summary())
  if (isPending) return null
  if (figures?.lastScanTime !== undefined) return <NoHostsFound />
  return (
    <EmptyState
      icon={<Server />}
      title="No assets yet"
      actions={<ScopeLink hasTargets={(figures?.targetCount ?? 0) > 0} />}
    >
      Assets are the live hosts that scans find on your targets.
    </EmptyState>
  )
}

function NoHostsFound() {
  const { data: last } = useQuery(lastEnded())
  return (
    <EmptyState
      icon={<Server />}
      title={last?.hostCount.scannedHosts === 0 ? 'No hosts responded to the last scan' : 'No assets found'}
      actions={
        <>
          {last && (
            <ButtonLink to="/scans/$id" params={{ id: last.id }} variant="primary" size="sm">
              View last scan
            </ButtonLink>
          )}
          <ButtonLink to="/scope" variant="secondary" size="sm">
            Go to Scope
          </ButtonLink>
        </>
      }
    >
      Check the addresses of your targets. To scan hosts that are only reachable from your network, install an agent
      there.
    </EmptyState>
  )
}
