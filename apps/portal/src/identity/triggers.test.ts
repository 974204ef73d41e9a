import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inputNamed } from '#identity/nodes.ts'
import { loginNodes, readNodes } from '#lib/testing/flows.ts'
import { webauthnPollMs, maxWebauthnTries, runClick, webauthnReady } from '#identity/triggers.ts'

const page = globalThis as Record<string, unknown>
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  for (const name of ['__oryWebAuthnInitialized', 'oryPasskeyLogin', 'oryWebAuthnLogin', 'pressed']) delete page[name]
})
const button = (attributes: object, group = 'default') => {
  const node = inputNamed(
    readNodes([{ type: 'input', group, attributes: { name: 'b', type: 'button', ...attributes } }]),
    'b',
  )
  if (!node) throw new Error('no button')
  return node
}

it('polls for the WebAuthn script every 100 ms', async () => {
  const ready = vi.fn()
  const waiting = webauthnReady().then(ready)
  await vi.advanceTimersByTimeAsync(webauthnPollMs * 3)
  expect(ready).not.toHaveBeenCalled()
  page['__oryWebAuthnInitialized'] = true
  await vi.advanceTimersByTimeAsync(webauthnPollMs)
  await waiting
  expect([ready.mock.calls.length, webauthnPollMs]).toEqual([1, 100])
})

it('throws after more than 20 attempts', async () => {
  const outcome = webauthnReady().catch((error: unknown) => String(error))
  await vi.advanceTimersByTimeAsync(webauthnPollMs * (maxWebauthnTries - 1))
  page['pressed'] = 'still waiting'
  await vi.advanceTimersByTimeAsync(webauthnPollMs)
  expect(await outcome).toBe('Error: too many retries while waiting for webauthn to initialize')
  expect(maxWebauthnTries).toBe(20)
})

it('succeeds on the 20th attempt', async () => {
  const outcome = webauthnReady()
  await vi.advanceTimersByTimeAsync(webauthnPollMs * (maxWebauthnTries - 1))
  page['__oryWebAuthnInitialized'] = true
  await vi.advanceTimersByTimeAsync(webauthnPollMs)
  await expect(outcome).resolves.toBeUndefined()
})

it('calls the function a button names once the script is initialized', async () => {
  page['__oryWebAuthnInitialized'] = true
  page['oryPasskeyLogin'] = vi.fn()
  const trigger = inputNamed(loginNodes(), 'passkey_login_trigger')
  if (trigger) await runClick(trigger)
  expect(page['oryPasskeyLogin']).toHaveBeenCalledExactlyOnceWith()
})

it("passes the node's value to the function", async () => {
  page['__oryWebAuthnInitialized'] = true
  page['oryWebAuthnLogin'] = vi.fn()
  await runClick(button({ onclickTrigger: 'oryWebAuthnLogin', value: '{"publicKey":{"rpId":"x"}}' }, 'webauthn'))
  expect(page['oryWebAuthnLogin']).toHaveBeenCalledWith({ publicKey: { rpId: 'x' } })
})

it.each([
  ['window.oryWebAuthnLogin({"a":1})', [{ a: 1 }]],
  ['oryWebAuthnLogin()', []],
])('parses the call in %s', async (onclick, given) => {
  page['oryWebAuthnLogin'] = vi.fn()
  await runClick(button({ onclick }))
  expect(page['oryWebAuthnLogin']).toHaveBeenCalledExactlyOnceWith(...given)
})

it('runs other inline scripts', async () => {
  await runClick(button({ onclick: 'window.pressed = (window.pressed ?? 0) + 1' }))
  expect(page['pressed']).toBe(1)
})
