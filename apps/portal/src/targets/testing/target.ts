import type { Target } from '@glacis/contract/target'

const time = '2026-11-22T21:09:15.562Z'

/** A network that was never scanned. */
export const testTarget: Target = {
  id: '01a20517-7eb5-7872-a820-6652a18220b1',
  name: 'Lab',
  address: '192.0.2.0/28',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
  createTime: time,
  updateTime: time,
}
