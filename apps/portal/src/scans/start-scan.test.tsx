import { QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { providePortalConfig } from '#lib/portal-config.ts'
import { testConfig, type Service, startService } from '#lib/testing/service.ts'
import { StartScanButton } from '#scans/start-scan.tsx'

let service: Service
beforeEach(async () => {
  service = await startService()
  providePortalConfig(testConfig(service.url))
})
afterEach(async () => {
  cleanup()
  await service.close()
})

const ids = { Here: '019a0000-0000-7000-8000-000000000001', There: '019a0000-0000-7000-8000-000000000002' }
const target = (name: keyof typeof ids, more: object = {}) => ({
  id: ids[name],
  name,
  address: '127.0.0.9',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
  createTime: '2026-11-01T00:00:00Z',
  updateTime: '2026-11-01T00:00:00Z',
  ...more,
})

/** Opens the dialog and returns the chosen targets and whether the scan can be started. */
async function opened(targets: readonly object[]) {
  service.on('GET /v1/targets', { body: { targets } })
  service.on('GET /v1/scans', { body: { scans: [] } })
  render(
    <QueryClientProvider client={createQueryClient()}>
      <StartScanButton />
    </QueryClientProvider>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Start scan' }))
  const radios = await screen.findAllByRole<HTMLInputElement>('radio')
  const start = within(screen.getByRole('dialog')).getByRole<HTMLButtonElement>('button', { name: 'Start scan' })
  return { chosen: radios.filter(({ checked }) => checked).map(({ value }) => value), canStart: !start.disabled }
}

it.each([
  ['a single target', [target('Here')], { chosen: [ids.Here], canStart: true }],
  ['a single paused target', [target('Here', { pauseTime: '2026-11-01T00:00:00Z' })], { chosen: [], canStart: false }],
  ['two targets', [target('Here'), target('There')], { chosen: [], canStart: false }],
])('preselects the target only if there is no choice: %s', async (_, targets, expected) => {
  expect(await opened(targets)).toEqual(expected)
})

it('finds a target by its Unicode name and displays that name', async () => {
  const other = (index: number) =>
    target('There', { id: ids.There.replace(/\d$/, String(index)), name: `Site ${index}` })
  const own = { address: 'xn--bcher-kva.example', readableAddress: 'bücher.example' }
  await opened([target('Here', own), ...[2, 3, 4, 5, 6, 7, 8].map(other)])
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search targets' }), 'BÜCHER')
  expect(screen.getAllByRole('radio')).toHaveLength(1)
  expect(screen.getByText('bücher.example').title).toBe('xn--bcher-kva.example')
})
