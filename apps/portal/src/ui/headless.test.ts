import { expect, it, vi } from 'vitest'

/** A library that comes as late as it does in a browser: the other tests have it from the beginning. */
async function comesLate(): Promise<void> {
  vi.resetModules()
  const { loadHeadless } = await import('#ui/headless.ts')
  await loadHeadless()
}

it('tells the library what held the focus before it came, as it gives the focus back by what it has seen', async () => {
  document.body.innerHTML = '<button>Ignore</button>'
  document.querySelector('button')?.focus()
  const seen: unknown[] = []
  const stop = new AbortController()
  addEventListener('focus', ({ target }) => seen.push(target), { capture: true, signal: stop.signal })
  await comesLate()
  stop.abort()
  expect(seen).toEqual([document.querySelector('button')])
  expect(document.activeElement).toBe(document.querySelector('button'))
})
