import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { expect, it } from 'vitest'
import { hasFilters, issuesInput, type RiskSearch, withoutFilters } from '#issues/search.ts'

const queryOf = (...args: Parameters<typeof issuesInput>) =>
  toQueryString(issuesInput(...args) as Record<string, QueryValue>)

it('requests open, verified risks, most severe first, by default', () => {
  expect(decodeURIComponent(queryOf({}, 'VERIFICATION_VERIFIED'))).toBe(
    'pageSize=25&orderBy=ORDER_BY_SEVERITY&filter.verification=VERIFICATION_FILTER_VERIFIED&filter.status=STATUS_FILTER_OPEN',
  )
})

it('sorts potential risks by priority by default', () => {
  expect(issuesInput({}, 'VERIFICATION_UNVERIFIED').orderBy).toBe('ORDER_BY_PRIORITY')
  expect(issuesInput({}).orderBy).toBe('ORDER_BY_SEVERITY')
})

it('maps every search param', () => {
  const search: RiskSearch = {
    status: 'all',
    severity: ['critical', 'none'],
    kev: true,
    q: 'redis',
    sort: 'priority',
    size: 100,
    after: ['one', 'two'],
  }
  expect(queryOf(search, 'VERIFICATION_UNVERIFIED').split('&')).toEqual([
    'pageSize=100',
    'pageToken=two',
    'orderBy=ORDER_BY_PRIORITY',
    'filter.verification=VERIFICATION_FILTER_UNVERIFIED',
    'filter.severities=CATEGORY_CRITICAL',
    'filter.severities=CATEGORY_NONE',
    'filter.severities=CATEGORY_UNSPECIFIED',
    'filter.kev=true',
    'filter.query=redis',
  ])
})

it('finds risks of the current user, and those of no one', () => {
  expect(issuesInput({ mine: true }, undefined, 'nora').filter).toMatchObject({ assigneeId: 'nora' })
  expect(issuesInput({ unassigned: true }, undefined, 'nora').filter).toMatchObject({ isUnassigned: true })
})

it('clears filters and page, but keeps tab, sort order, and page size', () => {
  const search: RiskSearch = { status: 'ignored', sort: 'priority', size: 50, q: 'x', after: ['t'] }
  expect(hasFilters(search)).toBe(true)
  expect(hasFilters(withoutFilters(search))).toBe(false)
  expect(withoutFilters(search)).toEqual({ status: 'ignored', sort: 'priority', size: 50 })
})
