import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'
import { addToast, ToastRegion } from '#ui/toasts.tsx'

const add = (message: string) => act(() => addToast('success', { title: 'Success', message }))
const addError = (message: string) => act(() => addToast('error', { title: 'API failure', message }))
const states = () => shownToasts().map(({ message, isLeaving }) => `${message}${isLeaving ? ' leaving' : ''}`)
const stack = () => screen.getByRole('region', { name: 'Notifications' }).firstElementChild ?? document.body
const wait = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })

beforeEach(() => {
  vi.useFakeTimers()
  render(<ToastRegion />)
  // A page that was removed while the pointer or the focus was on its toasts leaves the timers paused.
  fireEvent.pointerLeave(stack())
})
afterEach(() => {
  cleanup()
  clearToasts()
  vi.useRealTimers()
})

it('stacks toasts at the bottom right, the newest at the bottom', () => {
  add('first')
  addError('second')
  const region = screen.getByRole('region', { name: 'Notifications' })
  expect([...region.querySelectorAll('[role=status], [role=alert]')].map((element) => element.textContent)).toEqual([
    'Successfirst',
    'API failuresecond',
  ])
  const classes = screen.getByRole('alert').parentElement?.classList
  expect(['fixed', 'right-5', 'bottom-5'].filter((name) => !classes?.contains(name))).toEqual([])
})

it('fades out a dismissed toast and removes it 500 ms later', () => {
  addError('Bad Gateway')
  fireEvent.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Dismiss' }))
  wait(499)
  expect(states()).toEqual(['Bad Gateway leaving'])
  wait(1)
  expect(states()).toEqual([])
})

it('dismisses a success after 10 seconds and keeps an error', () => {
  addError('Bad Gateway')
  add('saved')
  wait(9_999)
  expect(states()).toEqual(['Bad Gateway', 'saved'])
  wait(1)
  expect(states()).toEqual(['Bad Gateway', 'saved leaving'])
  wait(3_600_000)
  expect(states()).toEqual(['Bad Gateway'])
})

it('dismisses an error with a duration of its own', () => {
  act(() => addToast('error', { title: 'API failure', message: 'Bad Request: no' }, 10_000))
  wait(10_000)
  expect(states()).toEqual(['Bad Request: no leaving'])
  wait(500)
  expect(states()).toEqual([])
})

it('pauses the timers while the pointer is on a toast', () => {
  add('saved')
  wait(6_000)
  fireEvent.pointerEnter(stack())
  wait(60_000)
  fireEvent.pointerLeave(stack())
  wait(3_999)
  expect(states()).toEqual(['saved'])
  wait(1)
  expect(states()).toEqual(['saved leaving'])
})

it('restarts the timers when the focused toast is removed', () => {
  add('first')
  add('second')
  const [dismiss] = screen.getAllByRole('button', { name: 'Dismiss' })
  act(() => dismiss?.focus())
  act(() => dismiss?.click())
  wait(500)
  wait(10_000)
  expect(states()).toEqual(['second leaving'])
})

it('shows the same toast once', () => {
  add('again')
  add('again')
  expect(states()).toEqual(['again'])
})

it('dismisses the oldest toast when a fifth is added', () => {
  for (const message of ['1', '2', '3', '4', '5']) add(message)
  expect(states()).toEqual(['1 leaving', '2', '3', '4', '5'])
})
