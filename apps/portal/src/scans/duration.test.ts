import type { ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { durationWords, roughDurationWords } from '#scans/duration.ts'

const createTime = '2026-11-20T22:00:00Z'
const startTime = '2026-11-20T22:18:00Z'
const now = Date.parse('2026-11-20T22:20:00Z')

it.each([
  ['STATUS_CREATED', undefined, undefined, undefined, undefined],
  ['STATUS_RUNNING', startTime, undefined, '2 mins', '2 mins'],
  ['STATUS_COMPLETED', startTime, '2026-11-20T22:42:10Z', '24 mins 10 secs', '24 mins'],
  ['STATUS_FAILED', undefined, '2026-11-20T22:00:01Z', '1 sec', '1 sec'],
] as const)('%s from %s to %s: %s', (status: ScanStatus, start, end, words, rough) => {
  const times = { createTime, ...(start && { startTime: start }), ...(end && { completeTime: end }) }
  expect(durationWords({ status, ...times }, now)).toBe(words)
  expect(roughDurationWords({ status, ...times }, now)).toBe(rough)
})
