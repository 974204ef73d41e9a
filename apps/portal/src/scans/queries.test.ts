import { ReportQuery, type Scan, type ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { fromQueryString, toQueryString } from '@glacis/contract/query-string'
import { ExportQuery } from '@glacis/contract/triage'
import { providePortalConfig } from '#lib/portal-config.ts'
import { installationAt } from '#lib/testing/service.ts'
import { active, hasEnded, reportAddress, tableAddress } from '#scans/queries.ts'

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
  ['it completed', [running], [done], true],
  ['it left the list of what runs', [running], [], true],
  ['it still runs', [running], [running], false],
  ['it waited and now runs', [scan('a', 'STATUS_CREATED')], [running], false],
  ['it had ended before', [done], [done], false],
  ['another began', [], [running], false],
] as const)('when %s', (_, before, after, verdict) => {
  expect(hasEnded(before, after)).toBe(verdict)
})

it('asks for what waits or runs, and for nothing else', () => {
  const [path, input] = active().queryKey
  expect([path, toQueryString(input as Parameters<typeof toQueryString>[0])]).toEqual([
    '/v1/scans',
    expect.stringContaining('filter.status=STATUS_CREATED&filter.status=STATUS_RUNNING'),
  ])
})

it('names the files of a scan as the API reads them', () => {
  providePortalConfig(installationAt('http://127.0.0.1:3000'))
  const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
  const asked = (address: string) => fromQueryString(new URL(address).search)
  expect(reportAddress(id)).toBe(`http://127.0.0.1:3000/v1/scans/${id}/report?download=true`)
  expect(ReportQuery.parse(asked(reportAddress(id, 'sarif')))).toEqual({ download: true, format: 'sarif' })
  expect(ExportQuery.parse(asked(tableAddress(id)))).toMatchObject({ format: 'csv', filter: { scanId: id } })
})
