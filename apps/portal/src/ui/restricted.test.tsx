/** Controls that the role of the signed-in user doesn't allow. */
import { permissions } from '@glacis/contract/permissions'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { setRole } from '#lib/role.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuDivider } from '#ui/menu-entries.tsx'

const reason = "Your role, viewer, doesn't allow this. Ask an owner, admin, or analyst of the workspace."
const user = userEvent.setup()

afterEach(() => {
  cleanup()
  act(() => setRole(undefined))
})

it('disables a button, and explains why on focus and click', async () => {
  setRole('viewer')
  const press = vi.fn()
  render(
    <Button call="startScan" onClick={press}>
      Start scan
    </Button>,
  )
  const button = screen.getByRole('button', { name: 'Start scan' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await user.tab()
  expect(document.activeElement).toBe(button)
  expect(button.getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id)
  await user.click(button)
  expect(screen.getByRole('tooltip').textContent).toBe(reason)
  expect(press).not.toHaveBeenCalled()
})

it('enables it when the role changes, and before the role is known', () => {
  const press = vi.fn()
  render(<IconButton call="startScan" label="Scan" icon={<i />} onClick={press} />)
  const click = () => fireEvent.click(screen.getByRole('button'))
  click()
  act(() => setRole('viewer'))
  click()
  act(() => setRole('analyst'))
  click()
  expect(press).toHaveBeenCalledTimes(2)
})

it('does not submit a form with Enter', async () => {
  setRole('viewer')
  const submit = vi.fn((event: React.FormEvent) => event.preventDefault())
  render(
    <form onSubmit={submit}>
      <input aria-label="Name" />
      <Button type="submit" call="createTarget">
        Create
      </Button>
    </form>,
  )
  await user.type(screen.getByLabelText('Name'), 'x{Enter}')
  expect(submit).not.toHaveBeenCalled()
})

it('hides actions of a menu, and a menu without any', async () => {
  setRole('viewer')
  render(
    <>
      <Menu label="Risk" square button="…">
        <MenuAction onClick={() => {}}>Preview</MenuAction>
        <MenuDivider />
        <MenuAction call="setIssueStatus" onClick={() => {}}>
          Resolve
        </MenuAction>
      </Menu>
      <Menu label="Target" call="updateTarget" square button="…">
        <MenuAction onClick={() => {}}>Edit</MenuAction>
      </Menu>
      <Menu call="changeTargets" button="Tags">
        <MenuAction onClick={() => {}}>production</MenuAction>
      </Menu>
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'Risk' }))
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Preview'])
  expect(screen.queryByRole('button', { name: 'Target' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Tags' }).getAttribute('aria-disabled')).toBe('true')
})

it('covers every call of the portal that some role is not allowed to make', () => {
  const sources = sourceFiles(join(import.meta.dirname, '..')).map((file) => readFileSync(file, 'utf8'))
  const text = sources.join('\n')
  const restricted = Object.entries(permissions).filter(([, { roles }]) => roles && !roles.includes('viewer'))
  const called = restricted
    .map(([name]) => name)
    .filter((name) => new RegExp(String.raw`\b(call|query)\(${name},`).test(text))
  expect(called).toContain('startScan')
  expect(called.filter((name) => !text.includes(`'${name}'`) && !text.includes(`"${name}"`))).toEqual([])
})

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|testing/.test(name))
    .map((name) => join(folder, name))
}
