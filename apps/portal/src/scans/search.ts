/** Between the address of the scan list and what the API is asked for. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { listScans, ScanStatus, ScanType } from '@glacis/contract/scan'

export type ScanStatusWord = 'created' | 'running' | 'completed' | 'cancelled' | 'failed'
export type ScanTypeWord = 'automatic' | 'manual' | 'emerging'

/** What the address of the scan list may carry. */
export interface ScanSearch {
  readonly target?: string | undefined
  readonly status?: readonly ScanStatusWord[] | undefined
  readonly type?: readonly ScanTypeWord[] | undefined
  readonly size?: 25 | 50 | 100 | undefined
  readonly after?: readonly string[] | undefined
}

const statuses: Readonly<Record<ScanStatusWord, ScanStatus>> = {
  created: 'STATUS_CREATED',
  running: 'STATUS_RUNNING',
  completed: 'STATUS_COMPLETED',
  cancelled: 'STATUS_CANCELLED',
  failed: 'STATUS_FAILED',
}
const types: Readonly<Record<ScanTypeWord, ScanType>> = {
  automatic: 'TYPE_AUTOMATIC',
  manual: 'TYPE_MANUAL',
  emerging: 'TYPE_EMERGING',
}

export const typeWords: Readonly<Record<ScanType, string>> = {
  TYPE_UNSPECIFIED: 'Unspecified',
  TYPE_AUTOMATIC: 'Automatic',
  TYPE_MANUAL: 'Manual',
  TYPE_EMERGING: 'Emerging',
}

export function scansInput({ target, status, type, size, after }: ScanSearch): InputOf<typeof listScans> {
  return {
    pageSize: size ?? 25,
    pageToken: after?.at(-1),
    filter: {
      targetId: target,
      status: status?.map((word) => statuses[word]),
      types: type?.map((word) => types[word]),
    },
  }
}
