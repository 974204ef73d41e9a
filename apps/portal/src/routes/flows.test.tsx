import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { submitFlow } from '#identity/client.ts'
import { sessionKey } from '#identity/session.ts'
import { providePortalConfig } from '#lib/portal-config.ts'
import { flowOf, type PartialNode, readNodes, verificationNodes } from '#lib/testing/flows.ts'
import { testConfig, type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'

let service: Service
let client: QueryClient
beforeEach(async () => {
  service = await startService()
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  service.on('GET /sessions/whoami', { body: sessionOf() })
})
afterEach(async () => {
  cleanup()
  await client.cancelQueries()
  await service.close()
})

function open(address: string) {
  const router = createPortalRouter(client, createMemoryHistory({ initialEntries: [address] }))
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return (end: string) => waitFor(() => expect(router.state.location.href).toBe(end))
}
const requestsTo = (path: string) => service.seen.filter((call) => call.path === path).map(({ query }) => query)

describe.each([
  ['login', '/login'],
  ['registration', '/registration'],
  ['recovery', '/recovery'],
  ['verification', '/verification'],
  ['settings', '/profile'],
])('%s flow', (kind, page) => {
  beforeEach(() => {
    service.on(`GET /self-service/${kind}/browser`, { body: flowOf([], { id: 'made' }) })
  })
  it('is created if the URL contains no ID, and its ID is added to the URL', async () => {
    await open(page)(`${page}?flow=made`)
    expect([
      requestsTo(`/self-service/${kind}/browser`).length,
      requestsTo(`/self-service/${kind}/flows`).length,
    ]).toEqual([1, 0])
  })
  it('is fetched by the ID in the URL', async () => {
    service.on(`GET /self-service/${kind}/flows`, { body: flowOf([], { id: 'mine' }) })
    const settled = open(`${page}?flow=mine`)
    await waitFor(() => expect(requestsTo(`/self-service/${kind}/flows`)).toEqual([{ id: 'mine' }]))
    await settled(`${page}?flow=mine`)
    expect(requestsTo(`/self-service/${kind}/browser`)).toEqual([])
  })
  it('is recreated if it cannot be fetched', async () => {
    const body = { error: { id: 'self_service_flow_expired', message: 'too late' } }
    service.on(`GET /self-service/${kind}/flows`, { status: 410, body })
    await open(`${page}?flow=old`)(`${page}?flow=made`)
  })
})

it.each([
  ['verification', true],
  ['recovery', true],
  ['verification', false],
] as const)('%s explains where undelivered email is stored: %s', async (kind, mailsAreFiles) => {
  providePortalConfig({ ...testConfig(service.url), mailsAreFiles })
  const email: PartialNode = {
    type: 'input',
    group: 'code',
    attributes: { name: 'email', type: 'hidden', value: 'nora@a.example' },
  }
  const body = flowOf(readNodes([email]), { id: 'mine', state: 'sent_email' })
  service.on(`GET /self-service/${kind}/flows`, { body })
  open(`/${kind}?flow=mine`)
  expect(await screen.findByText('nora@a.example')).toBeTruthy()
  expect(screen.queryByText(/^This installation has no mail server yet/) !== null).toBe(mailsAreFiles)
  expect(screen.queryByText(/Check your spam folder/) !== null).toBe(!mailsAreFiles)
})

it('does not claim that the email of an external identity service is a file', async () => {
  providePortalConfig({ ...testConfig(service.url), mailsAreFiles: true, apiUrl: location.origin })
  service.on('GET /self-service/recovery/flows', { body: flowOf([], { id: 'mine', state: 'sent_email' }) })
  open('/recovery?flow=mine')
  expect(await screen.findByText(/Check your spam folder/)).toBeTruthy()
})

it('verification explains that a code was sent if the service does not return the address', async () => {
  const sent = { id: 1080003, type: 'info' as const, text: 'An email containing a verification code has been sent' }
  const nodes = verificationNodes().filter((node) => node.type !== 'input' || node.attributes.name !== 'email')
  const body = flowOf(nodes, { id: 'mine', state: 'sent_email', messages: [sent] })
  service.on('GET /self-service/verification/flows', { body })
  open('/verification?flow=mine')
  expect(await screen.findByText(/Enter the 6-digit code we sent to your email address/)).toBeTruthy()
  expect(screen.queryByText(sent.text)).toBeNull()
})

it('verification suggests the address of a signed-in user, and leads back', async () => {
  const email: PartialNode = { type: 'input', group: 'code', attributes: { name: 'email', type: 'email' } }
  service.on('GET /self-service/verification/flows', { body: flowOf(readNodes([email]), { id: 'mine' }) })
  client.setQueryData(sessionKey, sessionOf())
  open(`/verification?flow=mine&return_to=${location.origin}/profile`)
  await waitFor(() => expect(document.querySelector('input[name=email]')).toHaveProperty('value', 'nora@example.ch'))
  expect(screen.getByRole('link', { name: 'Back' }).getAttribute('href')).toBe(`${location.origin}/profile`)
})

it('says how to get another code, and starts over with another address', async () => {
  const body = flowOf(verificationNodes(), { id: 'mine', state: 'sent_email' })
  service.on('GET /self-service/recovery/flows', { body })
  open('/recovery?flow=mine')
  expect(await screen.findByText(/Check your spam folder .* select “Resend code” below/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Use another address' }).getAttribute('href')).toBe('/recovery')
})

it('is submitted with cookies, its ID, and the CSRF token if present', async () => {
  const send = vi.spyOn(globalThis, 'fetch')
  service.on('POST /self-service/recovery', { status: 400, body: flowOf([]) })
  await submitFlow('recovery', 'f', { method: 'code' }, 'from-a-link')
  expect(send.mock.calls.map(([, options]) => options?.credentials)).toEqual(['include'])
  expect(requestsTo('/self-service/recovery')).toEqual([{ flow: 'f', token: 'from-a-link' }])
  send.mockRestore()
})
