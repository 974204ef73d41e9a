/** Labels for scan results. */
import type { ScanHostState } from '@glacis/contract/scan'

export const hostStateLabels: Readonly<Record<ScanHostState, string>> = {
  STATE_AFFECTED: 'Affected',
  STATE_SCANNED: 'Not affected',
  STATE_NOTHING_OPEN: 'No open ports',
  STATE_NOT_REACHED: 'Unreachable',
}
