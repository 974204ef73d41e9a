import type { HistoryEntry, IssueStatus } from '@glacis/contract/issue'
import { describe, expect, it } from 'vitest'
import { availableActions, commonActions } from '#issues/actions.ts'
import { regressionSummary, ignoreSummary } from '#issues/issue-notes.tsx'
import { curlCommand } from '#issues/curl-command.ts'
import { parseCvssVector } from '#issues/cvss.ts'
import { splitHighlights } from '#issues/highlight.ts'
import { statusSpans, stripLabel } from '#issues/history-strip.ts'
import { deselectHidden, nothingSelected, toggleRow, toggleAllRows } from '#lib/selection.ts'

describe('available actions', () => {
  it.each([
    ['STATUS_OPEN', ['STATUS_RESOLVED', 'STATUS_IGNORED']],
    ['STATUS_REGRESSION', ['STATUS_RESOLVED', 'STATUS_IGNORED']],
    ['STATUS_RESOLVED', ['STATUS_IGNORED', 'STATUS_OPEN']],
    ['STATUS_IGNORED', ['STATUS_RESOLVED', 'STATUS_OPEN']],
  ] as const)('%s: %j', (status, actions) => {
    expect(availableActions(status)).toEqual(actions)
  })
  it.each([
    [
      ['STATUS_OPEN', 'STATUS_REGRESSION'],
      ['STATUS_RESOLVED', 'STATUS_IGNORED'],
    ],
    [['STATUS_OPEN', 'STATUS_RESOLVED'], ['STATUS_IGNORED']],
    [['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED'], []],
    [[], []],
  ] as [IssueStatus[], IssueStatus[]][])('common to %j: %j', (statuses, actions) => {
    expect(commonActions(statuses)).toEqual(actions)
  })
})

describe('CVSS vectors', () => {
  it('parses version 3.1 into its eight base metrics', () => {
    const reading = parseCvssVector('CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:L/A:N')
    expect(reading?.version).toBe('3.1')
    expect(reading?.cells.map(({ value, level }) => `${value} ${level}`)).toEqual([
      'Network 3',
      'Low 3',
      'None 3',
      'Required 1',
      'Unchanged 1',
      'High 3',
      'Low 2',
      'None 0',
    ])
  })
  it.each([
    ['AV:N/AC:M/Au:N/C:P/I:P/A:C', '2.0', 6],
    ['(AV:N/AC:M/Au:N/C:P/I:P/A:C)', '2.0', 6],
    ['CVSS:3.0/AV:P/AC:H/PR:H/UI:N/S:C/C:N/I:N/A:H/E:U/RL:O', '3.0', 8],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', '4.0', 11],
  ])('reads %s', (vector, version, cells) => {
    expect(parseCvssVector(vector)).toMatchObject({ version, cells: { length: cells } })
  })
  it.each(['', 'CVSS:3.1/AV:N', 'CVSS:9.9/AV:N/AC:L', 'CVSS:3.1/AV:X/AC:L/PR:N/UI:R/S:U/C:H/I:L/A:N', 'high'])(
    'rejects %j',
    (vector) => {
      expect(parseCvssVector(vector)).toBeUndefined()
    },
  )
})

