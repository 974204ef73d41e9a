/** `/assets` */
import type { Host } from '@glacis/contract/host'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Server, Sparkles } from 'lucide-react'
import { useMemo, useState } from 'react'
import { HostBulk } from '#hosts/host-bulk.tsx'
import { HostFilters } from '#hosts/host-filters.tsx'
import { HostTable } from '#hosts/host-table.tsx'
import { list } from '#hosts/queries.ts'
import { type HostSearch, hostsInput, isFiltered, newDays } from '#hosts/search.ts'
import { summary } from '#issues/queries.ts'
import { copyText } from '#lib/copy-text.ts'
import { useKeys } from '#lib/keyboard.ts'
import { focusedRow } from '#lib/page-keys.ts'
import { pageWords } from '#lib/page-words.ts'
import { keepShown, nothingSelected, pick, pickAll } from '#lib/selection.ts'
import { addToast } from '#lib/toasts.ts'
import { lastEnded } from '#scans/queries.ts'
import { Badge } from '#ui/badge.tsx'
import { ButtonLink } from '#ui/button.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/assets')

/** Every host that a scan found alive. */
export function HostListPage() {
  const search: HostSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: HostSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const query = useQuery(list(hostsInput(search)))
  const [picked, setPicked] = useState(nothingSelected)
  const hosts = query.data?.hosts
  const rows = hosts?.map(({ id }) => id) ?? []
  const selection = keepShown(picked, rows)
  const hasFilters = isFiltered(search)
  useCopyKey(hosts)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={pageWords.assets.title}
        count={hasFilters || search.after ? undefined : totalOf(query.data, rows.length) || undefined}
        aside={<NewHosts search={search} />}
        description={pageWords.assets.lede}
      />
      {rows.length === 0 && hosts && !hasFilters ? (
        <div className="h-4.5" />
      ) : selection.ids.size > 0 ? (
        <HostBulk
          hosts={hosts?.filter(({ id }) => selection.ids.has(id)) ?? []}
          onClear={() => setPicked(nothingSelected)}
        />
      ) : (
        <HostFilters search={search} onSearch={go} />
      )}
      <ListBody
        what="Assets"
        query={query}
        count={hosts?.length}
        isFiltered={hasFilters}
        onClear={() => go({ size: search.size, sort: search.sort })}
        empty={<NoHosts />}
      >
        <HostTable
          hosts={hosts}
          sort={search.sort}
          onSort={(sort) => go({ ...search, sort: sort === search.sort ? undefined : sort, after: undefined })}
          picking={{
            selection,
            onPick: (id, isRange) => setPicked(pick(selection, rows, id, isRange)),
            onPickAll: () => setPicked(pickAll(selection, rows)),
          }}
        />
      </ListBody>
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={rows.length}
        page={query.data}
        onTurn={(to) => go({ ...search, ...to })}
      />
    </div>
  )
}

/** `c` copies the address of the row that holds the focus. */
function useCopyKey(hosts: readonly Host[] | undefined): void {
  const keys = useMemo(() => {
    async function copy(): Promise<void> {
      const address = hosts?.find(({ id }) => id === focusedRow())?.address
      if (!address) return
      await copyText(address)
      addToast('info', { title: 'Info', message: `${address} is copied.` })
    }
    return { c: () => void copy() }
  }, [hosts])
  useKeys(keys)
}

/** Hosts that were not there a week ago; nothing while there are none, or while they are the ones shown. */
function NewHosts({ search }: { readonly search: HostSearch }) {
  const { data } = useQuery(list({ ...hostsInput({ age: 'new' }), pageSize: 50 }))
  const count = data?.hosts.length ?? 0
  if (search.age || count === 0) return null
  const more = data?.nextPageToken ? '+' : ''
  return (
    <Link to="/assets" search={{ age: 'new' }} title={`First seen within ${newDays} days`}>
      <Badge variant="main" className="hover:underline">
        <Sparkles className="size-3" aria-hidden="true" />
        {count}
        {more} new this week
      </Badge>
    </Link>
  )
}

/** Before the first scan has ended they are still to come; after it, nobody has answered. */
function NoHosts() {
  const { data: figures, isPending } = useQuery(summary())
  if (isPending) return null
  if (figures?.lastScanTime !== undefined) return <NobodyAnswered />
  return (
    <EmptyState
      icon={<Server />}
      title={pageWords.assets.empty.title}
      actions={
        <ButtonLink to="/scope" variant="secondary" size="sm">
          Open scope
        </ButtonLink>
      }
    >
      {pageWords.assets.empty.text}
    </EmptyState>
  )
}

function NobodyAnswered() {
  const { data: last } = useQuery(lastEnded())
  return (
    <EmptyState
      icon={<Server />}
      title={last?.hostCount.scannedHosts === 0 ? 'No host answered the last scan' : 'No hosts are known'}
      actions={
        <>
          {last && (
            <ButtonLink to="/scans/$id" params={{ id: last.id }} variant="primary" size="sm">
              Open the last scan
            </ButtonLink>
          )}
          <ButtonLink to="/scope" variant="secondary" size="sm">
            Open scope
          </ButtonLink>
        </>
      }
    >
      Check the addresses of your targets. What only your own network reaches is scanned by an agent inside.
    </EmptyState>
  )
}
