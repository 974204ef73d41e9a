import { cleanup, render, screen } from '@testing-library/react'
import { act } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Later } from '#ui/later.tsx'

let idle: (() => void)[] = []
let seen: (() => void)[] = []

beforeEach(() => {
  idle = []
  seen = []
  vi.stubGlobal('requestIdleCallback', (work: () => void) => idle.push(work))
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: readonly { isIntersecting: boolean }[]) => void) {
        seen.push(() => tell([{ isIntersecting: true }]))
      }
      observe() {}
      disconnect() {}
    },
  )
})
afterEach(() => {
  cleanup()
  // What waits belongs to nobody any more; the next test begins with an empty queue.
  while (idle.length > 0) idle.shift()?.()
  vi.unstubAllGlobals()
})

function show(): void {
  render(
    <>
      <Later place={<p>place of the first</p>}>
        <p>first</p>
      </Later>
      <Later place={<p>place of the second</p>}>
        <p>second</p>
      </Later>
    </>,
  )
}
const words = () => [...document.querySelectorAll('p')].map(({ textContent }) => textContent)

it('keeps the places, and builds one after the other when the page is idle', () => {
  show()
  expect(words()).toEqual(['place of the first', 'place of the second'])
  act(() => idle.shift()?.())
  expect(words()).toEqual(['first', 'place of the second'])
  act(() => idle.shift()?.())
  expect(words()).toEqual(['first', 'second'])
})

it('builds at once what is about to be seen', () => {
  show()
  act(() => seen[1]?.())
  expect(words()).toEqual(['place of the first', 'second'])
})

it('builds everything for paper', () => {
  show()
  act(() => void window.dispatchEvent(new Event('beforeprint')))
  expect(words()).toEqual(['first', 'second'])
  expect(screen.queryByText(/place/)).toBeNull()
})