describe('the 90-day history strip', () => {
  const now = Date.parse('2026-11-20T00:00:00Z')
  const entry = (status: IssueStatus, day: string): HistoryEntry => ({ status, timestamp: `${day}T00:00:00Z` })
  it('starts absent and ends now', () => {
    const all = statusSpans([entry('STATUS_OPEN', '2026-11-17')], now)
    expect(all.map(({ status, days }) => [status, days])).toEqual([
      ['absent', 87],
      ['STATUS_OPEN', 3],
    ])
    expect(stripLabel(all)).toBe('Not present for 87 days, open since 17 Nov 2026')
  })
  it('starts with the status of 90 days ago, regardless of the order of entries', () => {
    const all = statusSpans([entry('STATUS_RESOLVED', '2026-10-01'), entry('STATUS_OPEN', '2026-01-01')], now)
    expect(all.map(({ status, days }) => [status, days])).toEqual([
      ['STATUS_OPEN', 40],
      ['STATUS_RESOLVED', 50],
    ])
    expect(all.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
  })
  it('merges entries with an unchanged status', () => {
    const all = statusSpans([entry('STATUS_OPEN', '2026-01-01'), entry('STATUS_OPEN', '2026-10-01')], now)
    expect(stripLabel(all)).toBe('Open for 90 days')
  })
  it('describes a status of less than a day', () => {
    const day = { timestamp: '2026-11-19T08:00:00Z', status: 'STATUS_RESOLVED' as const }
    const all = statusSpans([entry('STATUS_OPEN', '2026-11-19'), day], now)
    expect(stripLabel(all)).toBe('Not present for 89 days, open for less than a day, resolved since 19 Nov 2026')
  })
})

describe('a selection', () => {
  const rows = ['a', 'b', 'c', 'd']
  it('extends the range from the row selected last', () => {
    const from = toggleRow(nothingSelected, rows, 'd')
    expect([...toggleRow(from, rows, 'b', true).ids].sort()).toEqual(['b', 'c', 'd'])
  })
  it('deselects a range the same way', () => {
    const all = toggleRow(toggleAllRows(nothingSelected, rows), rows, 'b')
    expect([...toggleRow(all, rows, 'd', true).ids]).toEqual(['a'])
  })
  it('selects a single row if the anchor has left the page', () => {
    expect([...toggleRow({ ids: new Set(), anchor: 'x' }, rows, 'c', true).ids]).toEqual(['c'])
  })
  it('selects all, then none', () => {
    const all = toggleAllRows(nothingSelected, rows)
    expect(all.ids.size).toBe(4)
    expect(toggleAllRows(all, rows).ids.size).toBe(0)
  })
  it('drops rows that have left the page', () => {
    const all = toggleAllRows(nothingSelected, rows)
    expect([...deselectHidden(all, ['b', 'z']).ids]).toEqual(['b'])
    expect(deselectHidden(all, rows)).toBe(all)
  })
})

describe('highlights', () => {
  it.each([
    ['version 5.17.3, again 5.17.3', ['5.17.3'], ['version ', '*5.17.3', ', again ', '*5.17.3']],
    ['abcabc', ['ab', 'abc'], ['*abc', '*abc']],
    ['nothing', ['x', ''], ['nothing']],
    ['', ['x'], []],
  ])('in %j of %j', (text, highlights, pieces) => {
    expect(
      splitHighlights(text, highlights).map(({ text: piece, isHighlighted }) => (isHighlighted ? `*${piece}` : piece)),
    ).toEqual(pieces)
  })
})

describe('curlCommand', () => {
  const request = (text: string) => text.replaceAll('\n', '\r\n')
  it.each([
    [
      {
        request: request('GET /.git/config HTTP/1.1\nHost: web.example\nUser-Agent: x\n\n'),
        port: 80,
        address: '192.0.2.1',
      },
      "curl -sik --path-as-is -H 'User-Agent: x' --resolve 'web.example:80:192.0.2.1' 'http://web.example/.git/config'",
    ],
    [
      {
        request: "POST /a HTTP/1.1\nHost: 192.0.2.1:8443\nContent-Length: 4\n\nit's",
        port: 8443,
        address: '192.0.2.1',
      },
      `curl -sik --path-as-is -X POST --data-binary 'it'\\''s' 'https://192.0.2.1:8443/a'`,
    ],
    [
      { request: 'GET / HTTP/1.1\nHost: [2001:db8::1]\n\n', port: 80, address: '2001:db8::1' },
      "curl -sik --path-as-is 'http://[2001:db8::1]/'",
    ],
    [{ request: 'PING', port: 6379, address: '192.0.2.1' }, undefined],
    [{ port: 80, address: '192.0.2.1' }, undefined],
  ])('%j', (request, command) => {
    expect(curlCommand(request)).toBe(command)
  })
})

describe('issue notes', () => {
  it.each([
    [{}, 'Ignored.'],
    [{ reason: 'REASON_FALSE_POSITIVE' as const, actor: 'Nora' }, 'False positive, by Nora.'],
    [
      { reason: 'REASON_ACCEPTED_RISK' as const, untilTime: '2026-12-31T12:00:00Z' },
      'Accepted risk until 31 Dec 2026.',
    ],
  ])('of %j', (terms, expected) => {
    expect(ignoreSummary(terms)).toBe(expected)
  })

  it('name who resolved a regressed risk', () => {
    const history: HistoryEntry[] = [
      { status: 'STATUS_OPEN', timestamp: '2026-11-01T12:00:00Z', actor: 'scan' },
      { status: 'STATUS_RESOLVED', timestamp: '2026-11-02T12:00:00Z', actor: 'Nora Ammann' },
      { status: 'STATUS_REGRESSION', timestamp: '2026-11-03T12:00:00Z', actor: 'scan' },
    ]
    const status: IssueStatus = 'STATUS_REGRESSION'
    expect(regressionSummary({ status, history })).toBe(
      'A scan found it again on 3 Nov 2026; Nora Ammann had resolved it on 2 Nov 2026.',
    )
    expect(regressionSummary({ status: 'STATUS_OPEN', history })).toBeUndefined()
  })
})
