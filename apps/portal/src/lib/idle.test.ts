import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { whenIdle } from '#lib/idle.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('leaves the beginning of a page alone, and then asks the browser when', () => {
  const asked: { readonly work: unknown; readonly options: unknown }[] = []
  vi.stubGlobal('requestIdleCallback', (work: unknown, options: unknown) => asked.push({ work, options }))
  const work = vi.fn()
  whenIdle(work)
  vi.advanceTimersByTime(999)
  expect(asked).toEqual([])
  vi.advanceTimersByTime(1)
  // A page that is never idle gets to it all the same.
  expect(asked).toEqual([{ work, options: { timeout: 2000 } }])
  expect(work).not.toHaveBeenCalled()
})

it('goes by the clock where the browser does not say when it is idle', () => {
  Reflect.deleteProperty(globalThis, 'requestIdleCallback')
  const work = vi.fn()
  whenIdle(work)
  vi.advanceTimersByTime(999)
  expect(work).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(work).toHaveBeenCalledOnce()
})
