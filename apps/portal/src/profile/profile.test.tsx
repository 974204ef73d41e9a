import { Session } from '@glacis/contract/identity'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { passkeyName } from '#identity/nodes.ts'
import { flowOf, type PartialNode, readNodes } from '#lib/testing/flows.ts'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'
import { deletionMailUrl, isVerified } from '#profile/profile.tsx'
import { input, keys, settingsNodes, showProfile } from '#profile/testing/settings.tsx'
import { isTwoFactorOn } from '#profile/two-factor.tsx'

let service: Service
beforeEach(async () => {
  service = await startService()
  service.on('GET /sessions', { body: [] })
  service.on('GET /sessions/whoami', { body: sessionOf() })
})
afterEach(async () => {
  cleanup()
  clearToasts()
  await service.close()
})

const posts = () => service.seen.filter(({ method }) => method === 'POST')
const verifiable = (value: string, verified: boolean) =>
  Session.parse(sessionOf({ identity: { ...sessionOf().identity, verifiable_addresses: [{ value, verified }] } }))

describe('the header card', () => {
  it('shows the title, the help link, and the verified tick', async () => {
    showProfile()
    expect(await screen.findByRole('heading', { level: 1, name: 'Profile settings' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Help Center' }).getAttribute('href')).toBe('https://help.example.ch/')
    expect(screen.getByText('Email verified')).toBeTruthy()
    expect(screen.queryByText('unverified')).toBeNull()
  })

  it('ignores other verified addresses', () => {
    expect([isVerified(verifiable('old@example.ch', true)), isVerified(verifiable('nora@example.ch', true))]).toEqual([
      false,
      true,
    ])
  })
})

it('shows only sections that the flow has nodes for', async () => {
  showProfile()
  await screen.findByText('Personal Info')
  const sections = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
  expect(sections).toEqual([
    'Personal Info',
    'Authentication',
    'Active sessions',
    'Keyboard',
    'Useful links',
    'Delete account',
  ])
})

it('saves the details and shows a toast', async () => {
  service.on('POST /self-service/settings', {
    body: flowOf(settingsNodes(), {
      state: 'success',
      messages: [{ id: 1050001, type: 'success', text: 'Your changes have been saved!' }],
    }),
  })
  showProfile()
  const first = await screen.findByLabelText('First name')
  await userEvent.clear(first)
  await userEvent.type(first, 'Norah')
  await userEvent.click(screen.getByRole('button', { name: 'Save details' }))
  await waitFor(() => expect(shownToasts()[0]).toMatchObject({ title: 'Account updated', kind: 'success' }))
  expect(posts()[0]).toMatchObject({
    query: { flow: 'flow-1' },
    body: { method: 'profile', traits: { email: 'nora@example.ch', name: { first: 'Norah', last: 'Ammann' } } },
  })
})

it('focuses the first wrong field instead of saving', async () => {
  showProfile()
  await userEvent.clear(await screen.findByLabelText('First name'))
  await userEvent.clear(screen.getByLabelText('Email'))
  await userEvent.click(screen.getByRole('button', { name: 'Save details' }))
  expect([document.activeElement, posts().length]).toEqual([screen.getByLabelText('First name'), 0])
})

describe('the password dialog', () => {
  const open = async () => userEvent.click(await screen.findByRole('button', { name: 'Change password' }))

  it('does not submit passwords that differ', async () => {
    showProfile()
    await open()
    await userEvent.type(await screen.findByLabelText('New Password'), 'slope-of-sight')
    await userEvent.type(screen.getByLabelText('Confirm Password'), 'slope{Enter}')
    expect(await screen.findByText("The provided passwords don't match.")).toBeTruthy()
    expect(posts()).toEqual([])
    await userEvent.type(screen.getByLabelText('Confirm Password'), '-of-sight')
    expect(screen.queryByText("The provided passwords don't match.")).toBeNull()
  })

  it('submits the password method and closes', async () => {
    service.on('POST /self-service/settings', { body: flowOf(settingsNodes(), { state: 'success' }) })
    showProfile()
    await open()
    await userEvent.type(await screen.findByLabelText('New Password'), 'slope-of-sight')
    await userEvent.type(screen.getByLabelText('Confirm Password'), 'slope-of-sight{Enter}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(posts()[0]?.body).toEqual({ csrf_token: 't', password: 'slope-of-sight', method: 'password' })
  })

  it('opens automatically if the service rejected the password', async () => {
    const rejectedNodes = settingsNodes().map((node) =>
      node.group === 'password' && node.type === 'input' && node.attributes.type === 'password'
        ? { ...node, messages: [{ id: 4000032, type: 'error' as const, text: 'Too short.' }] }
        : node,
    )
    showProfile(rejectedNodes)
    expect(await screen.findByRole('dialog', { name: 'Change password' })).toBeTruthy()
    expect(screen.getByText('Too short.')).toBeTruthy()
  })

  it('opens automatically after account recovery', async () => {
    const messages = [{ id: 1060001, type: 'success' as const, text: 'You successfully recovered your account.' }]
    showProfile(settingsNodes(), Session.parse(sessionOf()), messages)
    const dialog = within(await screen.findByRole('dialog', { name: 'Change password' }))
    expect(dialog.getByText(/^You've recovered your account/)).toBeTruthy()
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})

describe('passkeys', () => {
  it('can be removed only after confirming the consequences', async () => {
    service.on('POST /self-service/settings', { body: flowOf(settingsNodes(), { state: 'success' }) })
    showProfile(settingsNodes(...keys))
    await userEvent.click(await screen.findByRole('button', { name: 'Remove YubiKey 5C' }))
    const dialog = within(await screen.findByRole('dialog'))
    const remove = dialog.getByRole<HTMLButtonElement>('button', { name: 'Remove' })
    const box = dialog.getByLabelText('I understand the consequences of this action')
    expect(remove.disabled).toBe(true)
    await userEvent.click(box)
    expect(remove.disabled).toBe(false)
    await userEvent.click(box)
    expect(remove.disabled).toBe(true)
    await userEvent.click(box)
    await userEvent.click(remove)
    await waitFor(() => expect(posts()[0]?.body).toEqual({ csrf_token: 't', passkey_remove: 'ab', method: 'passkey' }))
  })

  it('must have a display name', () => {
    const [node] = readNodes([input('passkey', 'passkey_remove', 'submit', 'Remove', { value: 'ab' })])
    expect(() => node?.type === 'input' && passkeyName(node)).toThrow('without a display name')
  })
})

it('treats two-factor authentication as on if it can be unlinked', () => {
  const unlink = readNodes([input('totp', 'totp_unlink', 'submit', 'Unlink', { value: 'true' })])
  expect([isTwoFactorOn(unlink), isTwoFactorOn(settingsNodes())]).toEqual([true, false])
})

it('sets up two-factor authentication with a QR code, a secret, and a code input', async () => {
  showProfile(
    settingsNodes(
      {
        type: 'img',
        group: 'totp',
        attributes: { src: 'data:image/png;base64,AA==' },
        label: 'Authenticator app QR code',
      },
      { type: 'text', group: 'totp', attributes: { text: { id: 1050006, text: 'IX7KUIM3' } }, label: 'Your secret' },
      input('totp', 'totp_code', 'text', 'Verify code', { required: true }),
      input('totp', 'method', 'submit', 'Save', { value: 'totp' }),
    ),
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Set up' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('img', { name: 'Authenticator app QR code' })).toBeTruthy()
  expect(dialog.getByText('IX7KUIM3')).toBeTruthy()
  expect(dialog.getAllByLabelText(/^Character/)).toHaveLength(6)
})

it('revokes one session or all others and refetches the list', async () => {
  service.on('GET /sessions', { body: [sessionOf({ id: 's2' }), sessionOf({ id: 's3' })] })
  service.on('DELETE /sessions/s2', { status: 204 })
  service.on('DELETE /sessions', { body: { count: 1 } })
  showProfile()
  const list = within(await screen.findByRole('list', { name: 'Active sessions' }))
  await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(3))
  service.on('GET /sessions', { body: [sessionOf({ id: 's3' })] })
  const [first] = list.getAllByRole('button', { name: /^Revoke/ })
  if (first) await userEvent.click(first)
  await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(2))
  service.on('GET /sessions', { body: [] })
  await userEvent.click(screen.getByRole('button', { name: 'Revoke all other sessions' }))
  await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(1))
  const deleted = service.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
  expect(deleted).toEqual(['/sessions/s2', '/sessions'])
  expect(shownToasts().map(({ message }) => message)).toEqual([
    'The device was signed out.',
    'All other devices were signed out.',
  ])
})

it('drafts the account deletion email', () => {
  const mail = new URL(deletionMailUrl('support@example.ch', 'Nora Ammann'))
  expect([mail.pathname, mail.searchParams.get('subject')]).toEqual(['support@example.ch', 'Account deletion'])
  expect(mail.searchParams.get('body')).toContain('Nora Ammann')
})

describe('backup codes', () => {
  const button = (action: string) =>
    input('lookup_secret', `lookup_secret_${action}`, 'submit', action, { value: 'true' })
  const secrets = [
    { id: 1050009, type: 'info', text: 'abcd1234' },
    { id: 1050014, type: 'info', text: 'Secret was used at 2026-11-20' },
  ]
  const codes: PartialNode = {
    type: 'text',
    group: 'lookup_secret',
    attributes: {
      id: 'lookup_secret_codes',
      text: { id: 1050015, type: 'info', text: 'abcd1234, used', context: { secrets } },
    },
  }

  it('are generated on request and must be confirmed', async () => {
    service.on('POST /self-service/settings', {
      body: flowOf(settingsNodes(codes, button('confirm')), { state: 'show_form' }),
    })
    showProfile(settingsNodes(button('regenerate')))
    await userEvent.click(await screen.findByRole('button', { name: 'Set up backup codes' }))
    await userEvent.click(await screen.findByRole('button', { name: "I've saved my codes" }))
    await waitFor(() => expect(posts()).toHaveLength(2))
    expect(posts().map(({ body }) => body)).toEqual([
      { csrf_token: 't', lookup_secret_regenerate: true, method: 'lookup_secret' },
      { csrf_token: 't', lookup_secret_confirm: true, method: 'lookup_secret' },
    ])
  })

  it('hide used codes when shown again', async () => {
    showProfile(settingsNodes(codes, button('disable'), button('regenerate')))
    const list = await screen.findByLabelText('Backup codes', { selector: 'code' })
    expect(list.textContent).toMatch(/^abcd1234\s+\(used\)/)
    expect(screen.getByRole('button', { name: 'Replace backup codes' })).toBeTruthy()
  })

  it('are turned off after confirmation', async () => {
    showProfile(settingsNodes(button('reveal'), button('disable')))
    await userEvent.click(await screen.findByRole('button', { name: 'Turn off backup codes' }))
    expect(posts()).toEqual([])
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Turn off' }))
    await waitFor(() =>
      expect(posts()[0]?.body).toMatchObject({ lookup_secret_disable: true, method: 'lookup_secret' }),
    )
  })
})
