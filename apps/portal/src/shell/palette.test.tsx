import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, renderHook, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startShortcuts, useKeys } from '#lib/keyboard.ts'
import { type Service, startService } from '#lib/testing/service.ts'
import { commandGroups } from '#shell/commands.tsx'
import { ShortcutOverlays } from '#shell/shortcut-overlays.tsx'

let service: Service
let client: QueryClient
let stop: () => void
const user = userEvent.setup()
const item = { id: '00000000-0000-4000-8000-000000000001', name: 'Redis open', subtitle: 'Critical', path: '/risks/1' }

beforeEach(async () => {
  localStorage.clear()
  service = await startService()
  service.on('GET /v1/search', { body: { groups: [{ kind: 'KIND_ISSUE', items: [item] }] } })
  stop = startShortcuts(() => {})
})
afterEach(async () => {
  stop()
  cleanup()
  await client.cancelQueries()
  await service.close()
})

async function show() {
  client = new QueryClient()
  const root = createRootRoute()
  const routes = ['/', '/scope', '/risks/$id'].map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: () => (
        <>
          <input aria-label="A field" />
          <ShortcutOverlays />
        </>
      ),
    }),
  )
  const router = createRouter({ routeTree: root.addChildren(routes), history: createMemoryHistory() })
  const { container } = render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  await screen.findByRole('textbox', { name: 'A field' })
  return { router, container }
}
const options = () => screen.getAllByRole('option').map(({ textContent }) => textContent)

it('offers pages and actions without sending a request before typing', async () => {
  await show()
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('combobox', { name: 'Search everything' })
  expect(options()).toContain('Pages: Verified risksRisks')
  expect(options()).toContain('Pages: Visual MapRisks')
  expect(options()).toContain('Actions: Add target')
  expect(service.seen).toEqual([])
})

it('makes the page inert while open, also the first time', async () => {
  const { container } = await show()
  await user.click(screen.getByRole('textbox', { name: 'A field' }))
  for (const _time of ['first', 'second']) {
    await user.keyboard('{Control>}k{/Control}')
    const field = await screen.findByRole('combobox', { name: 'Search everything' })
    await waitFor(() => expect(document.activeElement).toBe(field))
    await waitFor(() => expect(container.inert).toBe(true))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'A field' })))
    expect(container.inert).toBe(false)
  }
})

it('searches as you type, even from a field, and opens with Enter', async () => {
  const { router } = await show()
  await user.click(screen.getByRole('textbox', { name: 'A field' }))
  await user.keyboard('{Meta>}k{/Meta}')
  await user.type(await screen.findByRole('combobox'), 'redis')
  await screen.findByRole('option', { name: /Redis open/ })
  expect(service.seen.findLast(({ path }) => path === '/v1/search')?.query).toEqual({ query: 'redis' })
  await user.keyboard('{Enter}')
  await waitFor(() => expect(router.state.location.pathname).toBe('/risks/1'))
})

it('takes text that is typed while it loads as the search, not as shortcuts', async () => {
  const pressed: string[] = []
  const shortcuts = renderHook(() => useKeys({ r: () => pressed.push('r') }))
  await show()
  await user.keyboard('{Control>}k{/Control}redis')
  const field = await screen.findByRole('combobox', { name: 'Search everything' })
  expect([(field as HTMLInputElement).value, pressed]).toEqual(['redis', []])
  await screen.findByRole('option', { name: /Redis open/ })
  await user.keyboard('{Escape}{Escape}')
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
  await user.keyboard('r')
  expect(pressed).toEqual(['r'])
  shortcuts.unmount()
})

it('offers the installation to its administrators', async () => {
  service.on('GET /v1/search', { body: { groups: [] } })
  service.on('GET /v1/workspaces', { body: { workspaces: [], isAdministrator: true } })
  await show()
  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox'), 'health')
  await screen.findByRole('option', { name: 'Pages: Installation' })
})

it('shows an empty state', async () => {
  service.on('GET /v1/search', { body: { groups: [] } })
  await show()
  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox'), 'qqqq')
  expect(await screen.findByText('No results.')).toBeTruthy()
})

it('opens the keyboard help, which turns shortcuts off', async () => {
  await show()
  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox'), 'keyb')
  await user.keyboard('{Enter}')
  const map = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }))
  await user.click(map.getByRole('checkbox', { name: /Enable keyboard shortcuts/ }))
  await user.click(map.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(document.body)
  await user.keyboard('?')
  expect(screen.queryByRole('dialog')).toBeNull()
  localStorage.setItem('glacis.shortcuts', 'true')
  await user.keyboard('?')
  expect(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).toBeTruthy()
})

it.each([
  ['scope', ['/scope']],
  ['risks pot', ['/risks/potential']],
  ['dark', ['dark']],
  ['members', ['/workspace']],
  ['invite', ['/workspace']],
  ['token', ['api-tokens']],
  ['nothing like it', []],
])('matches %j to %j', async (text, keys) => {
  await show()
  expect(commandGroups(text).flatMap(({ commands }) => commands.map(({ key }) => key))).toEqual(keys)
})
