import type { Scan, ScanPhase, ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { progressText } from '#ui/charts/scan-progress.tsx'

function scan(status: ScanStatus, phase: ScanPhase, done: number, total: number, affected = 0, reason = ''): Scan {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    type: 'TYPE_MANUAL',
    status,
    issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
    hostCount: { scannedHosts: done, affectedHosts: affected },
    createTime: '2026-11-20T22:00:00Z',
    updateTime: '2026-11-20T22:00:00Z',
    progress: { phase, hostsDone: done, hostsTotal: total, failureReason: reason },
  }
}

it.each([
  [scan('STATUS_CREATED', 'PHASE_WAITING', 0, 0), 'Waiting to start.'],
  [scan('STATUS_CREATED', 'PHASE_WAITING', 0, 0, 0, 'Waiting for agent zrh-1.'), 'Waiting for agent zrh-1.'],
  [scan('STATUS_RUNNING', 'PHASE_DISCOVERY', 0, 0), 'Finding hosts. 0 hosts scanned.'],
  [scan('STATUS_RUNNING', 'PHASE_CHECKS', 0, 1), 'Running checks. 0 of 1 address scanned.'],
  [
    scan('STATUS_RUNNING', 'PHASE_CHECKS', 142, 187, 9),
    'Running checks. 142 of 187 addresses scanned, 9 hosts affected.',
  ],
])('describes the progress: %#', (subject, expected) => {
  expect(progressText(subject)).toBe(expected)
})
