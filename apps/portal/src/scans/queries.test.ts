import { ReportQuery, type Scan, type ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { fromQueryString, toQueryString } from '@glacis/contract/query-string'
import { ExportQuery } from '@glacis/contract/triage'
import { providePortalConfig } from '#lib/portal-config.ts'
import { testConfig } from '#lib/testing/service.ts'
import { active, hasEnded, reportUrl, csvUrl } from '#scans/queries.ts'

const scan = (id: string, status: ScanStatus): Scan => ({
  id,
  status,
  type: 'TYPE_MANUAL',
  issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
  hostCount: { scannedHosts: 0, affectedHosts: 0 },
  createTime: '2026-11-20T22:00:00Z',
  updateTime: '2026-11-20T22:00:00Z',
})
const running = scan('a', 'STATUS_RUNNING')
const done = scan('a', 'STATUS_COMPLETED')

it.each([
  ['a running scan completed', [running], [done], true],
  ['a running scan left the list of active scans', [running], [], true],
  ['the scan is still running', [running], [running], false],
  ['a waiting scan started', [scan('a', 'STATUS_CREATED')], [running], false],
  ['the scan had ended before', [done], [done], false],
  ['another scan was created', [], [running], false],
] as const)('detects an ended scan if %s: %4$s', (_, before, after, verdict) => {
  expect(hasEnded(before, after)).toBe(verdict)
})

it('requests only created and running scans', () => {
  const [path, input] = active().queryKey
  expect([path, toQueryString(input as Parameters<typeof toQueryString>[0])]).toEqual([
    '/v1/scans',
    expect.stringContaining('filter.status=STATUS_CREATED&filter.status=STATUS_RUNNING'),
  ])
})

it('builds report and export URLs that match the contract', () => {
  providePortalConfig(testConfig('http://127.0.0.1:3000'))
  const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
  const queryOf = (address: string) => fromQueryString(new URL(address).search)
  expect(reportUrl(id)).toBe(`http://127.0.0.1:3000/v1/scans/${id}/report?download=true`)
  expect(ReportQuery.parse(queryOf(reportUrl(id, 'sarif')))).toEqual({ download: true, format: 'sarif' })
  expect(ExportQuery.parse(queryOf(csvUrl(id)))).toMatchObject({ format: 'csv', filter: { scanId: id } })
})
