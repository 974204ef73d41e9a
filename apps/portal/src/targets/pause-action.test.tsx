import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { PauseAction } from '#targets/pause-action.tsx'
import { testTarget as target } from '#targets/testing/target.ts'
import { Menu } from '#ui/menu.tsx'

let page: TestPage
beforeEach(async () => {
  page = await startTestPage()
  page.service.on(`PATCH /v1/targets/${target.id}`, { body: { target } })
})
afterEach(() => page.close())

it.each([
  ['Pause', target, true],
  ['Resume', { ...target, pauseTime: target.updateTime }, false],
])('offers to %s', async (label, shown, paused) => {
  page.show(
    <Menu label="Actions" button="Actions">
      <PauseAction target={shown} />
    </Menu>,
  )
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Actions' }))
  await user.click(await screen.findByRole('menuitem', { name: label }))
  const changes = () => page.service.seen.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
  await waitFor(() => expect(changes()).toEqual([{ paused, tags: [], updateMask: { paths: ['paused'] } }]))
})
