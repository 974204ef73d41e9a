import type { ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { formatScanDuration, formatRoughDuration } from '#scans/duration.ts'

const createTime = '2026-11-20T22:00:00Z'
const startTime = '2026-11-20T22:18:00Z'
const now = Date.parse('2026-11-20T22:20:00Z')

it.each([
  ['STATUS_CREATED', undefined, undefined, undefined, undefined],
  ['STATUS_RUNNING', startTime, undefined, '2 min', '2 min'],
  ['STATUS_COMPLETED', startTime, '2026-11-20T22:42:10Z', '24 min 10 s', '24 min'],
  ['STATUS_FAILED', undefined, '2026-11-20T22:00:01Z', '1 s', '1 s'],
] as const)('formats the duration of %s from %s to %s as %s', (status: ScanStatus, start, end, expected, rough) => {
  const times = { createTime, ...(start && { startTime: start }), ...(end && { completeTime: end }) }
  expect(formatScanDuration({ status, ...times }, now)).toBe(expected)
  expect(formatRoughDuration({ status, ...times }, now)).toBe(rough)
})
