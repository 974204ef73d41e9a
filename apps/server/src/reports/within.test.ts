import type { AffectedHost, Issue } from '@glacis/contract/issue'
import { expect, it } from 'vitest'
import { sample } from './testing/sample.ts'
import { issuesWithin } from './within.ts'

const [issue] = sample.issues.filter(({ affectedHosts }) => affectedHosts.length > 0)
const [place] = issue?.affectedHosts ?? []
if (!issue || !place) throw new Error('the sample has an issue on a host')
const here = place.target.id

/** The same place, in another target. */
const elsewhere = (status: AffectedHost['status']): AffectedHost => ({
  ...place,
  target: { ...place.target, id: '00000000-0000-4000-8000-000000009999' },
  host: { ...place.host, address: '198.51.100.99' },
  status,
})
const within = (affectedHosts: AffectedHost[], more: Partial<Issue> = {}) =>
  issuesWithin([{ ...issue, affectedHosts, ...more }], here)

it('tells of the hosts of the target alone', () => {
  const [shown] = within([place, elsewhere('STATUS_OPEN')], { affectedHostCount: 2 })
  expect(shown?.affectedHosts).toEqual([place])
  expect(shown).not.toHaveProperty('affectedHostCount')
})

it('has an issue stand where it does on the target, since when it does there', () => {
  const resolved = { ...place, status: 'STATUS_RESOLVED', firstSeenTime: '2026-09-18T01:00:00.000Z' } as const
  const [shown] = within([resolved, elsewhere('STATUS_OPEN')], { status: 'STATUS_OPEN' })
  expect(shown).toMatchObject({ status: 'STATUS_RESOLVED', firstSeenTime: resolved.firstSeenTime })
})

it('keeps the terms on which it is ignored there', () => {
  const ignored = { ...place, status: 'STATUS_IGNORED', ignored: { comment: 'Behind a proxy' } } as const
  const [shown] = within([ignored, elsewhere('STATUS_OPEN')], { status: 'STATUS_OPEN' })
  expect(shown).toMatchObject({ status: 'STATUS_IGNORED', ignored: { comment: 'Behind a proxy' } })
})

it('leaves out what has no place there any more', () => {
  expect(within([elsewhere('STATUS_OPEN')])).toEqual([])
})
