import type { IssueFilter } from '@glacis/contract/issue'
import type { IssueColumn } from '@glacis/contract/triage'
import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { Download } from 'lucide-react'
import { apiFileUrl } from '#api/call.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAnchor } from '#ui/menu-entries.tsx'

const hostColumns = [
  'id',
  'name',
  'cve',
  'severity',
  'score',
  'status',
  'targetName',
  'hostAddress',
  'hostName',
  'hostPort',
  'hostPath',
  'hostStatus',
  'hostFirstSeenTime',
  'hostLastSeenTime',
] as const satisfies readonly IssueColumn[]

/** The download URL of all issues that match a filter. */
export function exportUrl(
  filter: IssueFilter,
  { format, columns = [] }: { readonly format: 'csv' | 'json'; readonly columns?: readonly IssueColumn[] },
): string {
  // Filter values are strings, numbers, booleans, and arrays of them.
  const query = toQueryString({ format, columns, filter: filter as Record<string, QueryValue | undefined> })
  return apiFileUrl(`/v1/issues/export?${query}`)
}

export function ExportMenu({ filter }: { readonly filter: IssueFilter }) {
  return (
    <Menu label="Export" button={<Download />} variant="ghost" size="sm" square>
      <MenuAnchor href={exportUrl(filter, { format: 'csv' })} download>
        CSV, one row per risk
      </MenuAnchor>
      <MenuAnchor href={exportUrl(filter, { format: 'csv', columns: hostColumns })} download>
        CSV, one row per affected host
      </MenuAnchor>
      <MenuAnchor href={exportUrl(filter, { format: 'json' })} download>
        JSON
      </MenuAnchor>
    </Menu>
  )
}
