/** The page after a failed sign-in with a workspace's provider. */
import { screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { SingleSignOnPage } from '#workspaces/single-sign-on-page.tsx'

const workspace = '0190f5fe-7c00-7a00-8000-000000000001'
const returnTo = 'https://glacis.example/scans'
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  const provider = { label: 'Acme SSO', signInUrl: 'https://glacis.example/single-sign-on' }
  page.service.on('POST /v1/sign-in-provider/find', { body: { provider, isOffered: true } })
})
afterEach(() => page.close())

it.each([
  ['mismatch', /You signed in to Acme SSO with another account/],
  ['denied', /Acme SSO denied the sign-in/],
  ['session', /Your session ended or changed/],
] as const)('%s: explains the failure, and leads to another try and back to the page', async (reason, text) => {
  page.show(<SingleSignOnPage workspace={workspace} reason={reason} returnTo={returnTo} />)
  await screen.findByRole('heading', { name: "Couldn't sign in with Acme SSO" })
  expect(screen.getByRole('alert').textContent).toMatch(text)
  const again = new URL(screen.getByRole('link', { name: 'Try again' }).getAttribute('href') ?? '')
  expect([again.pathname, Object.fromEntries(again.searchParams)]).toEqual([
    '/single-sign-on',
    { workspace, return_to: returnTo },
  ])
})

it("leads to the verification of an address that isn't verified", async () => {
  page.show(<SingleSignOnPage workspace={workspace} reason="unverified" returnTo={undefined} />)
  const link = await screen.findByRole('link', { name: 'Verify your email' })
  expect(link.getAttribute('href')).toMatch(/^\/verification\?return_to=/)
})

it('offers no further attempt without a provider', async () => {
  page.service.on('POST /v1/sign-in-provider/find', { body: { isOffered: false } })
  page.show(<SingleSignOnPage workspace={workspace} reason="unknown" returnTo={undefined} />)
  expect(await screen.findByText("This workspace doesn't use single sign-on.")).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Try again' })).toBeNull()
})
