import type { Target } from '@glacis/contract/target'
import { expect, it } from 'vitest'
import { noRisksMessage } from '#targets/labels.ts'
import { testTarget as target } from '#targets/testing/target.ts'

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
