import { describe, expect, it } from 'vitest'
import { parseExpression } from '#template/dsl.ts'
import { confirmDelay, delaysOf, withDelay } from '#template/timing.ts'

describe('the delay of a request', () => {
  it.each([
    ['/?id=1+AND+sleep(6)', 6, '/?id=1+AND+sleep(9)'],
    ['/?id=sleep%286%29', 6, '/?id=sleep%289%29'],
    ['/?id=sleep%28%277%27%29', 6, '/?id=sleep%28%2710%27%29'],
    ["/?id=WAITFOR+DELAY+'0:0:6'", 6, "/?id=WAITFOR+DELAY+'0:0:9'"],
    ['/?id=pg_sleep(16)', 6, null],
    ['/?id=sleep(5)', 6, null],
    ['/?id=6', 6, null],
    ['/?id=c2xlZXAoNik=', 6, null],
  ])('in %s for %d s becomes %s', (path, seconds, expected) => {
    const changed = withDelay({ method: 'GET', path }, seconds, (delay) => delay + 3)
    expect(changed?.path ?? null).toBe(expected)
  })

  it('is also found in a body', () => {
    const request = { method: 'POST', path: '/', body: Buffer.from('a=sleep 6;\xff', 'latin1') }
    expect(withDelay(request, 6, () => 0)?.body).toEqual(Buffer.from('a=sleep 0;\xff', 'latin1'))
  })
})

it('delaysOf reads the delays of matchers', () => {
  const expression = parseExpression('duration_2>=6 && duration < 20 && duration > 5')
  if (typeof expression === 'string') throw new Error(expression)
  const base = { name: '', part: '', condition: 'or', negative: false, isInternal: false } as const
  expect(delaysOf([{ ...base, type: 'dsl', expressions: [expression] }])).toEqual([
    { seconds: 6, request: 2 },
    { seconds: 5, request: null },
  ])
})

describe('confirmDelay', () => {
  const request = { method: 'GET', path: '/?q=sleep(6)' }
  const delay = (path: string) => Number(/sleep\((\d+)\)/.exec(path)?.[1])

  it.each<[string, 'true' | 'false' | 'unknown', (path: string) => number | null]>([
    ['that takes as long as requested', 'true', (path) => 200 + delay(path) * 1000],
    ['of a service that is always slow', 'false', () => 7_000],
    ['that was slow by chance', 'false', () => 100],
    ['that is slow with any delay', 'false', (path) => (delay(path) > 0 ? 6_100 : 100)],
    ['that receives no response when repeated', 'unknown', () => null],
    ['that receives no response with another delay', 'unknown', (path) => (delay(path) > 0 ? null : 100)],
  ])('%s: %s', async (_name, verdict, durationOf) => {
    const ask = async ({ path }: { path: string }) => {
      const durationMs = durationOf(path)
      return durationMs === null ? null : { durationMs }
    }
    expect(await confirmDelay(request, 6, ask)).toBe(verdict)
  })
})
