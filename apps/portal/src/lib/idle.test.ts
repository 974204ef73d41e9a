import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inIdleTurn, whenIdle } from '#lib/idle.ts'

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

it('does what comes next in the order of asking, each in an idle moment of its own, unless it is taken back', () => {
  const moments: (() => void)[] = []
  vi.stubGlobal('requestIdleCallback', (work: () => void) => moments.push(work))
  const done: string[] = []
  inIdleTurn(() => done.push('first'))
  const takeBack = inIdleTurn(() => done.push('second'))
  inIdleTurn(() => done.push('third'))
  expect([done, moments.length]).toEqual([[], 1])
  moments.shift()?.()
  expect([done, moments.length]).toEqual([['first'], 1])
  takeBack()
  moments.shift()?.()
  expect(done).toEqual(['first', 'third'])
  moments.shift()?.()
  expect(moments).toEqual([])
  inIdleTurn(() => done.push('later'))
  moments.shift()?.()
  expect(done.at(-1)).toBe('later')
  moments.shift()?.()
})
