import { expect, it } from 'vitest'
import { canTransition, onDetected } from '#issues/status.ts'

it.each([
  ['STATUS_OPEN', 'STATUS_RESOLVED', true],
  ['STATUS_OPEN', 'STATUS_IGNORED', true],
  ['STATUS_OPEN', 'STATUS_OPEN', false],
  ['STATUS_REGRESSION', 'STATUS_RESOLVED', true],
  ['STATUS_REGRESSION', 'STATUS_IGNORED', true],
  ['STATUS_REGRESSION', 'STATUS_OPEN', false],
  ['STATUS_RESOLVED', 'STATUS_OPEN', true],
  ['STATUS_RESOLVED', 'STATUS_IGNORED', true],
  ['STATUS_RESOLVED', 'STATUS_REGRESSION', false],
  ['STATUS_IGNORED', 'STATUS_OPEN', true],
  ['STATUS_IGNORED', 'STATUS_RESOLVED', true],
] as const)('a user can change %s to %s: %s', (from, to, verdict) => {
  expect(canTransition(from, to)).toBe(verdict)
})

const seen = (method: string, evidenceKey = 'same') => ({ method, evidenceKey })
const before = (
  status: 'STATUS_OPEN' | 'STATUS_RESOLVED' | 'STATUS_IGNORED' | 'STATUS_REGRESSION',
  decidedBy: 'scan' | 'person',
) => ({
  status,
  decidedBy,
  evidenceKey: 'same',
})

it.each([
  ['a new occurrence is open', null, seen('git-config'), 'STATUS_OPEN'],
  ['an open occurrence stays open', before('STATUS_OPEN', 'scan'), seen('git-config'), 'STATUS_OPEN'],
  ['an ignored occurrence stays ignored', before('STATUS_IGNORED', 'person'), seen('git-config'), 'STATUS_IGNORED'],
  [
    'resolved by a user, detected by a check: regression',
    before('STATUS_RESOLVED', 'person'),
    seen('git-config'),
    'STATUS_REGRESSION',
  ],
  [
    'resolved by a scan, detected by a check: regression',
    before('STATUS_RESOLVED', 'scan'),
    seen('git-config'),
    'STATUS_REGRESSION',
  ],
  [
    'resolved by a user, same version: stays resolved',
    before('STATUS_RESOLVED', 'person'),
    seen('version'),
    'STATUS_RESOLVED',
  ],
  [
    'resolved by a user, another version: regression',
    before('STATUS_RESOLVED', 'person'),
    seen('version', 'other'),
    'STATUS_REGRESSION',
  ],
  [
    'resolved by a scan, matching version: regression',
    before('STATUS_RESOLVED', 'scan'),
    seen('version'),
    'STATUS_REGRESSION',
  ],
] as const)('%s', (_, current, detection, status) => {
  expect(onDetected(current, detection)).toBe(status)
})
