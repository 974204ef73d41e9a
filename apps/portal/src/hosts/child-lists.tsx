/** The host lists on the pages of a target and of a technology. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import type { ReactNode } from 'react'
import { HostTable } from '#hosts/host-table.tsx'
import { list } from '#hosts/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { SectionHead } from '#ui/card.tsx'
import { FilterBar, SearchField } from '#ui/filter-bar.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/scope/$id/assets')

/** `/scope/{id}/assets` */
export function TargetAssetsPage() {
  const { id } = route.useParams()
  const { q, size, after } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(
    list({ pageSize: size ?? 25, pageToken: after?.at(-1), filter: { targetId: id, query: q || undefined } }),
  )
  const hosts = query.data?.hosts
  const find = (text: string | undefined) =>
    void navigate({ search: { q: text || undefined, size }, replace: true, resetScroll: false })
  const isFiltered = Boolean(q)
  return (
    <>
      {(isFiltered || hosts?.length !== 0) && (
        <FilterBar
          activeCount={isFiltered ? 1 : 0}
          onClear={() => find(undefined)}
          search={<SearchField label="Search assets" value={q ?? ''} onChange={find} />}
        />
      )}
      <ListBody
        what="Assets"
        query={query}
        count={hosts?.length}
        isFiltered={isFiltered}
        onClear={() => find(undefined)}
        empty={
          <EmptyState icon={<Server />} title="No live hosts found">
            Hosts of this target appear here when a scan reaches them.
          </EmptyState>
        }
      >
        <HostTable hosts={hosts} hidesTarget />
      </ListBody>
      <ListPager
        after={after}
        size={size ?? 25}
        shown={hosts?.length ?? 0}
        page={query.data}
        onTurn={(to) => void navigate({ search: (before) => ({ ...before, ...to }), resetScroll: false })}
      />
    </>
  )
}

interface HostsOfProductProps {
  readonly productId: string
  /** A link to the full list. */
  readonly more?: ReactNode
}

export function HostsOfProduct({ productId, more }: HostsOfProductProps) {
  const query = useQuery(list({ pageSize: 25, filter: { productId } }))
  const hosts = query.data?.hosts
  const total = totalOf(query.data, hosts?.length ?? 0)
  return (
    <section aria-label="Assets" className="pt-5">
      <div className="px-(--gl-gutter) pb-2">
        <SectionHead
          title={
            <>
              Assets
              {total !== undefined && (
                <span className="ml-2 font-normal text-ink-3 tabular-nums">{formatNumber(total)}</span>
              )}
            </>
          }
        >
          {more}
        </SectionHead>
      </div>
      <ListBody
        what="Assets"
        query={query}
        count={hosts?.length}
        empty={<EmptyState title="No longer found on any host" />}
      >
        <HostTable hosts={hosts} hidesSoftware />
      </ListBody>
    </section>
  )
}
