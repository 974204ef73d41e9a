/** Single sign-on by email address. */
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OrganizationSignIn } from '#identity/organization-sign-in.tsx'
import { shownToasts } from '#lib/testing/toasts.ts'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'

const path = 'POST /v1/sign-in-provider/find'
const user = userEvent.setup()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
})
afterEach(async () => {
  await page.close()
  vi.restoreAllMocks()
})

async function submit(email: string): Promise<void> {
  page.show(<OrganizationSignIn returnTo="https://glacis.example/scope" />)
  await user.click(await screen.findByRole('button', { name: 'Use single sign-on' }))
  await user.type(screen.getByLabelText('Work email'), `${email}{Enter}`)
}

it('continues at the provider of the address, and returns to the requested page', async () => {
  const go = vi.spyOn(location, 'assign').mockImplementation(() => {})
  const provider = { label: 'Acme', signInUrl: 'https://glacis.example/login/browser?provider=workspace-1' }
  page.service.on(path, { body: { provider, isOffered: true } })
  await submit('max@example.ch')
  await waitFor(() =>
    expect(go).toHaveBeenCalledWith(`${provider.signInUrl}&return_to=https%3A%2F%2Fglacis.example%2Fscope`),
  )
})

it('reports that an address has no provider', async () => {
  page.service.on(path, { body: { isOffered: true } })
  await submit('max@example.ch')
  expect(await screen.findByText(/No workspace offers single sign-on for this address/)).toBeTruthy()
})

it('is hidden while no workspace has a provider', async () => {
  page.service.on(path, { body: { isOffered: false } })
  page.show(<OrganizationSignIn returnTo={undefined} />)
  await waitFor(() => expect(page.service.seen).toHaveLength(1))
  await waitFor(() => expect(page.client.isFetching()).toBe(0))
  expect(screen.queryByRole('button')).toBeNull()
})

it('is shown if the server cannot tell', async () => {
  page.service.on(path, { status: 503 })
  page.show(<OrganizationSignIn returnTo={undefined} />)
  expect(await screen.findByRole('button', { name: 'Use single sign-on' })).toBeTruthy()
  expect(shownToasts()).toEqual([])
})
