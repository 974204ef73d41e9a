import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addToast, dismissToast, shownToasts } from '#lib/toasts.ts'
import { Badge, badgeVariants } from '#ui/badge.tsx'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Stepper } from '#ui/stepper.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { ToastRegion } from '#ui/toast-region.tsx'

afterEach(cleanup)

describe('what lies over the page', () => {
  it('is a dialog in the middle, named by its title, closed by its control and by Escape', async () => {
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

  it('is a panel from the right with head, body and foot', async () => {
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

  it('stays while something is being sent', async () => {
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

it('stacks notices at the bottom right, the newest below, and takes them away', async () => {
  render(<ToastRegion />)
  act(() => {
    addToast('success', { title: 'Success', message: 'first' })
    addToast('error', { title: 'API failure', message: 'second' })
  })
  const region = screen.getByRole('region', { name: 'Notifications' })
  expect([...region.querySelectorAll('[role=status], [role=alert]')].map((one) => one.textContent)).toEqual([
    'Successfirst',
    'API failuresecond',
  ])
  const place = screen.getByRole('alert').parentElement?.classList
  expect(['fixed', 'right-5', 'bottom-5'].filter((name) => !place?.contains(name))).toEqual([])
  await userEvent.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Dismiss' }))
  expect(shownToasts().map(({ message, isLeaving }) => [message, isLeaving])).toEqual([
    ['first', false],
    ['second', true],
  ])
  act(() => shownToasts().forEach(({ id }) => dismissToast(id)))
})

it('gives each badge a colour of its own', () => {
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

it('has tables with heads and cells, of which one may be a link as a whole', async () => {
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
            <CellLink to="/">Redis without a password</CellLink>
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
  const link = table.getByRole('link', { name: 'Redis without a password' })
  expect([link.classList.contains('cell'), link.parentElement?.tagName]).toEqual([true, 'TD'])
})

it('hides a placeholder from those who listen', () => {
  const { container } = render(<Skeleton className="w-40" />)
  expect(container.firstElementChild?.getAttribute('aria-hidden')).toBe('true')
})

it('offers a text to copy and not to change', () => {
  render(<CopyField label="token" value="gla_7Qm" />)
  expect(screen.getByLabelText('token').textContent).toBe('gla_7Qm')
  expect(screen.queryByRole('textbox')).toBeNull()
})

it('ticks a box by its words', async () => {
  const change = vi.fn()
  render(<Checkbox label="I understand" onChange={(event) => change(event.target.checked)} />)
  await userEvent.click(screen.getByText('I understand'))
  expect(change).toHaveBeenCalledExactlyOnceWith(true)
})

it('says which step is the present one, and which are done', () => {
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
