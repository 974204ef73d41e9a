import { lazyRouteComponent } from '@tanstack/react-router'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { Component, createElement, type ReactNode } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { reloadOnceFor, reloadOnMissingChunks } from '#lib/chunk-reload.ts'

beforeEach(() => sessionStorage.clear())

it('reloads once per message and session', () => {
  const reloads: string[] = []
  const fail = (message: string) => reloadOnceFor(message, () => reloads.push(message))
  expect([fail('a.js'), fail('a.js'), fail('b.js'), fail('b.js')]).toEqual([true, false, true, false])
  expect(reloads).toEqual(['a.js', 'b.js'])
})

it('does not reload while offline', () => {
  const reloads: string[] = []
  const fail = () => reloadOnceFor('a.js', () => reloads.push('a.js'))
  const network = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  expect([fail(), fail()]).toEqual([false, false])
  network.mockReturnValue(true)
  expect(fail()).toBe(true)
  expect(reloads).toEqual(['a.js'])
  network.mockRestore()
})

it('reloads on a preload error', () => {
  const stop = reloadOnMissingChunks()
  sessionStorage.setItem('glacis.reloadedFor', '["gone.js"]')
  const event = Object.assign(new Event('vite:preloadError', { cancelable: true }), { payload: new Error('gone.js') })
  window.dispatchEvent(event)
  stop()
  // The error still reaches the error view.
  expect(event.defaultPrevented).toBe(false)
  expect(sessionStorage.getItem('glacis.reloadedFor')).toBe('["gone.js"]')
})

it('prevents the router from reloading while offline', async () => {
  const stop = reloadOnMissingChunks()
  const network = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
  const gone = new Error('Failed to fetch dynamically imported module: /files/agents.js')
  const Page = lazyRouteComponent<Record<string, () => null>>(() => {
    window.dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: gone }))
    return Promise.reject(gone)
  })
  await Page.preload?.()
  render(createElement(Guarded, null, createElement(Page)))
  expect(await screen.findByText(gone.message)).toBeTruthy()
  expect(reload).not.toHaveBeenCalled()
  cleanup()
  stop()
  for (const spy of [network, reload, quiet]) spy.mockRestore()
})

it('reloads only if the server is reachable', async () => {
  const stop = reloadOnMissingChunks()
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
  const ask = vi.spyOn(globalThis, 'fetch')
  const miss = async (part: string) => {
    window.dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: new Error(part) }))
    await waitFor(() => expect(ask.mock.settledResults.at(-1)?.type).toMatch(/fulfilled|rejected/))
  }
  ask.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  await miss('hosts.js')
  ask.mockResolvedValueOnce(new Response('', { status: 502 }))
  await miss('agents.js')
  expect(reload).not.toHaveBeenCalled()
  // The router would also reload, without checking the server.
  expect(sessionStorage.getItem('tanstack_router_reload:hosts.js')).toBe('1')
  ask.mockResolvedValueOnce(new Response('{}'))
  await miss('hosts.js')
  await waitFor(() => expect(reload).toHaveBeenCalledOnce())
  stop()
  for (const spy of [reload, ask]) spy.mockRestore()
})

class Guarded extends Component<{ readonly children?: ReactNode }, { readonly message?: string }> {
  override state: { readonly message?: string } = {}
  static getDerivedStateFromError(error: Error) {
    return { message: error.message }
  }
  override render() {
    return this.state.message ?? this.props.children
  }
}
