/** `/technologies` */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Eye, Layers } from 'lucide-react'
import { summary } from '#issues/queries.ts'
import { countFilters, withoutFilters } from '#lib/search-schema.ts'
import { useSelection } from '#lib/selection.ts'
import { list } from '#products/queries.ts'
import { ExportProducts } from '#products/export-products.tsx'
import { ProductBulkBar } from '#products/product-bulk.tsx'
import { ProductFilters } from '#products/product-filters.tsx'
import { productFilter, type ProductSearch, productsInput } from '#products/search.ts'
import { WatchForm } from '#products/watch-form.tsx'
import { ProductTable } from '#products/product-table.tsx'
import { Button } from '#ui/button.tsx'
import { ScopeLink } from '#ui/scope-link.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/technologies')

export function ProductListPage() {
  const search: ProductSearch = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: ProductSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const { size, after } = search
  const query = useQuery(list(productsInput(search)))
  const products = query.data?.products
  const isFiltered = countFilters(search) > 0
  const { selected, keep, picking } = useSelection(products ?? [])
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Technologies"
        count={isFiltered || search.after ? undefined : totalOf(query.data, products?.length ?? 0) || undefined}
        description="Software and operating systems detected on your assets."
        actions={
          <>
            <ExportProducts filter={productFilter(search)} />
            <Button size="sm" call="watchProduct" icon={<Eye />} onClick={() => go({ ...search, watch: true })}>
              <span>
                Watch<span className="max-md:hidden"> a technology</span>
              </span>
            </Button>
          </>
        }
      />
      {products?.length === 0 && !isFiltered ? (
        <div className="h-4.5" />
      ) : selected.length > 0 ? (
        <ProductBulkBar products={selected} onKeep={keep} />
      ) : (
        <ProductFilters search={search} onSearch={go} />
      )}
      <ListBody
        what="Technologies"
        query={query}
        count={products?.length}
        isFiltered={isFiltered}
        onClear={() => go(withoutFilters(search))}
        empty={<NoProducts />}
      >
        <ProductTable products={products} isGrouped={search.group ?? false} picking={picking} />
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
  const { data: figures, isPending } = useQuery(summary())
  if (isPending) return null
  const isScanned = figures?.lastScanTime !== undefined
  return (
    <EmptyState
      icon={<Layers />}
      title={isScanned ? 'No software identified yet' : 'No technologies yet'}
      actions={<ScopeLink hasTargets={(figures?.targetCount ?? 0) > 0} />}
    >
      Technologies are the software and operating systems that scans identify, and the ones you watch.
    </EmptyState>
  )
}
