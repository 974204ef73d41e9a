import { afterEach, beforeEach, expect, it } from 'vitest'
import { renderHook } from '@testing-library/react'
import { startShortcuts, useKeys } from '#lib/keyboard.ts'

let went: string[]
let stop: () => void
beforeEach(() => {
  went = []
  localStorage.clear()
  document.body.innerHTML = '<input data-search /><textarea></textarea><button>x</button>'
  stop = startShortcuts((href) => went.push(href))
})
afterEach(() => stop())

function press(key: string, { at = 'button', ...more }: { at?: string; ctrlKey?: boolean } = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  document.querySelector(at)?.dispatchEvent(event)
  return event
}

it('goes where g and a letter lead', () => {
  for (const key of ['g', 'v', 'g', 's', 'v', 'g', 'x']) press(key)
  expect(went).toEqual(['/risks/verified', '/scope'])
})

it('searches with a slash, which is not typed', () => {
  const event = press('/')
  expect([document.activeElement, event.defaultPrevented]).toEqual([document.querySelector('[data-search]'), true])
})

it('leaves keys alone where somebody types, and with a modifier', () => {
  press('g', { at: 'textarea' })
  press('o', { at: 'textarea' })
  press('g', { ctrlKey: true })
  press('o')
  expect([went, press('/', { at: 'textarea' }).defaultPrevented]).toEqual([[], false])
})

it('leaves keys to the page that has a meaning for them, the last one first', () => {
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

it('hears Ctrl K even where somebody types, and even when the keys are off', () => {
  localStorage.setItem('glacis.shortcuts', 'false')
  const heard: string[] = []
  const { unmount } = renderHook(() => useKeys({ 'mod+k': () => heard.push('k') }))
  const event = press('k', { at: 'textarea', ctrlKey: true })
  press('k')
  unmount()
  expect([heard, event.defaultPrevented]).toEqual([['k'], true])
})

it('does nothing for a person who turned the keys off', () => {
  localStorage.setItem('glacis.shortcuts', 'false')
  press('g')
  press('o')
  expect([went, press('/').defaultPrevented]).toEqual([[], false])
})
