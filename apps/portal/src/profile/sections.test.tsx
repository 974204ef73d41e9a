import { Session } from '@glacis/contract/identity'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { flowOf, type PartialNode } from '#lib/testing/flows.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { input, keys, settingsNodes, showProfile } from '#profile/testing/settings.tsx'

let service: Service
beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions', { body: [] })
  service.on('GET /sessions/whoami', { body: sessionOf() })
})
afterEach(async () => {
  cleanup()
  await service.close()
})

const everything: readonly PartialNode[] = [
  input('oidc', 'link', 'submit', 'Link GitHub', { value: 'github' }, { provider: 'GitHub' }),
  input('oidc', 'unlink', 'submit', 'Unlink GitLab', { value: 'gitlab' }, { provider: 'GitLab' }),
  ...keys,
  input('totp', 'totp_unlink', 'submit', 'Unlink', { value: 'true' }),
]
const section = async (name: string) => within(await screen.findByRole('region', { name }))
const delayResponse = () => {
  let release = () => {}
  const after = new Promise<void>((done) => (release = done))
  return { after, release: () => release() }
}

describe('the profile page', () => {
  it('shows the sections in order', async () => {
    showProfile(settingsNodes(...everything))
    await screen.findByText('Personal Info')
    expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual([
      'Personal Info',
      'Authentication',
      'Two-factor authentication',
      'Active sessions',
      'Keyboard',
      'Useful links',
      'Delete account',
    ])
  })

  it('groups social providers, password, and passkeys', async () => {
    showProfile(settingsNodes(...everything))
    const ways = await section('Authentication')
    expect(ways.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
      'Social providers',
      'Password',
      'Passkeys',
    ])
    expect(ways.getAllByRole('button').map((button) => button.textContent)).toEqual([
      'Link',
      'Unlink',
      'Change password',
      'Remove',
    ])
  })

  it('links and unlinks social providers', async () => {
    service.on('POST /self-service/settings', { body: flowOf(settingsNodes(...everything), { state: 'success' }) })
    showProfile(settingsNodes(...everything))
    const ways = await section('Authentication')
    await userEvent.click(ways.getByRole('button', { name: 'Link GitHub' }))
    await userEvent.click(ways.getByRole('button', { name: 'Unlink GitLab' }))
    const posts = () => service.seen.filter(({ method }) => method === 'POST').map(({ body }) => body)
    await waitFor(() => expect(posts()).toHaveLength(2))
    expect(posts()).toEqual([
      { csrf_token: 't', link: 'github', method: 'oidc' },
      { csrf_token: 't', unlink: 'gitlab', method: 'oidc' },
    ])
  })

  it('links to the documents and to an email to support', async () => {
    showProfile()
    const links = await section('Useful links')
    const documents = ['API Documentation', 'License Agreement'].map((name) =>
      links.getByRole('link', { name }).getAttribute('href'),
    )
    expect(documents).toEqual([`${service.url}/docs`, `${service.url}/licence`])
    const mail = (await section('Delete account')).getByRole('link', { name: 'Delete account' }).getAttribute('href')
    expect(mail).toMatch(/^mailto:support@example\.ch\?subject=Account%20deletion&body=.*Nora%20Ammann$/)
  })

  it('shows an orange badge for an unverified address', async () => {
    const identity = { ...sessionOf().identity, verifiable_addresses: [] }
    showProfile(settingsNodes(), Session.parse(sessionOf({ identity })))
    expect((await screen.findByText('unverified')).className).toContain('orange')
    expect(screen.queryByText('Email verified')).toBeNull()
  })

  it('redirects to sign-in with return_to if the session has expired', async () => {
    service.on('POST /self-service/settings', { status: 401, body: { error: { code: 401, message: 'no session' } } })
    const router = showProfile()
    await userEvent.click(await screen.findByRole('button', { name: 'Save details' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
    expect(router.state.location.search).toEqual({ return_to: location.href })
  })
})

describe('during submission', () => {
  it('disables both buttons of the passkey removal dialog', async () => {
    const { after, release } = delayResponse()
    service.on('POST /self-service/settings', { body: flowOf(settingsNodes(), { state: 'success' }), after })
    showProfile(settingsNodes(...keys))
    await userEvent.click(await screen.findByRole('button', { name: 'Remove YubiKey 5C' }))
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.click(dialog.getByLabelText('I understand the consequences of this action'))
    await userEvent.click(dialog.getByRole('button', { name: 'Remove' }))
    const isDisabled = (name: string) => dialog.getByRole<HTMLButtonElement>('button', { name }).disabled
    await waitFor(() => expect(['Remove', 'Cancel'].map(isDisabled)).toEqual([true, true]))
    release()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})

it('groups second factors and warns about missing backup codes', async () => {
  const codes = input('lookup_secret', 'lookup_secret_regenerate', 'submit', 'Generate', { value: 'true' })
  const securityKey = input('webauthn', 'webauthn_register_trigger', 'button', 'Add security key', { value: '' })
  const offered = [securityKey, codes]
  showProfile(settingsNodes(...everything, ...offered))
  const factors = await section('Two-factor authentication')
  expect(factors.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Security keys',
    'Backup codes',
  ])
  expect(factors.getByText(/without them, you're locked out/)).toBeTruthy()
  cleanup()
  showProfile(settingsNodes(...offered))
  await section('Two-factor authentication')
  expect(screen.queryByText(/locked out/)).toBeNull()
})

it('disables Save password while the passwords differ', async () => {
  showProfile()
  await userEvent.click(await screen.findByRole('button', { name: 'Change password' }))
  await userEvent.type(await screen.findByLabelText('New Password'), 'slope-of-sight')
  const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save password' })
  await userEvent.type(screen.getByLabelText('Confirm Password'), 'slope')
  await userEvent.tab()
  expect([save.disabled, screen.queryAllByText("The provided passwords don't match.").length]).toEqual([true, 1])
  await userEvent.type(screen.getByLabelText('Confirm Password'), '-of-sight')
  expect([save.disabled, screen.queryAllByText("The provided passwords don't match.").length]).toEqual([false, 0])
})

it('describes each session by its first device', async () => {
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0'
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
  const devices = [
    { ip_address: '198.51.100.7:53122', user_agent: phone },
    { ip_address: '203.0.113.9', user_agent: windows },
  ]
  service.on('GET /sessions', { body: [sessionOf({ id: 's2', devices })] })
  showProfile()
  const list = within(await screen.findByRole('list', { name: 'Active sessions' }))
  await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(2))
  const [, other] = list.getAllByRole('listitem')
  expect(other?.textContent).toContain('iOS, Safari')
  expect(other?.textContent).toContain('198.51.100.7, signed in')
  expect(other?.textContent).not.toContain('203.0.113.9')
  expect(other?.querySelector('svg.lucide-smartphone')).toBeTruthy()
})

it.each([429, 500, 503])('keeps the input and suggests a retry on status %i', async (status) => {
  service.on('POST /self-service/settings', { status })
  showProfile()
  const first = await screen.findByLabelText<HTMLInputElement>('First name')
  await userEvent.clear(first)
  await userEvent.type(first, 'Norah')
  await userEvent.click(screen.getByRole('button', { name: 'Save details' }))
  expect((await screen.findByRole('alert')).textContent).toMatch(/try again in a moment\.$/)
  expect(screen.getByLabelText<HTMLInputElement>('First name').value).toBe('Norah')
})
