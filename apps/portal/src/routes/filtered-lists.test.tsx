import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { createPortalRouter } from '#routes/router.tsx'

let stage: TestPage
beforeEach(async () => {
  stage = await startTestPage()
  for (const list of ['agents', 'hosts', 'members', 'products', 'scans', 'tags', 'targets', 'views'])
    stage.service.on(`GET /v1/${list}`, { body: { [list]: [], nextPageToken: '' } })
})
afterEach(() => stage.close())

it.each([
  ['/scope?owner=nora&size=50', '/scope?size=50'],
  ['/assets?criticality=low&sort=seen', '/assets?sort=seen'],
  ['/technologies?vendor=f5&group=true', '/technologies?group=true'],
  ['/scans?since=week', '/scans'],
])('%s without results offers to clear the filters', async (filtered, cleared) => {
  const router = createPortalRouter(stage.client, createMemoryHistory({ initialEntries: [filtered] }))
  stage.show(<RouterProvider router={router} />)
  await screen.findByText('No results for these filters')
  // One in the filter bar, one in the list.
  const [, button] = screen.getAllByRole('button', { name: 'Clear filters' })
  if (button) await userEvent.click(button)
  await waitFor(() => expect(router.state.location.href).toBe(cleared))
})
