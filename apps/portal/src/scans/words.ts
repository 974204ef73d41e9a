/** Words of what a scan says. */
import type { ScanHostState } from '@glacis/contract/scan'

export const hostStateWords: Readonly<Record<ScanHostState, string>> = {
  STATE_AFFECTED: 'Affected',
  STATE_SCANNED: 'Scanned',
  STATE_NOTHING_OPEN: 'Nothing open',
  STATE_NOT_REACHED: 'Not reached',
}
