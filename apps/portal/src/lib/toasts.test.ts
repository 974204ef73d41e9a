import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  addToast,
  dismissToast,
  pauseToasts,
  resumeToasts,
  shownToasts,
  successToastMs,
  toastLeaveMs,
} from '#lib/toasts.ts'

const say = (message: string, timeoutMs?: number) =>
  addToast('success', { title: 'Success', message, ...(timeoutMs !== undefined && { timeoutMs }) })
const states = () => shownToasts().map(({ message, isLeaving }) => `${message}${isLeaving ? ' leaving' : ''}`)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  for (const { id } of shownToasts()) dismissToast(id)
  vi.runAllTimers()
  vi.useRealTimers()
})

it('lets a dismissed notice leave, and removes it 500 ms later', () => {
  const id = say('saved')
  dismissToast(id)
  expect(states()).toEqual(['saved leaving'])
  vi.advanceTimersByTime(toastLeaveMs - 1)
  expect(states()).toEqual(['saved leaving'])
  vi.advanceTimersByTime(1)
  expect(states()).toEqual([])
  expect(toastLeaveMs).toBe(500)
})

it('shows a success for ten seconds', () => {
  say('saved')
  vi.advanceTimersByTime(successToastMs - 1)
  expect(states()).toEqual(['saved'])
  vi.advanceTimersByTime(1)
  expect(states()).toEqual(['saved leaving'])
  expect(successToastMs).toBe(10_000)
})

it('keeps an error until somebody dismisses it', () => {
  addToast('error', { title: 'API failure', message: 'Bad Gateway' })
  vi.advanceTimersByTime(3_600_000)
  expect(states()).toEqual(['Bad Gateway'])
})

it('gives each notice its own time', () => {
  say('short', 1000)
  say('long', 3000)
  vi.advanceTimersByTime(1000)
  expect(states()).toEqual(['short leaving', 'long'])
})

it('stops the clocks while somebody reads', () => {
  say('read me', 1000)
  vi.advanceTimersByTime(600)
  pauseToasts()
  vi.advanceTimersByTime(60_000)
  resumeToasts()
  vi.advanceTimersByTime(399)
  expect(states()).toEqual(['read me'])
  vi.advanceTimersByTime(1)
  expect(states()).toEqual(['read me leaving'])
})

it('shows the same notice once', () => {
  say('again')
  say('again')
  expect(states()).toEqual(['again'])
})

it('lets the oldest leave when a fifth comes', () => {
  for (const message of ['1', '2', '3', '4', '5']) say(message)
  expect(states()).toEqual(['1 leaving', '2', '3', '4', '5'])
})
