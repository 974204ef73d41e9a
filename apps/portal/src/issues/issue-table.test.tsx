import type { Issue } from '@glacis/contract/issue'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { IssueTable } from '#issues/issue-table.tsx'
import { nothingSelected, pick, pickAll } from '#issues/selection.ts'

afterEach(cleanup)
const day = '2026-11-20T00:00:00Z'

function issue(name: string, exploited = false): Issue {
  return {
    id: crypto.randomUUID(),
    name,
    status: 'STATUS_OPEN',
    affectedHosts: [],
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
    onPick: (id: string, isRange: boolean) => setSelection(pick(selection, rows, id, isRange)),
    onPickAll: () => setSelection(pickAll(selection, rows)),
    onClear: () => setSelection(nothingSelected),
  }
  return <IssueTable label="Risks" issues={issues} picking={picking} />
}

async function show(page: ReactNode) {
  const rootRoute = createRootRoute({ component: () => page })
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() })
  render(<RouterProvider router={router as never} />)
  await screen.findByRole('table')
}
const picked = () =>
  screen
    .getAllByRole('checkbox', { checked: true })
    .map((box) => box.closest('label')?.textContent)
    .filter((name) => name !== 'Select all on this page')

it('moves between rows by arrows, picks by Space, a range by Shift, and drops by Escape', async () => {
  await show(<Subject />)
  const links = screen.getAllByRole('link')
  links[0]?.focus()
  const press = (key: string, shiftKey = false) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, shiftKey })
  press('ArrowDown')
  expect(document.activeElement).toBe(links[1])
  press(' ')
  press('ArrowDown')
  press('ArrowDown')
  press(' ', true)
  expect(picked()).toEqual(['Select Two', 'Select Three', 'Select Four'])
  press('Escape')
  expect(screen.queryAllByRole('checkbox', { checked: true })).toEqual([])
  press('ArrowUp')
  expect(document.activeElement).toBe(links[2])
})

it('leaves Space on a box to the box', async () => {
  await show(<Subject />)
  const box = screen.getByRole('checkbox', { name: 'Select One' })
  expect(fireEvent.keyDown(box, { key: ' ' })).toBe(true)
})

it('shows all, some or none picked in the head', async () => {
  await show(<Subject />)
  const head = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all on this page' })
  fireEvent.click(head)
  expect(picked()).toHaveLength(4)
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select Two' }))
  expect(head.indeterminate).toBe(true)
})

it('links the name to the risk and says in words what is known of it', async () => {
  await show(<Subject />)
  const [first] = screen.getAllByRole('link')
  expect(first?.getAttribute('href')).toBe(`/risks/${rows[0]}`)
  const row = first?.closest('tr')
  for (const text of ['Critical', '9.8', 'KEV', 'CVE-2023-46604', 'Open']) {
    expect(row && within(row).getByText(text)).toBeTruthy()
  }
})
