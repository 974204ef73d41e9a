import { waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const ran: string[] = []
const hrefs = () => [...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.getAttribute('href'))
/** A part that says when it runs, and how many had been asked for by then. */
const part = (name: string) => `data:text/javascript,globalThis.ranPart('${name}')`
let paint: () => void = () => undefined

beforeEach(() => {
  vi.resetModules()
  vi.stubGlobal('ranPart', (name: string) => ran.push(`${name} of ${hrefs().length}`))
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      static supportedEntryTypes = ['paint']
      constructor(seen: (entries: object, observer: object) => void) {
        paint = () => seen({}, this)
      }
      observe() {}
      disconnect() {}
    },
  )
  document.documentElement.dataset['frame'] = 'app'
})
afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(globalThis, 'glacisEarly')
  ran.length = 0
  document.head.innerHTML = ''
})

function open(parts: readonly string[], shown: Promise<unknown>) {
  vi.stubGlobal('glacisEarly', { parts, shown })
  return import('#boot.ts')
}

it('fetches everything when the page has been painted with its answers, and runs it in the order of its needs', async () => {
  const { promise: shown, resolve: show } = Promise.withResolvers<void>()
  const parts = [part('program'), part('page')]
  await open(parts, shown)
  show()
  await shown
  expect(hrefs()).toEqual([])
  paint()
  await waitFor(() => expect(ran).toEqual(['program of 2', 'page of 2']))
  expect(hrefs()).toEqual(parts)
})

it('goes on where a part cannot be loaded, which the program deals with', async () => {
  await open(['data:text/javascript,throw new Error()', part('other page')], Promise.resolve())
  paint()
  await waitFor(() => expect(ran).toEqual(['other page of 2']))
})
