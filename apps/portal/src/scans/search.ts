/** Maps the search params of the scan list to the API's input. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { listScans, ScanStatus, ScanType } from '@glacis/contract/scan'
import { z } from 'zod/mini'
import { id, lenient, listOf, paging, shortText } from '#lib/search-schema.ts'

/** Search params of the scan list. */
export const ScanSearch = z.object({
  target: id,
  status: listOf(z.enum(['created', 'running', 'completed', 'cancelled', 'failed'])),
  type: listOf(z.enum(['automatic', 'manual', 'emerging'])),
  /** Maximum age of the scan's start. */
  since: lenient(z.enum(['day', 'week', 'month'])),
  ...paging,
})
export type ScanSearch = z.infer<typeof ScanSearch>
export type ScanStatusParam = NonNullable<ScanSearch['status']>[number]
export type ScanTypeParam = NonNullable<ScanSearch['type']>[number]
export type ScanAge = NonNullable<ScanSearch['since']>

const statuses: Readonly<Record<ScanStatusParam, ScanStatus>> = {
  created: 'STATUS_CREATED',
  running: 'STATUS_RUNNING',
  completed: 'STATUS_COMPLETED',
  cancelled: 'STATUS_CANCELLED',
  failed: 'STATUS_FAILED',
}
const types: Readonly<Record<ScanTypeParam, ScanType>> = {
  automatic: 'TYPE_AUTOMATIC',
  manual: 'TYPE_MANUAL',
  emerging: 'TYPE_EMERGING',
}

export const typeLabels: Readonly<Record<ScanType, string>> = {
  TYPE_UNSPECIFIED: 'Unspecified',
  TYPE_AUTOMATIC: 'Automatic',
  TYPE_MANUAL: 'Manual',
  TYPE_EMERGING: 'Emerging',
}

const dayMs = 86_400_000
const ages: Readonly<Record<ScanAge, number>> = { day: 1, week: 7, month: 30 }

/** Rounds ages to whole UTC days so that the query key stays the same all day. */
export function scansInput(search: ScanSearch, now = Date.now()): InputOf<typeof listScans> {
  const { target, status, type, since, size, after } = search
  const today = Math.floor(now / dayMs)
  return {
    pageSize: size ?? 25,
    pageToken: after?.at(-1),
    filter: {
      targetId: target,
      status: status?.map((word) => statuses[word]),
      types: type?.map((word) => types[word]),
      createdAfter: since && new Date((today - ages[since]) * dayMs).toISOString(),
    },
  }
}

/** Search params of a scan's page; each tab reads its own. */
export const ScanPartSearch = z.object({
  tab: lenient(z.enum(['result', 'changes', 'hosts', 'log'])),
  /** The scan to compare with, if not the previous one. */
  base: id,
  q: shortText,
  state: listOf(z.enum(['affected', 'scanned', 'silent', 'away'])),
  level: lenient(z.enum(['warn', 'error'])),
  ...paging,
})
export type ScanPartSearch = z.infer<typeof ScanPartSearch>
