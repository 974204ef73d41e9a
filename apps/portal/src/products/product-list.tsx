/** `/technologies` */
import type { Product } from '@glacis/contract/inventory'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { list } from '#products/queries.ts'
import { endOfLifeWords, type KindWord, kindOf, parts, vendorWords } from '#products/words.ts'
import { all as allTargets } from '#targets/queries.ts'
import { Badge } from '#ui/badge.tsx'
import { ButtonLink } from '#ui/button.tsx'
import { FilterBar, FilterMenu, FilterToggle, SearchField } from '#ui/filter-bar.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'

const route = getRouteApi('/_auth/technologies')

interface ProductSearch {
  readonly q?: string | undefined
  readonly target?: string | undefined
  readonly asset?: string | undefined
  readonly vendor?: string | undefined
  readonly kind?: readonly KindWord[] | undefined
  readonly risky?: boolean | undefined
  readonly size?: 25 | 50 | 100 | undefined
  readonly after?: readonly string[] | undefined
}

/** The software that scans recognised. */
export function ProductListPage() {
  const search: ProductSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: ProductSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const { q, target, asset, vendor, kind, risky, size, after } = search
  const filter = {
    query: q || undefined,
    vendor,
    targetId: target,
    hostId: asset,
    hasIssues: risky,
    parts: kind?.map((word) => parts[word]),
  }
  const query = useQuery(list({ pageSize: size ?? 25, pageToken: after?.at(-1), filter }))
  const products = query.data?.products
  const isFiltered = Boolean(q || target || asset || vendor || kind?.length || risky)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Technologies"
        count={isFiltered || search.after ? undefined : totalOf(query.data, products?.length ?? 0) || undefined}
        description="Software and operating systems recognised on your assets."
      />
      {products?.length === 0 && !isFiltered ? (
        <div className="h-4.5" />
      ) : (
        <ProductFilters search={search} onSearch={go} />
      )}
      <ListBody
        what="Technologies"
        query={query}
        count={products?.length}
        isFiltered={isFiltered}
        onClear={() => go({ size })}
        empty={<NoProducts />}
      >
        <ProductTable products={products} />
      </ListBody>
      <ListPager
        after={after}
        size={size ?? 25}
        shown={products?.length ?? 0}
        page={query.data}
        onTurn={(to) => go({ ...search, ...to })}
      />
    </div>
  )
}

function NoProducts() {
  return (
    <EmptyState
      icon={<Layers />}
      title="Software appears here after the first scan"
      actions={
        <ButtonLink to="/scope" variant="secondary" size="sm">
          Open scope
        </ButtonLink>
      }
    >
      A scan recognises what services say of themselves and names it as the world’s vulnerability lists do.
    </EmptyState>
  )
}

function ProductTable({ products }: { readonly products: readonly Product[] | undefined }) {
  const hasEnds = products?.some(({ endOfLife }) => endOfLife) ?? false
  return (
    <Table label="Technologies">
      <thead>
        <tr>
          <HeaderCell>Name</HeaderCell>
          <HeaderCell width={128}>Version</HeaderCell>
          <HeaderCell width={136} priority={3}>
            Vendor
          </HeaderCell>
          <HeaderCell width={150} priority={3}>
            Kind
          </HeaderCell>
          <HeaderCell width={80} align="end">
            Hosts
          </HeaderCell>
          <SeverityHeads />
          {hasEnds && (
            <HeaderCell width={196} priority={2}>
              Support
            </HeaderCell>
          )}
        </tr>
      </thead>
      <tbody>
        {!products && <SkeletonRows columns={9} />}
        {products?.map((product) => (
          <tr key={product.id}>
            <Cell label="Name" primary>
              <CellLink to="/technologies/$id" params={{ id: product.id }} title={product.name}>
                <span className="ttl truncate">{product.name}</span>
              </CellLink>
            </Cell>
            <Cell label="Version" quiet className="tabular-nums" title={product.version}>
              {product.version}
            </Cell>
            <Cell label="Vendor" priority={3} quiet>
              {vendorWords(product.wfn.vendor)}
            </Cell>
            <Cell label="Kind" priority={3} quiet>
              {kindOf(product.wfn)}
            </Cell>
            <Cell label="Hosts" align="end">
              {product.hostCount === undefined ? '–' : formatNumber(product.hostCount)}
            </Cell>
            <SeverityCells counts={product.issueCount} />
            {hasEnds && (
              <Cell label="Support" priority={2}>
                <EndOfLifeBadge product={product} />
              </Cell>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

/** "Ended 30 June 2024", in the colour of its urgency. */
export function EndOfLifeBadge({ product }: { readonly product: Product }) {
  const words = endOfLifeWords(product)
  if (!words) return null
  return (
    <Badge variant={words.variant}>
      {words.word}
      {words.day && ` ${words.day}`}
    </Badge>
  )
}

const kindOptions: readonly { readonly value: KindWord; readonly label: string }[] = [
  { value: 'application', label: 'Application' },
  { value: 'system', label: 'Operating system' },
  { value: 'hardware', label: 'Hardware' },
]

interface ProductFiltersProps {
  readonly search: ProductSearch
  readonly onSearch: (search: ProductSearch, replace?: boolean) => void
}
function ProductFilters({ search, onSearch }: ProductFiltersProps) {
  const { q, target, asset, vendor, kind = [], risky = false } = search
  const targets = useQuery(allTargets()).data?.targets ?? []
  const set = (change: ProductSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  return (
    <FilterBar
      activeCount={[q, target, asset, vendor, kind.length, risky].filter(Boolean).length}
      onClear={() => onSearch({ size: search.size })}
      search={
        <SearchField
          label="Search technologies"
          value={q ?? ''}
          onChange={(text) => set({ q: text || undefined }, true)}
        />
      }
      filters={
        <>
          <FilterMenu
            label="Kind"
            many
            options={kindOptions}
            chosen={kind}
            onChange={(chosen) => set({ kind: chosen.length > 0 ? chosen : undefined })}
          />
          <FilterMenu
            label="Target"
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={target ? [target] : []}
            onChange={([chosen]) => set({ target: chosen })}
          />
          {vendor && (
            <FilterMenu
              label="Vendor"
              options={[{ value: vendor, label: vendor }]}
              chosen={[vendor]}
              onChange={() => set({ vendor: undefined })}
            />
          )}
          {asset && (
            <FilterMenu
              label="Asset"
              options={[{ value: asset, label: 'one asset' }]}
              chosen={[asset]}
              onChange={() => set({ asset: undefined })}
            />
          )}
          <FilterToggle label="With open risks" on={risky} onChange={(on) => set({ risky: on || undefined })} />
        </>
      }
    />
  )
}
