import type { Product } from '@glacis/contract/product'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { nothingSelected } from '#lib/selection.ts'
import { versionsLabel } from '#lib/versions-label.ts'
import { endOfLifeVersions, versionShares } from '#products/grouping.ts'
import { ProductTable } from '#products/product-table.tsx'

function product(name: string, version: string, hostCount: number, vendor = 'f5'): Product {
  return {
    id: crypto.randomUUID(),
    createTime: '2026-11-20T00:00:00Z',
    updateTime: '2026-11-20T00:00:00Z',
    name,
    version,
    hostCount,
    watched: false,
    minNotificationSeverity: 7,
    issueCount: { critical: 0, high: 1, medium: 0, low: 0 },
    wfn: wfnOf(vendor, name.toLowerCase(), version),
  }
}
function wfnOf(vendor: string, name: string, version: string): Product['wfn'] {
  const any = { update: '', edition: '', language: '', softwareEdition: '', targetSoftware: '', targetHardware: '' }
  return { part: 'a', vendor, product: name, version, ...any, other: '', text: '' }
}
const products = [
  product('nginx', '1.18.0', 3),
  product('Redis', '6.0.9', 1, 'redis'),
  product('nginx', '1.22.1', 1),
  product('nginx', '1.25.0', 0),
]
const picking = { selection: nothingSelected, onPick: () => {}, onPickAll: () => {} }

async function show(isGrouped: boolean, list = products) {
  const table = <ProductTable products={list} isGrouped={isGrouped} picking={picking} />
  const router = createRouter({
    routeTree: createRootRoute({ component: () => table }),
    history: createMemoryHistory(),
  })
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  await screen.findByRole('table')
}
let client: QueryClient
beforeEach(() => {
  client = new QueryClient()
})
const versions = () => screen.getAllByRole('row').flatMap((row) => row.querySelector('[data-label="Version"]') ?? [])
const shown = () => versions().map((cell) => cell.textContent)

it('shows one row per version', async () => {
  await show(false)
  expect(shown()).toEqual(['1.18.0', '6.0.9', '1.22.1', '1.25.0'])
})

it('groups versions under their product, which expands with Space', async () => {
  await show(true)
  expect(shown()).toEqual(['3 versions', '6.0.9'])
  screen.getByText('1.18.0 on 3 hosts, 1.22.1 on 1 host')
  const group = screen.getByRole('button', { name: 'nginx' })
  group.focus()
  await userEvent.keyboard(' ')
  expect(shown()).toEqual(['3 versions', '1.18.0', '1.22.1', '1.25.0', '6.0.9'])
  expect(group.getAttribute('aria-expanded')).toBe('true')
  await userEvent.keyboard(' ')
  expect(shown()).toEqual(['3 versions', '6.0.9'])
})

it('calculates version shares, largest first', () => {
  expect(versionShares(products.filter(({ name }) => name === 'nginx'))).toEqual([
    { version: '1.18.0', hosts: 3, share: 0.75 },
    { version: '1.22.1', hosts: 1, share: 0.25 },
  ])
})

it.each([
  [['1.18.0', '1.18.2'], '1.18.x'],
  [['1.18.0', '1.20.1', '1.9'], '1.x'],
  [['1.18', '1.18.2'], '1.x'],
  [['2.4.49'], '2.4.49'],
  [['6.0.9', '7.2.1'], '6.0.9, 7.2.1'],
  [['10.1', '1.0', '100.2'], '3 versions'],
])('names %j as %s', (list, expected) => {
  const endOfLife = { state: 'STATE_PAST', date: '2023-09-11' } as const
  expect(versionsLabel(list.map((version) => ({ version, endOfLife })))).toBe(expected)
})

it('names versions of different release cycles separately', () => {
  const of = (version: string, date: string) => ({ version, endOfLife: { state: 'STATE_PAST' as const, date } })
  expect(versionsLabel([of('1.18.0', '2021-04-20'), of('1.20.1', '2022-05-24')])).toBe('1.18.0, 1.20.1')
})

it('names the versions of a group whose support has ended', async () => {
  const state = (state: 'STATE_PAST' | 'STATE_SOON' | 'STATE_SUPPORTED') => ({ endOfLife: { date: null, state } })
  const [old, , newer, newest] = products
  const list = [
    { ...old, ...state('STATE_PAST') },
    { ...newer, ...state('STATE_SOON') },
    { ...newest, ...state('STATE_SUPPORTED') },
  ] as Product[]
  expect(endOfLifeVersions(list)).toEqual([list[0]])
  expect(endOfLifeVersions(list.slice(1))).toEqual([list[1]])
  await show(true, list)
  expect(screen.getByText('Ended: 1.18.0')).toBeTruthy()
})
