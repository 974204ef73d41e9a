import type { ProductFilter } from '@glacis/contract/product'
import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { Download } from 'lucide-react'
import { apiFileUrl } from '#api/call.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAnchor } from '#ui/menu-entries.tsx'

/** The download URL of all products that match a filter. */
export function exportUrl(filter: ProductFilter, format: 'csv' | 'cyclonedx'): string {
  // Filter values are strings, booleans, and arrays of strings.
  const query = toQueryString({ format, filter: filter as Record<string, QueryValue | undefined> })
  return apiFileUrl(`/v1/products/export?${query}`)
}

export function ExportProducts({ filter }: { readonly filter: ProductFilter }) {
  return (
    <Menu label="Export" button={<Download />} variant="ghost" size="sm" square>
      <MenuAnchor href={exportUrl(filter, 'csv')} download>
        CSV
      </MenuAnchor>
      <MenuAnchor href={exportUrl(filter, 'cyclonedx')} download>
        CycloneDX
      </MenuAnchor>
    </Menu>
  )
}
