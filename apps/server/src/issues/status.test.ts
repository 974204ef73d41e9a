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
  ['what was never seen opens', null, seen('git-config'), 'STATUS_OPEN'],
  ['open stays open', before('STATUS_OPEN', 'scan'), seen('git-config'), 'STATUS_OPEN'],
  ['ignored stays ignored', before('STATUS_IGNORED', 'person'), seen('git-config'), 'STATUS_IGNORED'],
  [
    'a proof after a person resolved is a regression',
    before('STATUS_RESOLVED', 'person'),
    seen('git-config'),
    'STATUS_REGRESSION',
  ],
  [
    'a proof after a scan resolved is a regression',
    before('STATUS_RESOLVED', 'scan'),
    seen('git-config'),
    'STATUS_REGRESSION',
  ],
  [
    'the same version after a person resolved says nothing new',
    before('STATUS_RESOLVED', 'person'),
    seen('version'),
    'STATUS_RESOLVED',
  ],
  [
    'another version after a person resolved does',
    before('STATUS_RESOLVED', 'person'),
    seen('version', 'other'),
    'STATUS_REGRESSION',
  ],
  [
    'a version that a scan had seen gone is a regression',
    before('STATUS_RESOLVED', 'scan'),
    seen('version'),
    'STATUS_REGRESSION',
  ],
] as const)('%s', (_, standing, sight, status) => {
  expect(onDetected(standing, sight)).toBe(status)
})
