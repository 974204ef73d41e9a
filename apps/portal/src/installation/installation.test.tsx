import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Suspense } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { InstallationPage } from '#installation/installation-page.tsx'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'

const time = '2026-11-01T08:00:00Z'
const installation = {
  version: '0.1.0',
  nodeVersion: '26.10.0',
  databaseVersion: '18.4',
  update: { version: '0.2.0', file: 'glacis-0.2.0.tar.gz' },
  usage: { accounts: 2, workspaces: 1, targets: 3, hosts: 40, scans: 7, databaseBytes: 123_000_000 },
  sendsEmail: true,
  signInNetworks: ['192.0.2.0/24'],
}
const account = (id: string, name: string, isYou: boolean) => ({
  id,
  name,
  email: `${id}@example.ch`,
  isVerified: true,
  state: 'STATE_ACTIVE',
  isAdministrator: isYou,
  isYou,
  workspaces: ['Aarewerk'],
  createTime: time,
  lastSignInTime: time,
})
const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const job = { id, queue: 'mail', attempts: 3, error: 'connection refused', failTime: time }
const queue = { name: 'mail', waiting: 4, active: 1, failed: 1, waitSeconds: 75 }
const workspace = {
  id,
  name: 'Aarewerk',
  owners: ['ada@example.ch'],
  members: 2,
  targets: 3,
  hosts: 40,
  createTime: time,
}
const closing = {
  ...workspace,
  id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c02',
  owners: ['max@example.ch'],
  deleteTime: new Date(Date.now() + 6.5 * 86_400_000).toISOString(),
}
const networksPath = 'PUT /v1/installation/sign-in-networks'

const user = userEvent.setup()
let page: TestPage
beforeEach(async () => {
  page = await startTestPage()
  const { service } = page
  service.on('GET /v1/installation', { body: { installation } })
  service.on('GET /v1/installation/checks', {
    body: {
      checks: [
        { name: 'clock', level: 'LEVEL_OK', text: 'in sync with the database' },
        { name: 'disk', level: 'LEVEL_WARNING', text: '2 GB free. Feeds need 5 GB.' },
      ],
    },
  })
  service.on('GET /v1/installation/queues', { body: { queues: [queue], failedJobs: [job] } })
  service.on('GET /v1/installation/accounts', {
    body: { accounts: [account('ada', 'Ada Ammann', true), account('max', 'Max Muster', false)], nextPageToken: '' },
  })
  service.on('GET /v1/installation/workspaces', { body: { workspaces: [workspace, closing], nextPageToken: '' } })
  service.on('GET /v1/installation/feeds', {
    body: { feeds: [{ name: 'NVD', version: '', records: 5, skipped: 0, state: 'STATE_FAILED', problem: 'timeout' }] },
  })
  page.show(
    <Suspense>
      <InstallationPage />
    </Suspense>,
  )
  await screen.findByRole('heading', { name: 'Installation' })
})
afterEach(() => page.close())

const sent = (method: string, path: string) =>
  page.service.seen.filter((call) => call.method === method && call.path === path)

it('shows the version, a newer release, and problems', async () => {
  expect(screen.getByText(/Glacis 0\.2\.0 is ready to install/)).toBeDefined()
  expect(screen.getByText('123 MB')).toBeDefined()
  expect(await screen.findByText('2 GB free. Feeds need 5 GB.')).toBeDefined()
  const health = within(screen.getByRole('list', { name: 'Health checks' })).getAllByRole('listitem')
  expect(health.map((row) => row.textContent)).toEqual([
    'Disk2 GB free. Feeds need 5 GB.',
    'ClockIn sync with the database.',
  ])
  expect(await screen.findByText('timeout')).toBeDefined()
  expect(screen.getByText('Vulnerability records with affected versions')).toBeDefined()
  const table = within(await screen.findByRole('table', { name: 'Workspaces' }))
  expect(table.getByText('ada@example.ch')).toBeDefined()
  expect(table.getByText('in 6 days').closest('td')?.textContent).toContain('will be deleted in 6 days')
})

it("disables another account after a confirmation, and does not offer to disable the user's own", async () => {
  page.service.on('PUT /v1/installation/accounts/max/state', { body: { account: account('max', 'Max Muster', false) } })
  await user.click(await screen.findByRole('button', { name: 'Disable Max Muster' }))
  expect(screen.queryByRole('button', { name: /Disable Ada/ })).toBeNull()
  const dialog = within(await screen.findByRole('dialog', { name: 'Disable Max Muster' }))
  await user.click(dialog.getByRole('button', { name: 'Disable account' }))
  await waitFor(() =>
    expect(sent('PUT', '/v1/installation/accounts/max/state')[0]?.body).toEqual({ state: 'STATE_DISABLED' }),
  )
})

it('retries a failed job', async () => {
  page.service.on(`POST /v1/installation/jobs/${id}/retry`, { body: {} })
  await user.click(await screen.findByRole('button', { name: 'Retry job: Sign-in emails' }))
  await waitFor(() => expect(sent('POST', `/v1/installation/jobs/${id}/retry`)).toHaveLength(1))
})

it('reports the response of the mail server', async () => {
  page.service.on('POST /v1/installation/test-email', { body: { to: 'ada@example.ch', problem: 'relay denied' } })
  await user.click(screen.getByRole('button', { name: 'Send test email' }))
  expect(await screen.findByText("The email to ada@example.ch wasn't sent: relay denied")).toBeDefined()
})

it("asks for confirmation before saving networks that exclude the user's address", async () => {
  const type = 'type.googleapis.com/google.rpc.ErrorInfo'
  const details = [{ '@type': type, reason: 'OWN_ADDRESS_EXCLUDED', metadata: { address: '198.51.100.7' } }]
  page.service.on(networksPath, { status: 400, body: { code: 9, message: 'no', details } })
  await user.click(screen.getByRole('button', { name: 'Save networks' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Save without your own address' }))
  expect(dialog.getByText(/198\.51\.100\.7/)).toBeDefined()
  page.service.on(networksPath, { body: { installation } })
  await user.click(dialog.getByRole('button', { name: 'Save anyway' }))
  await waitFor(() =>
    expect(sent('PUT', '/v1/installation/sign-in-networks').at(-1)?.body).toEqual({
      networks: ['192.0.2.0/24'],
      excludesYou: true,
      replaces: ['192.0.2.0/24'],
    }),
  )
})
