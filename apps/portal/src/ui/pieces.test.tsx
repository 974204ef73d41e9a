import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { Badge, badgeVariants } from '#ui/badge.tsx'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Stepper } from '#ui/stepper.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'

describe('overlays', () => {
  it('shows a centered dialog named by its title, closed by its button and Escape', async () => {
    const close = vi.fn()
    render(
      <Dialog open onClose={close} title="Remove target" description="It is gone then." footer={<button>Go</button>}>
        body
      </Dialog>,
    )
    const dialog = await screen.findByRole('dialog', { name: 'Remove target' })
    expect(dialog.textContent).toContain('It is gone then.')
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await userEvent.keyboard('{Escape}')
    expect(close).toHaveBeenCalledTimes(2)
  })

  it('shows a slide-over with header, body, and footer', async () => {
    render(
      <SlideOver open onClose={() => {}} title="New target" footer={<button>Save</button>}>
        <p>the form</p>
      </SlideOver>,
    )
    const panel = within(await screen.findByRole('dialog', { name: 'New target' }))
    expect(panel.getByText('the form')).toBeTruthy()
    expect(panel.getByRole('button', { name: 'Save' })).toBeTruthy()
    expect(document.querySelector('[data-floating]')?.classList.contains('right-0')).toBe(true)
  })

  it('stays open while submitting', async () => {
    const close = vi.fn()
    render(
      <SlideOver busy open onClose={close} title="New target">
        body
      </SlideOver>,
    )
    await screen.findByRole('dialog')
    await userEvent.keyboard('{Escape}')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Close panel' }).disabled).toBe(true)
    expect(close).not.toHaveBeenCalled()
  })
})

it('gives each badge variant its own color', () => {
  render(
    badgeVariants.map((variant) => (
      <Badge key={variant} variant={variant}>
        {variant}
      </Badge>
    )),
  )
  expect(new Set(badgeVariants.map((variant) => screen.getByText(variant).className)).size).toBe(10)
})

it('shows names and values on a card', () => {
  render(
    <Card title="Scan">
      <Facts>
        <Fact name="Hosts">12</Fact>
      </Facts>
    </Card>,
  )
  expect(screen.getByRole('heading', { name: 'Scan' })).toBeTruthy()
  expect([screen.getByRole('term').textContent, screen.getByRole('definition').textContent]).toEqual(['Hosts', '12'])
})

it('renders tables with header cells and links that fill a cell', async () => {
  const root = createRootRoute()
  const page = () => (
    <Table label="Risks">
      <thead>
        <tr>
          <HeaderCell>Name</HeaderCell>
          <HeaderCell align="end">Hosts</HeaderCell>
        </tr>
      </thead>
      <tbody>
        <tr>
          <Cell primary>
            <CellLink to="/">Redis exposed without authentication</CellLink>
          </Cell>
          <Cell label="Hosts">2</Cell>
        </tr>
      </tbody>
    </Table>
  )
  const place = createRoute({ getParentRoute: () => root, path: '/', component: page })
  const router = createRouter({ routeTree: root.addChildren([place]), history: createMemoryHistory() })
  render(<RouterProvider router={router as never} />)
  const table = within(await screen.findByRole('table', { name: 'Risks' }))
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Name', 'Hosts'])
  const link = table.getByRole('link', { name: 'Redis exposed without authentication' })
  expect([link.classList.contains('cell'), link.parentElement?.tagName]).toEqual([true, 'TD'])
})

it('hides skeletons from screen readers', () => {
  const { container } = render(<Skeleton className="w-40" />)
  expect(container.firstElementChild?.getAttribute('aria-hidden')).toBe('true')
})

it('shows a read-only text to copy', () => {
  render(<CopyField label="token" value="gla_7Qm" />)
  expect(screen.getByLabelText('token').textContent).toBe('gla_7Qm')
  expect(screen.queryByRole('textbox')).toBeNull()
})

it('toggles a checkbox by its label', async () => {
  const change = vi.fn()
  render(<Checkbox label="I understand" onChange={(event) => change(event.target.checked)} />)
  await userEvent.click(screen.getByText('I understand'))
  expect(change).toHaveBeenCalledExactlyOnceWith(true)
})

it('marks the current and the completed steps', () => {
  const steps = [
    { title: 'Target', state: 'done' },
    { title: 'Scan', state: 'current' },
    { title: 'Notifications', state: 'open' },
  ] as const
  render(<Stepper label="Setting up" steps={steps} />)
  const items = within(screen.getByRole('list', { name: 'Setting up' })).getAllByRole('listitem')
  expect(items.map((item) => item.getAttribute('aria-current'))).toEqual([null, 'step', null])
  expect(items[0]?.textContent).toContain('Target, done')
})
