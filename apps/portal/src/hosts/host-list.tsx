/** `/assets` */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { HostTable } from '#hosts/host-table.tsx'
import { list } from '#hosts/queries.ts'
import { one as oneProduct } from '#products/queries.ts'
import { all as allTargets } from '#targets/queries.ts'
import { ButtonLink } from '#ui/button.tsx'
import { FilterBar, FilterMenu, SearchField } from '#ui/filter-bar.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/assets')

interface HostSearch {
  readonly q?: string | undefined
  readonly target?: string | undefined
  readonly technology?: string | undefined
  readonly size?: 25 | 50 | 100 | undefined
  readonly after?: readonly string[] | undefined
}

/** Every host that a scan found alive. */
export function HostListPage() {
  const search: HostSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: HostSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const { q, target, technology, size, after } = search
  const filter = { query: q || undefined, targetId: target, productId: technology }
  const query = useQuery(list({ pageSize: size ?? 25, pageToken: after?.at(-1), filter }))
  const hosts = query.data?.hosts
  const isFiltered = Boolean(q || target || technology)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Assets"
        count={isFiltered || search.after ? undefined : totalOf(query.data, hosts?.length ?? 0) || undefined}
        description="Hosts found while scanning your targets."
      />
      {hosts?.length === 0 && !isFiltered ? <div className="h-4.5" /> : <HostFilters search={search} onSearch={go} />}
      <ListBody
        what="Assets"
        query={query}
        count={hosts?.length}
        isFiltered={isFiltered}
        onClear={() => go({ size })}
        empty={<NoHosts />}
      >
        <HostTable hosts={hosts} />
      </ListBody>
      <ListPager
        after={after}
        size={size ?? 25}
        shown={hosts?.length ?? 0}
        page={query.data}
        onTurn={(to) => go({ ...search, ...to })}
      />
    </div>
  )
}

function NoHosts() {
  return (
    <EmptyState
      icon={<Server />}
      title="Hosts appear here after the first scan"
      actions={
        <ButtonLink to="/scope" variant="secondary" size="sm">
          Open scope
        </ButtonLink>
      }
    >
      A scan of a target finds which of its addresses are alive and what runs on them.
    </EmptyState>
  )
}

interface HostFiltersProps {
  readonly search: HostSearch
  readonly onSearch: (search: HostSearch, replace?: boolean) => void
}
function HostFilters({ search, onSearch }: HostFiltersProps) {
  const { q, target, technology } = search
  const targets = useQuery(allTargets()).data?.targets ?? []
  const set = (change: HostSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  return (
    <FilterBar
      activeCount={[q, target, technology].filter(Boolean).length}
      onClear={() => set({ q: undefined, target: undefined, technology: undefined })}
      search={
        <SearchField label="Search assets" value={q ?? ''} onChange={(text) => set({ q: text || undefined }, true)} />
      }
      filters={
        <>
          <FilterMenu
            label="Target"
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={target ? [target] : []}
            onChange={([chosen]) => set({ target: chosen })}
          />
          {technology && <ProductFilter id={technology} onRemove={() => set({ technology: undefined })} />}
        </>
      }
    />
  )
}

function ProductFilter({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const product = useQuery(oneProduct(id)).data?.product
  const label = product ? `${product.name} ${product.version}`.trim() : 'one technology'
  return <FilterMenu label="Technology" options={[{ value: id, label }]} chosen={[id]} onChange={onRemove} />
}
