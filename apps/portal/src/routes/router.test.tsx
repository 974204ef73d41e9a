import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { flowOf, loginNodes, verificationNodes } from '#lib/testing/flows.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { createPortalRouter } from '#routes/router.tsx'
import { routerDefaults } from '#routes/router-options.tsx'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const noSession = { status: 401, body: { error: { code: 401, message: 'no session' } } }
let service: Service
let queryClient: QueryClient

beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions/whoami', noSession)
  service.on('GET /self-service/login/browser', { body: flowOf(loginNodes(), { id: 'new-flow' }) })
  service.on('GET /self-service/login/flows', ({ query }) => ({
    body: flowOf(loginNodes(), { id: query['id'] ?? '' }),
  }))
})
afterEach(async () => {
  cleanup()
  // Cancel pending requests before the service stops.
  await queryClient.cancelQueries()
  await service.close()
})

function open(address: string) {
  queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const router = createPortalRouter(queryClient, createMemoryHistory({ initialEntries: [address] }))
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const at = () => router.state.location.href
  return { router, at, settled: (address: string) => waitFor(() => expect(at()).toBe(address)) }
}
const signIn = () => service.on('GET /sessions/whoami', { body: sessionOf() })
const requestsTo = (path: string) => service.seen.filter((call) => call.path === path)

describe('without a session', () => {
  it.each(['/overview', '/scope?create=true#top', '/risks/verified?status=ignored', `/assets/${id}/issues`])(
    '%s leads to the login page and names the way back',
    async (address) => {
      const { router } = open(address)
      await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
      expect(router.state.location.search).toMatchObject({ return_to: new URL(address, location.origin).href })
    },
  )

  it('requires a missing second factor', async () => {
    service.on('GET /sessions/whoami', { status: 403, body: { error: { id: 'session_aal2_required', message: 'x' } } })
    const { router } = open('/scope')
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
    expect(router.state.location.search).toMatchObject({ aal: 'aal2' })
  })

  it('returns to a deep link after the second factor', async () => {
    const leave = vi.spyOn(location, 'replace').mockImplementation(() => {})
    const body = {
      error: { id: 'session_aal2_required', message: 'x' },
      redirect_browser_to: 'https://id.example.ch/self-service/login/browser?aal=aal2',
    }
    service.on('GET /sessions/whoami', { status: 403, body })
    const address = '/risks/verified?status=ignored#top'
    open(address)
    const back = encodeURIComponent(new URL(address, location.origin).href)
    await waitFor(() => expect(leave).toHaveBeenCalledWith(`${body.redirect_browser_to}&return_to=${back}`))
    leave.mockRestore()
  })
})

describe('URLs of earlier versions', () => {
  it.each([
    ['/dashboard', '/overview'],
    ['/targets', '/scope'],
    ['/targets?create=true', '/scope?create=true'],
    [`/targets/${id}`, `/scope/${id}`],
    [`/targets/${id}/scans`, `/scope/${id}/scans`],
    [`/targets/${id}/issues`, `/scope/${id}/issues`],
    ['/issues', '/risks/verified'],
    [`/issues/${id}`, `/risks/${id}`],
    ['/_auth/scans', '/scans'],
    ['/_auth/scope?create=true', '/scope?create=true'],
  ])('%s redirects to %s', async (old, present) => {
    signIn()
    await open(old).settled(present)
  })
})

