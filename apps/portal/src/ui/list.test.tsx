import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'

const reading = { data: undefined, error: null, refetch: () => {} }

describe('ListBody', () => {
  const body = (props: Partial<Parameters<typeof ListBody>[0]>) =>
    render(
      <ListBody what="Risks" query={reading} count={2} empty={<p>nothing exists</p>} {...props}>
        <p>the table</p>
      </ListBody>,
    )
  it('shows the table with rows and while loading', () => {
    body({ count: undefined })
    expect(screen.getByText('the table').parentElement?.getAttribute('aria-busy')).toBe('true')
  })
  it('distinguishes an empty list from filters without results', () => {
    body({ count: 0 })
    expect(screen.getByText('nothing exists')).toBeTruthy()
    cleanup()
    const onClear = vi.fn()
    body({ count: 0, isFiltered: true, onClear })
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(onClear).toHaveBeenCalledOnce()
  })
  it('shows the error and retries', () => {
    const refetch = vi.fn()
    body({ query: { data: undefined, error: { status: 503, statusText: 'Service Unavailable' }, refetch } })
    expect(screen.getByText("Risks couldn't be loaded")).toBeTruthy()
    expect(screen.getByText('The server returned 503 Service Unavailable.')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(refetch).toHaveBeenCalledOnce()
  })
  it('mentions filters only if there are some', () => {
    body({ query: { data: undefined, error: new Error('offline'), refetch: () => {} }, isFiltered: true })
    expect(screen.getByText("The server couldn't be reached. Your filters are unchanged.")).toBeTruthy()
  })
  it('keeps the rows when a refetch fails', () => {
    body({ query: { data: {}, error: new Error('away'), refetch: () => {} } })
    expect(screen.getByText('the table')).toBeTruthy()
  })
})

describe('ListPager', () => {
  it('keeps the tokens of previous pages', () => {
    const onTurn = vi.fn()
    render(<ListPager after={['a', 'b']} size={25} shown={25} page={{ nextPageToken: 'c' }} onTurn={onTurn} />)
    expect(screen.getByText(/51–75/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Next' }))
    fireEvent.click(screen.getByRole('button', { name: 'Previous' }))
    expect(onTurn.mock.calls).toEqual([[{ after: ['a', 'b', 'c'] }], [{ after: ['a'] }]])
  })
  it('returns to the first page without a token', () => {
    const onTurn = vi.fn()
    render(<ListPager after={['a']} size={25} shown={3} page={{ nextPageToken: '' }} onTurn={onTurn} />)
    expect(screen.getByText(/26–28 of 28/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Next' }).hasAttribute('disabled')).toBe(true)
    fireEvent.click(screen.getByRole('button', { name: 'Previous' }))
    expect(onTurn).toHaveBeenCalledWith({ after: undefined })
  })
  it.each([
    [{ nextPageToken: 'x', totalSize: 90 }, 25, 90],
    [{ nextPageToken: '' }, 28, 28],
    [{ nextPageToken: 'x' }, 25, undefined],
    [undefined, 0, undefined],
  ])('given %j after %i rows reports a total of %s', (page, rows, total) => {
    expect(totalOf(page, rows)).toBe(total)
  })
})
