import type { ProductFilter } from '@glacis/contract/product'
import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { Download } from 'lucide-react'
import { apiAddress } from '#api/call.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAnchor } from '#ui/menu-entries.tsx'

/** The address of a file with everything that matches a filter. */
export function exportAddress(filter: ProductFilter, format: 'csv' | 'cyclonedx'): string {
  // A filter is made of texts, truth values and lists of texts.
  const query = toQueryString({ format, filter: filter as Record<string, QueryValue | undefined> })
  return `${apiAddress('/v1/products/export')}?${query}`
}

/** Everything that matches, as a file. */
export function ExportProducts({ filter }: { readonly filter: ProductFilter }) {
  return (
    <Menu label="Export" button={<Download />} variant="ghost" size="sm" square>
      <MenuAnchor href={exportAddress(filter, 'csv')} download>
        CSV
      </MenuAnchor>
      <MenuAnchor href={exportAddress(filter, 'cyclonedx')} download>
        CycloneDX
      </MenuAnchor>
    </Menu>
  )
}
