import type { Target } from '@glacis/contract/target'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { PauseAction } from '#targets/pause-action.tsx'
import { Menu } from '#ui/menu.tsx'

const time = '2026-11-22T21:09:15.562Z'
const target: Target = {
  id: '01a20517-7eb5-7872-a820-6652a18220b1',
  name: 'Lab',
  address: '192.0.2.0/28',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: { critical: 0, high: 0, medium: 0, low: 0 },
  createTime: time,
  updateTime: time,
}

let page: TestPage
beforeEach(async () => {
  page = await startTestPage()
  page.service.on(`PATCH /v1/targets/${target.id}`, { body: { target } })
})
afterEach(() => page.close())

it.each([
  ['Pause', target, true],
  ['Resume', { ...target, pauseTime: time }, false],
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
