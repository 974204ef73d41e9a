import type { Target } from '@glacis/contract/target'
import { expect, it } from 'vitest'
import { noRisksMessage } from '#targets/labels.ts'

const target: Target = {
  id: '01a20517-7eb5-7872-a820-6652a18220b1',
  name: 'Lab',
  address: '192.0.2.0/28',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
  createTime: '2026-11-22T21:09:15.562Z',
  updateTime: '2026-11-22T21:09:15.562Z',
}
const after = (status: string, hostCount = 0) => ({
  ...target,
  hostCount,
  lastScan: { id: target.id, status, createTime: target.createTime },
})

it.each([
  ['was never scanned', target, 'Not scanned yet'],
  ['is being scanned', after('STATUS_RUNNING'), 'Scan in progress'],
  ['did not respond', after('STATUS_COMPLETED'), 'No hosts responded'],
  ['was not reached', after('STATUS_FAILED'), 'No results yet'],
  ['was not reached', after('STATUS_CANCELLED'), 'No results yet'],
  ['answered', after('STATUS_COMPLETED', 13), 'No open risks'],
  ['answered before', after('STATUS_FAILED', 1), 'No open risks'],
] as const)('describes a target that %s', (_, of, title) => expect(noRisksMessage(of).title).toBe(title))

it('names the scanner that must reach the target', () => {
  expect(noRisksMessage(after('STATUS_COMPLETED')).text).toContain('that this server can reach it')
  const agent = { id: target.id, name: 'zrh-dc1' } as NonNullable<Target['agent']>
  expect(noRisksMessage({ ...after('STATUS_COMPLETED'), agent }).text).toContain('that zrh-dc1 can reach it')
})
