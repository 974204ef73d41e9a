import type { Flow, UiNode } from '@glacis/contract/identity'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FlowForm } from '#identity/flow-form.tsx'
import { flowQuery } from '#identity/lifecycle.ts'
import {
  credentialStepNodes,
  flowOf,
  loginNodes,
  profileStepNodes,
  readNodes,
  registrationNodes,
  verificationNodes,
} from '#lib/testing/flows.ts'
import { testConfig, type Service, startService } from '#lib/testing/service.ts'
import { providePortalConfig } from '#lib/portal-config.ts'

let service: Service
let client: QueryClient
const page = globalThis as Record<string, unknown>

beforeEach(async () => {
  service = await startService()
  client = new QueryClient()
})
afterEach(async () => {
  cleanup()
  for (const name of ['turnstile', '__oryWebAuthnInitialized', 'oryPasskeyLogin']) delete page[name]
  await service.close()
})

/** Renders a flow from the query cache, as the screens do. */
function show(kind: 'login' | 'registration' | 'verification', flow: Flow) {
  const { queryKey } = flowQuery(kind, flow.id)
  client.setQueryData(queryKey, flow)
  function Screen() {
    const { data = flow } = useQuery(flowQuery(kind, flow.id))
    return <FlowForm kind={kind} flow={data} />
  }
  const router = createRouter({
    routeTree: createRootRoute({ component: Screen }),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  return (next: Flow) => act(() => void client.setQueryData(queryKey, next))
}
const posts = () => service.seen.filter(({ method }) => method === 'POST')
const error = (text: string, id = 4000002) => ({ id, type: 'error' as const, text })
const withMessages = (nodes: UiNode[], name: string, ...messages: UiNode['messages']): UiNode[] =>
  nodes.map((node) => (node.type === 'input' && node.attributes.name === name ? { ...node, messages } : node))

describe('FlowForm', () => {
  it('groups nodes, providers first', async () => {
    show('login', flowOf(loginNodes()))
    await screen.findByLabelText('Email')
    const groups = [...document.querySelectorAll<HTMLElement>('fieldset[data-group]')].map(
      ({ dataset }) => dataset['group'],
    )
    expect(groups).toEqual(['oidc', 'default', 'password', 'passkey'])
  })

  it('shows messages below the field and marks it invalid only for errors', async () => {
    const nodes = withMessages(registrationNodes(), 'traits.email', error('Invalid email'), error('Taken', 4000007))
    show('registration', flowOf(withMessages(nodes, 'password', { id: 1, type: 'info', text: 'Long is good' })))
    const email = await screen.findByLabelText('Email')
    const password = screen.getByLabelText('Password')
    const messagesOf = (field: HTMLElement) =>
      document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent
    expect([messagesOf(email), messagesOf(password)]).toEqual(['Invalid emailTaken', 'Long is good'])
    expect([email, password].map((field) => field.getAttribute('aria-invalid'))).toEqual(['true', null])
  })

  it('ignores unknown nodes', async () => {
    const unknown = readNodes([
      { type: 'input', group: 'telepathy', attributes: { name: 'thought', type: 'text' }, label: 'Thought' },
      { type: 'div', group: 'captcha', attributes: { class: 'x' } },
    ])
    show('login', flowOf([...loginNodes(), ...unknown]))
    await screen.findByLabelText('Email')
    expect(screen.queryByLabelText('Thought')).toBeNull()
  })

  it('renders code inputs as six boxes', async () => {
    show('verification', flowOf(verificationNodes(), { state: 'sent_email' }))
    expect(await screen.findAllByLabelText(/^Character \d of 6$/)).toHaveLength(6)
  })

  it('injects script nodes and removes them on unmount', async () => {
    const attributes = {
      src: 'http://id.example.ch/webauthn.js',
      async: true,
      crossorigin: 'anonymous',
      integrity: 'sha512-abc',
      referrerpolicy: 'no-referrer',
      type: 'text/javascript',
    }
    const replace = show(
      'login',
      flowOf([...loginNodes(), ...readNodes([{ type: 'script', group: 'webauthn', attributes }])]),
    )
    await screen.findByLabelText('Email')
    const script = () =>
      document.body.querySelector<HTMLScriptElement>('script[src="http://id.example.ch/webauthn.js"]')
    const scriptAttributes = ['crossorigin', 'integrity', 'referrerpolicy', 'type'].map((name) =>
      script()?.getAttribute(name),
    )
    expect([...scriptAttributes, script()?.async]).toEqual([
      'anonymous',
      'sha512-abc',
      'no-referrer',
      'text/javascript',
      true,
    ])
    replace(flowOf(loginNodes()))
    await waitFor(() => expect(script()).toBeNull())
  })

  it('runs the trigger of a button', async () => {
    page['__oryWebAuthnInitialized'] = true
    page['oryPasskeyLogin'] = vi.fn()
    show('login', flowOf(loginNodes()))
    await userEvent.click(await screen.findByRole('button', { name: 'Sign in with passkey' }))
    await waitFor(() => expect(page['oryPasskeyLogin']).toHaveBeenCalledOnce())
    expect(posts()).toEqual([])
  })
})

describe('submission', () => {
  it('focuses the first missing required field instead of submitting', async () => {
    show('login', flowOf(loginNodes()))
    await userEvent.type(await screen.findByLabelText('Password'), 'correct horse{Enter}')
    expect(screen.getByText('Required')).toBeTruthy()
    expect([document.activeElement, posts().length]).toEqual([screen.getByLabelText('Email'), 0])
    await userEvent.type(screen.getByLabelText('Email'), 'n')
    expect(screen.queryByText('Required')).toBeNull()
  })

  it('focuses the first wrong field on the screen, even if another node comes first', async () => {
    show('registration', flowOf(registrationNodes()))
    await userEvent.click(await screen.findByRole('button', { name: 'Sign up' }))
    expect(document.activeElement).toBe(screen.getByLabelText('First name'))
  })

  it('activates the primary button, not a provider, on Enter', async () => {
    service.on('POST /self-service/login', { status: 400, body: flowOf(loginNodes()) })
    show('login', flowOf(loginNodes()))
    await userEvent.type(await screen.findByLabelText('Email'), 'a@b.ch')
    await userEvent.type(screen.getByLabelText('Password'), 'wrong{Enter}')
    await waitFor(() => expect(posts()).toHaveLength(1))
    expect(posts()[0]?.body).toMatchObject({ method: 'password', password: 'wrong' })
  })

  it("keeps the input and shows the service's messages", async () => {
    const rejected = flowOf(loginNodes(), { messages: [error('The provided credentials are invalid.', 4000006)] })
    service.on('POST /self-service/login', { status: 400, body: rejected })
    show('login', flowOf(loginNodes()))
    await userEvent.type(await screen.findByLabelText('Email'), 'a@b.ch')
    await userEvent.type(screen.getByLabelText('Password'), 'wrong{Enter}')
    expect((await screen.findByRole('alert')).textContent).toBe('The provided credentials are invalid.')
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('a@b.ch')
  })

  it('does not require a password for a provider', async () => {
    service.on('POST /self-service/login', { status: 400, body: flowOf(loginNodes()) })
    show('login', flowOf(loginNodes()))
    await userEvent.click(await screen.findByRole('button', { name: 'Sign in with GitHub' }))
    await waitFor(() => expect(posts()[0]?.body).toMatchObject({ method: 'oidc', provider: 'github' }))
  })

  it("intercepts submission by the service's script", async () => {
    service.on('POST /self-service/login', { status: 400, body: flowOf(loginNodes()) })
    show('login', flowOf(loginNodes()))
    await screen.findByLabelText('Email')
    const hidden = document.querySelector<HTMLInputElement>('input[name=passkey_login]')
    if (hidden) hidden.value = '{"id":"credential"}'
    hidden?.form?.submit()
    await waitFor(() => expect(posts()).toHaveLength(1))
    expect(posts()[0]?.body).toMatchObject({ method: 'passkey', passkey_login: '{"id":"credential"}' })
  })

  it('continues two-step registration with the earlier values', async () => {
    service.on('POST /self-service/registration', ({ body }) => ({
      status: 400,
      body: flowOf((body as { method?: string }).method === 'profile' ? credentialStepNodes() : profileStepNodes(), {
        messages: [{ id: 1040009, type: 'info', text: 'Please choose a credential.' }],
      }),
    }))
    show('registration', flowOf(profileStepNodes()))
    await userEvent.type(await screen.findByLabelText('First name'), 'Nora')
    await userEvent.type(screen.getByLabelText('Last name'), 'Ammann')
    await userEvent.type(screen.getByLabelText('Email'), 'nora@example.ch{Enter}')
    const password = await screen.findByLabelText('Password')
    expect(document.activeElement).toBe(password)
    await userEvent.type(password, 'slope-of-sight{Enter}')
    await waitFor(() => expect(posts()).toHaveLength(2))
    expect(posts()[1]?.body).toMatchObject({
      method: 'password',
      password: 'slope-of-sight',
      traits: { email: 'nora@example.ch', name: { first: 'Nora', last: 'Ammann' } },
    })
  })

  it('goes back without requiring a password', async () => {
    service.on('POST /self-service/registration', { status: 400, body: flowOf(profileStepNodes()) })
    show('registration', flowOf(credentialStepNodes()))
    await userEvent.click(await screen.findByRole('button', { name: 'Back' }))
    expect(await screen.findByLabelText('First name')).toBeTruthy()
    expect(posts()[0]?.body).toMatchObject({ screen: 'previous', method: 'profile' })
  })
})

describe('with a bot challenge', () => {
  interface Widget {
    readonly callback: (token: string) => void
    readonly 'error-callback': () => void
    readonly 'expired-callback': () => void
  }
  let widget: Widget | undefined
  beforeEach(() => {
    widget = undefined
    providePortalConfig(testConfig(service.url, '0x4AAA'))
    page['turnstile'] = {
      render: (_: HTMLElement, options: Widget) => {
        widget = options
        return 'w1'
      },
      remove: () => {},
    }
  })
  const button = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Sign in with password' })

  it('blocks submission before success and after expiry', async () => {
    show('login', flowOf(loginNodes()))
    await waitFor(() => expect(widget).toBeDefined())
    expect((await button()).disabled).toBe(true)
    await userEvent.type(screen.getByLabelText('Email'), 'a@b.ch')
    await userEvent.type(screen.getByLabelText('Password'), 'p{Enter}')
    act(() => widget?.callback('proof'))
    expect((await button()).disabled).toBe(false)
    act(() => widget?.['expired-callback']())
    expect([(await button()).disabled, posts().length]).toEqual([true, 0])
  })

  it('submits the token', async () => {
    service.on('POST /self-service/login', { status: 400, body: flowOf(loginNodes()) })
    show('login', flowOf(loginNodes()))
    await userEvent.type(await screen.findByLabelText('Email'), 'a@b.ch')
    await waitFor(() => expect(widget).toBeDefined())
    act(() => widget?.callback('proof'))
    await userEvent.type(screen.getByLabelText('Password'), 'p{Enter}')
    await waitFor(() =>
      expect(posts()[0]?.body).toMatchObject({ transient_payload: { captcha_turnstile_response: 'proof' } }),
    )
  })

  it('requires a new token for each submission', async () => {
    service.on('POST /self-service/login', { status: 400, body: flowOf(loginNodes()) })
    show('login', flowOf(loginNodes()))
    await userEvent.type(await screen.findByLabelText('Email'), 'a@b.ch')
    await waitFor(() => expect(widget).toBeDefined())
    const first = widget
    act(() => widget?.callback('proof'))
    await userEvent.type(screen.getByLabelText('Password'), 'p{Enter}')
    await waitFor(() => expect(widget).not.toBe(first))
    expect((await button()).disabled).toBe(true)
  })

  it('challenges requesting a verification code but not entering it', async () => {
    const isHeld = async () => (await screen.findByRole<HTMLButtonElement>('button', { name: 'Continue' })).disabled
    show('verification', flowOf(verificationNodes(), { state: 'choose_method' }))
    await waitFor(() => expect(widget).toBeDefined())
    expect(await isHeld()).toBe(true)
    act(() => widget?.callback('proof'))
    expect(await isHeld()).toBe(false)
    cleanup()
    widget = undefined
    show('verification', flowOf(verificationNodes(), { state: 'sent_email' }))
    expect([await isHeld(), widget]).toEqual([false, undefined])
  })

  it('shows an error if the challenge fails', async () => {
    show('login', flowOf(loginNodes()))
    await waitFor(() => expect(widget).toBeDefined())
    act(() => widget?.['error-callback']())
    expect((await screen.findByRole('alert')).textContent).toBe(
      "Oops! We couldn't confirm you're not a robot. Please refresh and try again.",
    )
  })
})

it('shows a wrong code at the code input and clears it every time', async () => {
  const rejected = { ...error('The code is invalid.', 4070006) }
  service.on('POST /self-service/verification', {
    body: flowOf(verificationNodes(), { state: 'sent_email', messages: [rejected] }),
  })
  show('verification', flowOf(verificationNodes()))
  const first = () => screen.findByRole<HTMLInputElement>('textbox', { name: 'Character 1 of 6' })
  for (const tries of [1, 2]) {
    await userEvent.click(await first())
    await userEvent.keyboard('123456')
    await userEvent.click(screen.getByRole('button', { name: 'Continue' }))
    await waitFor(() => expect(posts()).toHaveLength(tries))
    await waitFor(async () => expect([(await first()).value, document.activeElement]).toEqual(['', await first()]))
    expect((await first()).getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByRole('group', { name: 'Verification code' }).textContent).toContain('The code is invalid.')
  }
})

it('submits immediately without a bot challenge', async () => {
  show('login', flowOf(loginNodes()))
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Sign in with password' })).disabled).toBe(false)
})
