import type { ScanPhase, ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { formatChanges } from '#scans/queries.ts'
import { stateOf } from '#scans/scan-rail.tsx'

it.each([
  [{ new: 3, resolved: 5, regressive: 0 }, '3 new, 5 resolved'],
  [{ new: 0, resolved: 0, regressive: 2 }, '2 regressed'],
  [{ new: 0, resolved: 0, regressive: 0 }, 'no changes'],
])('formats %j as %s', (changes, expected) => {
  expect(formatChanges(changes)).toBe(expected)
})

it.each([
  ['STATUS_RUNNING', 'PHASE_IDENTIFY', ['done', 'done', 'current', 'open', 'open']],
  ['STATUS_CANCELLED', 'PHASE_IDENTIFY', ['done', 'done', 'cancelled', 'open', 'open']],
  ['STATUS_FAILED', 'PHASE_DISCOVERY', ['failed', 'open', 'open', 'open', 'open']],
  ['STATUS_CANCELLED', 'PHASE_WAITING', ['open', 'open', 'open', 'open', 'open']],
  ['STATUS_CREATED', 'PHASE_WAITING', ['open', 'open', 'open', 'open', 'open']],
  ['STATUS_COMPLETED', 'PHASE_EVALUATE', ['done', 'done', 'done', 'done', 'done']],
] as const)('shows the phases of a scan with %s in %s as %j', (status: ScanStatus, now: ScanPhase, states) => {
  const phases = ['PHASE_DISCOVERY', 'PHASE_PORTS', 'PHASE_IDENTIFY', 'PHASE_CHECKS', 'PHASE_EVALUATE'] as const
  expect(phases.map((phase) => stateOf(phase, { status }, now))).toEqual(states)
})