describe('flow', () => {
  it('is created if the URL contains no ID, and its ID is added to the URL', async () => {
    const { settled } = open('/login?aal=aal1')
    await settled('/login?aal=aal1&flow=new-flow')
    expect(requestsTo('/self-service/login/browser').map(({ query }) => query)).toEqual([
      { refresh: 'true', aal: 'aal1' },
    ])
    expect(requestsTo('/self-service/login/flows')).toEqual([])
    expect(await screen.findByLabelText('Email')).toBeTruthy()
  })

  it('is recreated if it cannot be fetched', async () => {
    service.on('GET /self-service/login/flows', {
      status: 410,
      body: { error: { id: 'self_service_flow_expired', message: 'x' } },
    })
    const back = new URL('/scope', location.origin).href
    const { router } = open(`/login?flow=old&return_to=${encodeURIComponent(back)}`)
    await waitFor(() => expect(router.state.location.search).toEqual({ flow: 'new-flow', return_to: back }))
    expect(requestsTo('/self-service/login/browser').map(({ query }) => query['return_to'])).toEqual([back])
  })

  it('passes the return URL through verification after registration', async () => {
    service.on('GET /self-service/registration/browser', { body: flowOf([], { id: 'r' }) })
    await open('/registration').settled('/registration?flow=r')
    expect(requestsTo('/self-service/registration/browser')[0]?.query).toEqual({
      after_verification_return_to: new URL('/overview', location.origin).href,
    })
  })

  it('redirects to the profile if already signed in', async () => {
    signIn()
    service.on('GET /self-service/registration/browser', {
      status: 400,
      body: { error: { id: 'session_already_available' } },
    })
    service.on('GET /self-service/settings/browser', { body: flowOf([], { id: 's' }) })
    await open('/registration').settled('/profile?flow=s')
  })

  it('redirects from settings to the login page without a session', async () => {
    signIn()
    service.on('GET /self-service/settings/browser', { status: 401, body: { error: { id: 'session_inactive' } } })
    const { router } = open('/profile')
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
  })

  it('shows other errors on the error page', async () => {
    service.on('GET /self-service/recovery/browser', {
      status: 403,
      body: { error: { id: 'security_csrf_violation' } },
    })
    service.on('GET /self-service/errors', {
      body: {
        id: 'security_csrf_violation',
        error: { message: 'The request was rejected.', reason: 'No cookie came.' },
      },
    })
    await open('/recovery').settled('/error?id=security_csrf_violation')
    expect(await screen.findByText('No cookie came.')).toBeTruthy()
  })
})

describe('after signing in', () => {
  const press = async () => {
    const user = userEvent.setup()
    await user.type(await screen.findByLabelText('Email'), 'nora@example.ch')
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.click(screen.getByRole('button', { name: 'Sign in with password' }))
  }

  it('opens the overview', async () => {
    service.on('POST /self-service/login', () => {
      signIn()
      return { body: { session: sessionOf() } }
    })
    const leave = vi.spyOn(location, 'assign').mockImplementation(() => {})
    open('/login')
    await press()
    await waitFor(() => expect(leave).toHaveBeenCalledWith(new URL('/overview', location.href).href))
    expect(requestsTo('/self-service/login')[0]).toMatchObject({
      query: { flow: 'new-flow' },
      body: { csrf_token: 't', identifier: 'nora@example.ch', password: 'correct horse', method: 'password' },
    })
    leave.mockRestore()
  })

  it('opens the requested page, as confirmed by the service', async () => {
    const leave = vi.spyOn(location, 'assign').mockImplementation(() => {})
    const back = new URL('/scope', location.origin).href
    service.on('GET /self-service/login/browser', { body: flowOf(loginNodes(), { id: 'new-flow', return_to: back }) })
    service.on('POST /self-service/login', { body: { session: sessionOf() } })
    open('/login?return_to=https%3A%2F%2Felsewhere.example.ch%2F')
    await press()
    await waitFor(() => expect(leave).toHaveBeenCalledExactlyOnceWith(back))
    leave.mockRestore()
  })

  it('verifies the email first, if the service requires it', async () => {
    service.on('GET /self-service/verification/flows', {
      body: flowOf(verificationNodes(), { id: 'v', state: 'sent_email' }),
    })
    service.on('POST /self-service/login', {
      body: {
        session: sessionOf(),
        continue_with: [
          { action: 'redirect_browser_to', redirect_browser_to: 'http://x.example.ch/' },
          { action: 'show_verification_ui', flow: { id: 'v', verifiable_address: 'nora@example.ch' } },
        ],
      },
    })
    const { settled } = open('/login')
    await press()
    await settled('/verification?flow=v')
    expect(await screen.findByRole('heading', { name: 'Verify your email' })).toBeTruthy()
  })

  it('follows a redirect of the service to another site', async () => {
    const leave = vi.spyOn(location, 'assign').mockImplementation(() => {})
    service.on('POST /self-service/login', {
      status: 422,
      body: {
        error: { id: 'browser_location_change_required' },
        redirect_browser_to: 'https://provider.example.ch/auth?x=1',
      },
    })
    open('/login')
    await press()
    await waitFor(() => expect(leave).toHaveBeenCalledWith('https://provider.example.ch/auth?x=1'))
    leave.mockRestore()
  })

  it('replaces an expired flow with the new one', async () => {
    service.on('POST /self-service/login', {
      status: 410,
      body: { error: { id: 'self_service_flow_expired' }, use_flow_id: 'next-flow' },
    })
    const { settled } = open('/login')
    await press()
    await settled('/login?flow=next-flow')
  })
})

