/** Turning the inventory of an agent on and off. */
import type { Agent, AgentInventory as Inventory, AgentPackage } from '@glacis/contract/agent'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AgentInventory } from '#agents/agent-inventory.tsx'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'

const agent: Agent = {
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01',
  name: 'bern-dmz-1',
  status: 'STATUS_CONNECTED',
  createTime: '2026-11-01T08:00:00Z',
  updateTime: '2026-11-01T08:00:00Z',
  inventory: false,
}
const openssl: AgentPackage = {
  manager: 'dpkg',
  name: 'libssl3',
  version: '3.0.17-1~deb12u2',
  architecture: 'amd64',
  source: 'openssl',
  vulnerabilities: ['CVE-2025-15467', 'CVE-2025-15468', 'CVE-2025-15469', 'CVE-2025-15470'].map((key) => ({
    key,
    fixedVersion: '3.0.17-1~deb12u3',
    score: 7.5,
    category: 'CATEGORY_HIGH',
  })),
}
const inventory: Inventory = {
  system: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0-40-amd64',
  isMatched: true,
  reportTime: '2026-11-25T08:00:00Z',
  packageCount: 312,
  vulnerablePackageCount: 1,
  sockets: [{ transport: 'tcp', address: '0.0.0.0', port: 22, process: '' }],
  containers: [],
  hosts: [],
}
const path = `/v1/agents/${agent.id}`
const user = userEvent.setup()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  page.service.on(`PATCH ${path}`, { body: { agent } })
  page.service.on(`GET ${path}/inventory`, { body: { inventory } })
  page.service.on(`GET ${path}/packages`, { body: { packages: [openssl], nextPageToken: '' } })
})
afterEach(() => page.close())
const changes = () => page.service.seen.filter(({ method }) => method === 'PATCH').map(({ body }) => body)

it('explains what is sent before it is turned on', async () => {
  page.show(<AgentInventory agent={agent} />)
  await screen.findByText(/^If you turn this on, the agent reports the following about its own machine to this server/)
  await user.click(screen.getByRole('button', { name: 'Turn on inventory' }))
  await waitFor(() => expect(changes()).toEqual([{ agent: { inventory: true }, updateMask: { paths: ['inventory'] } }]))
})

it('shows packages with missing fixes, sockets, and containers', async () => {
  page.show(<AgentInventory agent={{ ...agent, inventory: true }} />)
  await screen.findByText(/1 package lacks a published security fix\./)
  const row = within(await screen.findByRole('row', { name: /libssl3/ }))
  expect(row.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'HighCVE-2025-15467fixed in 3.0.17-1~deb12u3',
    'HighCVE-2025-15468fixed in 3.0.17-1~deb12u3',
    'HighCVE-2025-15469fixed in 3.0.17-1~deb12u3',
    'and 1 more',
  ])
  screen.getByRole('row', { name: '22/tcp All addresses Not visible to the agent' })
  screen.getByText(/^No running containers/)
})

it('asks for confirmation before it is turned off', async () => {
  page.show(<AgentInventory agent={{ ...agent, inventory: true }} />)
  await user.click(await screen.findByRole('button', { name: 'Turn off inventory' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Turn off inventory for bern-dmz-1' }))
  expect(changes()).toEqual([])
  await user.click(dialog.getByRole('button', { name: 'Turn off' }))
  await waitFor(() =>
    expect(changes()).toEqual([{ agent: { inventory: false }, updateMask: { paths: ['inventory'] } }]),
  )
})
