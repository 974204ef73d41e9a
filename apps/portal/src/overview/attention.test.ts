import type { Issue, IssueStatus } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { expect, it } from 'vitest'
import { maxAttentionRows, selectForAttention, attentionReasons } from '#overview/attention.ts'

const now = Date.parse('2026-11-20T00:00:00Z')
function issue(
  category: SeverityCategory,
  firstSeen: string,
  status: IssueStatus = 'STATUS_OPEN',
  isExploited = false,
) {
  const severity = { cvss: '', score: 0, category }
  const knownExploited = isExploited ? { addTime: '2024-01-01T00:00:00Z' } : undefined
  return {
    status,
    firstSeenTime: `${firstSeen}T00:00:00Z`,
    threat: { severity, knownExploited } as unknown as Issue['threat'],
  }
}

it.each([
  ['2026-11-19', 'STATUS_OPEN', false, ['new']],
  ['2026-11-19', 'STATUS_REGRESSION', false, ['regressed']],
  ['2026-10-01', 'STATUS_REGRESSION', true, ['regressed', 'exploited']],
  ['2026-10-01', 'STATUS_OPEN', false, []],
] as const)('first seen %s, %s, exploited %s: %j', (firstSeen, status, isExploited, reasons) => {
  expect(attentionReasons(issue('CATEGORY_HIGH', firstSeen, status, isExploited), now)).toEqual(reasons)
})

it('sorts critical before high, then newest first, and returns at most seven', () => {
  const high = issue('CATEGORY_HIGH', '2026-11-19')
  const oldCritical = issue('CATEGORY_CRITICAL', '2026-01-01', 'STATUS_REGRESSION')
  const newCritical = issue('CATEGORY_CRITICAL', '2026-11-18')
  const quiet = issue('CATEGORY_HIGH', '2026-01-01')
  const longOpen = issue('CATEGORY_CRITICAL', '2025-01-01')
  const unrated = issue('CATEGORY_NONE', '2026-11-19')
  expect(selectForAttention([unrated, high, longOpen, oldCritical, quiet, newCritical], now)).toEqual([
    newCritical,
    oldCritical,
    longOpen,
    high,
  ])
  expect(
    selectForAttention(
      Array.from({ length: 20 }, () => high),
      now,
    ),
  ).toHaveLength(maxAttentionRows)
})
