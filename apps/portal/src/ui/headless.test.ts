import { expect, it, vi } from 'vitest'

/** Loads the library lazily like a browser does; other tests load it up front. */
async function loadLazily(): Promise<void> {
  vi.resetModules()
  const { loadHeadless } = await import('#ui/headless.ts')
  await loadHeadless()
}

it('reports the previously focused element to the library, so that it can restore focus', async () => {
  document.body.innerHTML = '<button>Ignore</button>'
  document.querySelector('button')?.focus()
  const focused: unknown[] = []
  const stop = new AbortController()
  addEventListener('focus', ({ target }) => focused.push(target), { capture: true, signal: stop.signal })
  await loadLazily()
  stop.abort()
  expect(focused).toEqual([document.querySelector('button')])
  expect(document.activeElement).toBe(document.querySelector('button'))
})
