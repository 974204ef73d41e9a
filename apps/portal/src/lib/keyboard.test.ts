import { afterEach, beforeEach, expect, it } from 'vitest'
import { renderHook } from '@testing-library/react'
import { startShortcuts, useKeys } from '#lib/keyboard.ts'

let visited: string[]
let stop: () => void
beforeEach(() => {
  visited = []
  localStorage.clear()
  document.body.innerHTML = '<input data-search /><textarea></textarea><button>x</button>'
  stop = startShortcuts((href) => visited.push(href))
})
afterEach(() => stop())

function press(
  key: string,
  { at = 'button', ...more }: { at?: string; ctrlKey?: boolean; altKey?: boolean } = {},
): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  document.querySelector(at)?.dispatchEvent(event)
  return event
}

it('navigates with g and a letter', () => {
  for (const key of ['g', 'v', 'g', 's', 'v', 'g', 'x']) press(key)
  expect(visited).toEqual(['/risks/verified', '/scope'])
})

it('focuses search with a slash without typing it', () => {
  const event = press('/')
  expect([document.activeElement, event.defaultPrevented]).toEqual([document.querySelector('[data-search]'), true])
})

it('ignores keys while typing and with a modifier', () => {
  press('g', { at: 'textarea' })
  press('o', { at: 'textarea' })
  press('g', { ctrlKey: true })
  press('o')
  expect([visited, press('/', { at: 'textarea' }).defaultPrevented]).toEqual([[], false])
})

it('runs shortcuts of the page, the latest registration first', () => {
  const heard: string[] = []
  const first = renderHook(() => useKeys({ r: () => heard.push('r1'), i: () => heard.push('i1') }))
  const second = renderHook(() => useKeys({ r: () => heard.push('r2') }))
  press('r')
  press('i')
  press('r', { at: 'textarea' })
  second.unmount()
  press('r')
  first.unmount()
  press('r')
  expect(heard).toEqual(['r2', 'i1', 'r1'])
})

it('runs Ctrl K, but not Alt K, while typing and with shortcuts turned off', () => {
  localStorage.setItem('glacis.shortcuts', 'false')
  const heard: string[] = []
  const { unmount } = renderHook(() => useKeys({ 'mod+k': () => heard.push('k') }))
  const event = press('k', { at: 'textarea', ctrlKey: true })
  press('k')
  press('k', { altKey: true })
  press('k', { altKey: true, ctrlKey: true })
  unmount()
  expect([heard, event.defaultPrevented]).toEqual([['k'], true])
})

it('does nothing with shortcuts turned off', () => {
  localStorage.setItem('glacis.shortcuts', 'false')
  press('g')
  press('o')
  expect([visited, press('/').defaultPrevented]).toEqual([[], false])
})
