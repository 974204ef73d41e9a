import type { Issue } from '@glacis/contract/issue'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IssueTable } from '#issues/issue-table.tsx'
import { startShortcuts } from '#lib/keyboard.ts'
import { nothingSelected, toggleRow, toggleAllRows } from '#lib/selection.ts'

const day = '2026-11-20T00:00:00Z'

function issue(name: string, exploited = false): Issue {
  return {
    id: crypto.randomUUID(),
    name,
    status: 'STATUS_OPEN',
    affectedHosts: [],
    tags: [],
    history: [],
    firstSeenTime: day,
    lastSeenTime: day,
    threat: {
      id: crypto.randomUUID(),
      name,
      summary: '',
      impact: '',
      affected: '',
      insight: '',
      severity: { cvss: '', score: 9.8, category: 'CATEGORY_CRITICAL' },
      references: [{ cve: 'CVE-2023-46604' }],
      ...(exploited && { knownExploited: { addTime: day } }),
    },
  }
}
const issues = ['One', 'Two', 'Three', 'Four'].map((name) => issue(name, name === 'One'))
const rows = issues.map(({ id }) => id)

function Subject() {
  const [selection, setSelection] = useState(nothingSelected)
  const picking = {
    selection,
    isOnPhone: false,
    onPick: (id: string, isRange: boolean) => setSelection(toggleRow(selection, rows, id, isRange)),
    onPickAll: () => setSelection(toggleAllRows(selection, rows)),
    onClear: () => setSelection(nothingSelected),
  }
  const rowActions = { onPreview: (id: string) => previewed.push(id), onSetStatus: () => {} }
  return <IssueTable label="Risks" issues={issues} picking={picking} rowActions={rowActions} />
}
let previewed: string[] = []
let stop = () => {}
beforeEach(() => {
  previewed = []
  localStorage.clear()
  stop = startShortcuts(() => {})
})
afterEach(() => stop())

async function show(page: ReactNode) {
  const rootRoute = createRootRoute({ component: () => <main>{page}</main> })
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() })
  render(<RouterProvider router={router as never} />)
  await screen.findByRole('table')
}
const selectedNames = () =>
  screen
    .queryAllByRole('checkbox', { checked: true })
    .map((box) => box.closest('label')?.textContent)
    .filter((name) => name !== 'Select all on this page')

it('moves with arrows or j and k, selects with x, extends with Shift, previews with Space, and clears with Escape', async () => {
  await show(<Subject />)
  const links = screen.getAllByRole('link')
  links[0]?.focus()
  const press = (key: string, shiftKey = false) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, shiftKey })
  press('ArrowDown')
  expect(document.activeElement).toBe(links[1])
  press(' ')
  expect([previewed, selectedNames()]).toEqual([[rows[1]], []])
  press('x')
  press('j')
  press('j')
  press('k')
  press('ArrowDown')
  press('X', true)
  expect(selectedNames()).toEqual(['Select Two', 'Select Three', 'Select Four'])
  press('Escape')
  expect(screen.queryAllByRole('checkbox', { checked: true })).toEqual([])
  press('ArrowUp')
  expect(document.activeElement).toBe(links[2])
})

it('enters the list with the first key, and opens the row menu with e', async () => {
  // A separate page, because the last focused row is remembered per page.
  history.replaceState(null, '', '/first-key')
  await show(<Subject />)
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })
  press('j')
  expect(document.activeElement).toBe(screen.getAllByRole('link')[0])
  press('e')
  const labels = (await screen.findAllByRole('menuitem')).map((item) => item.textContent)
  expect(labels).toEqual(['Preview', 'Resolve', 'Ignore'])
})

it('shows the chosen optional columns', async () => {
  localStorage.setItem('glacis.riskColumns', 'epss priority')
  await show(<Subject />)
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent)
  expect(heads.slice(1)).toEqual([
    'Severity',
    'Risk',
    'Affected hosts',
    'Priority',
    'EPSS',
    'Status',
    'First seen',
    'Last seen',
  ])
})

it('leaves Space to a focused checkbox', async () => {
  await show(<Subject />)
  const box = screen.getByRole('checkbox', { name: 'Select One' })
  expect(fireEvent.keyDown(box, { key: ' ' })).toBe(true)
})

it('shows in the header whether all, some, or no rows are selected', async () => {
  await show(<Subject />)
  const head = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all on this page' })
  fireEvent.click(head)
  expect(selectedNames()).toHaveLength(4)
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select Two' }))
  expect(head.indeterminate).toBe(true)
})

it('links the name to the risk and shows its properties as text', async () => {
  await show(<Subject />)
  const [first] = screen.getAllByRole('link')
  expect(first?.getAttribute('href')).toBe(`/risks/${rows[0]}`)
  const row = first?.closest('tr')
  for (const text of ['Critical', '9.8', 'KEV', 'CVE-2023-46604', 'Open']) {
    expect(row && within(row).getByText(text)).toBeTruthy()
  }
})

it('names the product where the name of the risk does not', async () => {
  const named = (name: string, affected: string) => {
    const base = issue(name)
    return { ...base, threat: { ...base.threat, affected } }
  }
  const list = [
    named('Improper handling of length parameters', 'Acme Gateway: ≥ 2.0, < 2.1.4\nAcme Proxy: 1.0'),
    named('Redis: integer overflow', 'Redislabs Redis: all versions'),
    named('Weak key exchange', 'Servers that still offer this: old ones'),
  ]
  await show(<IssueTable label="Risks" issues={list} />)
  expect(screen.getAllByRole('link').map((link) => link.title)).toEqual([
    'Improper handling of length parameters, Acme Gateway, CVE-2023-46604',
    'Redis: integer overflow, CVE-2023-46604',
    'Weak key exchange, CVE-2023-46604',
  ])
  expect(screen.getByText('Acme Gateway')).toBeTruthy()
})
