/** `/technologies` */
import type { Product } from '@glacis/contract/inventory'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Eye, Layers } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { list } from '#products/queries.ts'
import { ExportProducts } from '#products/export-products.tsx'
import { NotifyFrom } from '#products/notify-from.tsx'
import { filterOf, isNarrowed, ProductFilters, type ProductSearch, productsInput } from '#products/product-filters.tsx'
import { WatchForm } from '#products/watch-form.tsx'
import { endOfLifeWords, kindOf, vendorWords } from '#products/words.ts'
import { Badge } from '#ui/badge.tsx'
import { Button, ButtonLink } from '#ui/button.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { lengthOf, TableRows } from '#ui/table-rows.tsx'

const route = getRouteApi('/_auth/technologies')

/** The software that scans recognised. */
export function ProductListPage() {
  const search: ProductSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: ProductSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const { size, after } = search
  const query = useQuery(list(productsInput(search)))
  const products = query.data?.products
  const isFiltered = isNarrowed(search)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Technologies"
        count={isFiltered || search.after ? undefined : totalOf(query.data, products?.length ?? 0) || undefined}
        description="Software and operating systems recognised on your assets."
        actions={
          <>
            <ExportProducts filter={filterOf(search)} />
            <Button size="sm" icon={<Eye />} onClick={() => go({ ...search, watch: true })}>
              Watch a technology
            </Button>
          </>
        }
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
      <WatchForm open={search.watch ?? false} onClose={() => go({ ...search, watch: undefined })} />
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
      A scan recognises what services say of themselves and names it as the world’s vulnerability lists do. What you
      watch stands here too.
    </EmptyState>
  )
}

function ProductTable({ products }: { readonly products: readonly Product[] | undefined }) {
  const hasEnds = products?.some(({ endOfLife }) => endOfLife) ?? false
  return (
    <Table label="Technologies" {...lengthOf(products)}>
      <thead>
        <tr>
          <HeaderCell>Name</HeaderCell>
          <HeaderCell width={108}>Version</HeaderCell>
          <HeaderCell width={120} priority={3}>
            Vendor
          </HeaderCell>
          <HeaderCell width={136} priority={3}>
            Kind
          </HeaderCell>
          <HeaderCell width={68} align="end">
            Hosts
          </HeaderCell>
          <SeverityHeads />
          {hasEnds && (
            <HeaderCell width={160} priority={2}>
              Support
            </HeaderCell>
          )}
          <HeaderCell width={112} priority={3}>
            Notify from
          </HeaderCell>
        </tr>
      </thead>
      <TableRows items={products} idOf={({ id }) => id} skeleton={<SkeletonRows columns={10} />}>
        {(product, place) => (
          <tr {...place}>
            <Cell label="Name" primary>
              <CellLink to="/technologies/$id" params={{ id: product.id }} title={product.name}>
                <span className="ttl truncate">{product.name}</span>
                {product.watched && <Eye className="ml-2 inline size-3.5 flex-none text-ink-3" aria-label="Watched" />}
              </CellLink>
            </Cell>
            <Cell label="Version" quiet className="tabular-nums" title={product.version}>
              {product.version || 'any'}
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
            <Cell label="Notify from" priority={3}>
              <NotifyFrom product={product} quiet />
            </Cell>
          </tr>
        )}
      </TableRows>
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