it('signs out with the logout token', async () => {
  service.on('GET /self-service/logout/browser', { body: { logout_token: 'tok', logout_url: 'x' } })
  service.on('GET /self-service/logout', { status: 204 })
  await open('/logout').settled('/login?flow=new-flow')
  expect(requestsTo('/self-service/logout')[0]?.query).toEqual({
    token: 'tok',
    return_to: new URL('/login', location.origin).href,
  })
})

it('signs out without a session', async () => {
  service.on('GET /self-service/logout/browser', noSession)
  await open('/logout').settled('/login?flow=new-flow')
})

it('shows the 404 page with a link home', async () => {
  open('/nowhere/at/all')
  expect(await screen.findByText('404')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'Page not found' })).toBeTruthy()
  expect(screen.getByText('Sorry, we couldn\u2019t find the page you\u2019re looking for.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Go back home' }).getAttribute('href')).toBe('/')
})

it('prefers the map over a risk with that ID', async () => {
  signIn()
  open('/risks/visual')
  expect(await screen.findByRole('heading', { name: 'Visual Map' })).toBeTruthy()
})

it.each([
  ['/risks/42', 'Risk not found'],
  ['/scope/nothing', 'Target not found'],
  ['/assets/nothing/issues', 'Asset not found'],
  ['/technologies/nothing', 'Technology not found'],
  ['/scans/nothing', 'Scan not found'],
])('sends no request for %s', async (address, title) => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
  signIn()
  open(address)
  expect(await screen.findByRole('heading', { level: 1, name: title })).toBeTruthy()
  await waitFor(() => expect(document.title).toBe(`${title} · Glacis`))
  expect(service.seen.filter(({ path }) => path.endsWith(address.split('/')[2] ?? '?'))).toEqual([])
  quiet.mockRestore()
})

it('names the invalid part of a URL', async () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
  signIn()
  open('/scope?create=maybe')
  await userEvent.click(await screen.findByRole('button', { name: 'Show Error' }))
  expect(screen.getByText(/^This URL is invalid\.\s+create: /)).toBeTruthy()
  quiet.mockRestore()
})

it.each(['/login?aal=aal3', '/login?return_to=nowhere', '/error'])('shows the error view for %s', async (address) => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
  open(address)
  expect(await screen.findByText('Something went wrong!')).toBeTruthy()
  expect(requestsTo('/self-service/login/browser')).toEqual([])
  quiet.mockRestore()
})

it('uses the router settings of the specification', () => {
  expect(routerDefaults).toMatchObject({
    defaultPreloadDelay: 50,
    defaultPreloadStaleTime: 30_000,
    defaultPendingMs: 1000,
    defaultPendingMinMs: 500,
    defaultGcTime: 300_000,
    scrollRestoration: true,
  })
})
