/** Limits of an agent's access. */
import type { Agent } from '@glacis/contract/agent'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LimitAgent } from '#agents/limit-agent.tsx'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'

const agent: Agent = {
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
  name: 'bern-dmz-1',
  status: 'STATUS_CONNECTED',
  createTime: '2026-11-01T08:00:00Z',
  updateTime: '2026-11-01T08:00:00Z',
  allowedNetworks: ['192.0.2.0/24'],
}
const user = userEvent.setup()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  page.service.on(`PATCH /v1/agents/${agent.id}`, { body: { agent } })
})
afterEach(() => page.close())

it('checks the day and networks, and saves both', async () => {
  const onClose = vi.fn()
  page.show(<LimitAgent agent={agent} onClose={onClose} />)
  const dialog = within(await screen.findByRole('dialog', { name: 'Limit access for bern-dmz-1' }))
  const day = dialog.getByLabelText('Last day')
  await user.type(day, '1.1.2020')
  await user.type(dialog.getByLabelText('Allowed networks'), ' 300.0.0.1')
  await user.click(dialog.getByRole('button', { name: 'Save limits' }))
  await dialog.findByText('Choose today or later.')
  await dialog.findByText("“300.0.0.1” isn't an address or a network, such as 192.0.2.0/24.")
  await user.clear(dialog.getByLabelText('Allowed networks'))
  await user.clear(day)
  await user.type(day, '24.12.2040')
  await user.click(dialog.getByRole('button', { name: 'Save limits' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(page.service.seen.find(({ method }) => method === 'PATCH')?.body).toEqual({
    agent: { expireTime: new Date('2040-12-24T23:59:59').toISOString(), allowedNetworks: [] },
    updateMask: { paths: ['expireTime', 'allowedNetworks'] },
  })
})
