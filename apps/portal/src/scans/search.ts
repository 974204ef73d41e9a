/** Maps the search params of the scan list to the API's input. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { listScans, ScanStatus, ScanType } from '@glacis/contract/scan'

export type ScanStatusParam = 'created' | 'running' | 'completed' | 'cancelled' | 'failed'
export type ScanTypeParam = 'automatic' | 'manual' | 'emerging'

export type ScanAge = 'day' | 'week' | 'month'

/** Search params of the scan list. */
export interface ScanSearch {
  readonly target?: string | undefined
  readonly status?: readonly ScanStatusParam[] | undefined
  readonly type?: readonly ScanTypeParam[] | undefined
  /** Maximum age of the scan's start. */
  readonly since?: ScanAge | undefined
  readonly size?: 25 | 50 | 100 | 500 | undefined
  readonly after?: readonly string[] | undefined
}

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
export interface ScanPartSearch {
  readonly tab?: 'result' | 'changes' | 'hosts' | 'log' | undefined
  readonly base?: string | undefined
  readonly q?: string | undefined
  readonly state?: readonly ('affected' | 'scanned' | 'silent' | 'away')[] | undefined
  readonly level?: 'warn' | 'error' | undefined
  readonly size?: 25 | 50 | 100 | 500 | undefined
  readonly after?: readonly string[] | undefined
}
