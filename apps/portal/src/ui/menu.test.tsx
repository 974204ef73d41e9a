import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { Menu } from '#ui/menu.tsx'
import { MenuAction } from '#ui/menu-entries.tsx'

it.each([
  ['a click', undefined, '[MouseLeft]'],
  ['Enter', 'First', '{Enter}'],
  ['Space', 'First', ' '],
  ['the arrow down', 'First', '{ArrowDown}'],
  ['the arrow up', 'Last', '{ArrowUp}'],
])('opens a row menu with %s and focuses the entry %s', async (_, entry, key) => {
  const user = userEvent.setup()
  const chosen = vi.fn()
  render(
    <Menu label="Actions" button="…">
      <MenuAction onClick={chosen}>First</MenuAction>
      <MenuAction onClick={chosen}>Last</MenuAction>
    </Menu>,
  )
  expect(screen.getByRole('button', { name: 'Actions' }).getAttribute('aria-haspopup')).toBe('menu')
  if (entry) {
    await user.tab()
    await user.keyboard(key)
  } else await user.click(screen.getByRole('button', { name: 'Actions' }))
  const menu = await screen.findByRole('menu')
  const active = document.getElementById(menu.getAttribute('aria-activedescendant') ?? '')
  expect(active?.textContent).toBe(entry)
  await user.click(screen.getByRole('menuitem', { name: 'Last' }))
  expect(chosen).toHaveBeenCalledOnce()
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  // The second time it is a regular menu, and Escape restores focus.
  const button = screen.getByRole('button', { name: 'Actions' })
  await user.click(button)
  await screen.findByRole('menu')
  await user.keyboard('{Escape}')
  expect(document.activeElement).toBe(button)
})
