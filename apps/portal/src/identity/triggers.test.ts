import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inputNamed } from '#identity/nodes.ts'
import { loginNodes, readNodes } from '#lib/testing/flows.ts'
import { helperPollMs, helperTriesMax, runClick, webauthnReady } from '#identity/triggers.ts'

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

it('waits for the helper, looking every 100 ms', async () => {
  const ready = vi.fn()
  const waiting = webauthnReady().then(ready)
  await vi.advanceTimersByTimeAsync(helperPollMs * 3)
  expect(ready).not.toHaveBeenCalled()
  page['__oryWebAuthnInitialized'] = true
  await vi.advanceTimersByTimeAsync(helperPollMs)
  await waiting
  expect([ready.mock.calls.length, helperPollMs]).toEqual([1, 100])
})

it('fails at the look after the twentieth', async () => {
  const outcome = webauthnReady().catch((error: unknown) => String(error))
  await vi.advanceTimersByTimeAsync(helperPollMs * (helperTriesMax - 1))
  page['pressed'] = 'still waiting'
  await vi.advanceTimersByTimeAsync(helperPollMs)
  expect(await outcome).toBe('Error: too many retries while waiting for webauthn to initialize')
  expect(helperTriesMax).toBe(20)
})

it('still succeeds at the twentieth look', async () => {
  const outcome = webauthnReady()
  await vi.advanceTimersByTimeAsync(helperPollMs * (helperTriesMax - 1))
  page['__oryWebAuthnInitialized'] = true
  await vi.advanceTimersByTimeAsync(helperPollMs)
  await expect(outcome).resolves.toBeUndefined()
})

it('calls the function that a button names, once the helper is there', async () => {
  page['__oryWebAuthnInitialized'] = true
  page['oryPasskeyLogin'] = vi.fn()
  const trigger = inputNamed(loginNodes(), 'passkey_login_trigger')
  if (trigger) await runClick(trigger)
  expect(page['oryPasskeyLogin']).toHaveBeenCalledExactlyOnceWith()
})

it('hands the value of the node to the function', async () => {
  page['__oryWebAuthnInitialized'] = true
  page['oryWebAuthnLogin'] = vi.fn()
  await runClick(button({ onclickTrigger: 'oryWebAuthnLogin', value: '{"publicKey":{"rpId":"x"}}' }, 'webauthn'))
  expect(page['oryWebAuthnLogin']).toHaveBeenCalledWith({ publicKey: { rpId: 'x' } })
})

it.each([
  ['window.oryWebAuthnLogin({"a":1})', [{ a: 1 }]],
  ['oryWebAuthnLogin()', []],
])('reads the call out of %s', async (onclick, given) => {
  page['oryWebAuthnLogin'] = vi.fn()
  await runClick(button({ onclick }))
  expect(page['oryWebAuthnLogin']).toHaveBeenCalledExactlyOnceWith(...given)
})

it('runs any other script', async () => {
  await runClick(button({ onclick: 'window.pressed = (window.pressed ?? 0) + 1' }))
  expect(page['pressed']).toBe(1)
})
