import type { IssueFilter } from '@glacis/contract/issue'
import type { IssueColumn } from '@glacis/contract/triage'
import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { Download } from 'lucide-react'
import { apiAddress } from '#api/call.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAnchor } from '#ui/menu-entries.tsx'

const perHost = [
  'id',
  'name',
  'cve',
  'severity',
  'score',
  'status',
  'targetName',
  'hostAddress',
  'hostName',
  'hostLocation',
  'hostStatus',
  'hostFirstSeenTime',
  'hostLastSeenTime',
] as const satisfies readonly IssueColumn[]

/** The address of a file with everything that matches a filter. */
export function exportAddress(
  filter: IssueFilter,
  { format, columns = [] }: { readonly format: 'csv' | 'json'; readonly columns?: readonly IssueColumn[] },
): string {
  // A filter is made of texts, numbers, truth values and lists of them.
  const query = toQueryString({ format, columns, filter: filter as Record<string, QueryValue | undefined> })
  return `${apiAddress('/v1/issues/export')}?${query}`
}

/** Everything that matches, as a file. */
export function ExportMenu({ filter }: { readonly filter: IssueFilter }) {
  return (
    <Menu label="Export" button={<Download />} variant="ghost" size="sm" square>
      <MenuAnchor href={exportAddress(filter, { format: 'csv' })} download>
        CSV, a row per risk
      </MenuAnchor>
      <MenuAnchor href={exportAddress(filter, { format: 'csv', columns: perHost })} download>
        CSV, a row per affected host
      </MenuAnchor>
      <MenuAnchor href={exportAddress(filter, { format: 'json' })} download>
        JSON
      </MenuAnchor>
    </Menu>
  )
}
