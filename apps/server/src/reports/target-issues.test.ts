import type { AffectedHost, Issue } from '@glacis/contract/issue'
import { expect, it } from 'vitest'
import { sample } from './testing/sample.ts'
import { restrictToTarget } from './target-issues.ts'

const [issue] = sample.issues.filter(({ affectedHosts }) => affectedHosts.length > 0)
const [affectedHost] = issue?.affectedHosts ?? []
if (!issue || !affectedHost) throw new Error('the sample has an issue on a host')
const targetId = affectedHost.target.id

/** The same occurrence in another target. */
const elsewhere = (status: AffectedHost['status']): AffectedHost => ({
  ...affectedHost,
  target: { ...affectedHost.target, id: '00000000-0000-4000-8000-000000009999' },
  host: { ...affectedHost.host, address: '198.51.100.99' },
  status,
})
const within = (affectedHosts: AffectedHost[], more: Partial<Issue> = {}) =>
  restrictToTarget([{ ...issue, affectedHosts, ...more }], targetId)

it('shows hosts of the target only', () => {
  const [shown] = within([affectedHost, elsewhere('STATUS_OPEN')], { affectedHostCount: 2 })
  expect(shown?.affectedHosts).toEqual([affectedHost])
  expect(shown).not.toHaveProperty('affectedHostCount')
})

it('shows the status and first-seen time on the target', () => {
  const resolved = { ...affectedHost, status: 'STATUS_RESOLVED', firstSeenTime: '2026-09-18T01:00:00.000Z' } as const
  const [shown] = within([resolved, elsewhere('STATUS_OPEN')], { status: 'STATUS_OPEN' })
  expect(shown).toMatchObject({ status: 'STATUS_RESOLVED', firstSeenTime: resolved.firstSeenTime })
})

it('keeps the ignore terms of the target', () => {
  const ignored = { ...affectedHost, status: 'STATUS_IGNORED', ignored: { comment: 'Behind a proxy' } } as const
  const [shown] = within([ignored, elsewhere('STATUS_OPEN')], { status: 'STATUS_OPEN' })
  expect(shown).toMatchObject({ status: 'STATUS_IGNORED', ignored: { comment: 'Behind a proxy' } })
})

it('drops issues without occurrences in the target', () => {
  expect(within([elsewhere('STATUS_OPEN')])).toEqual([])
})
