/** Longer timeouts for Testing Library on a busy machine, and a page as new for each file. */
import { cleanup, configure } from '@testing-library/react'
import { afterAll, vi } from 'vitest'
import { loadHeadless } from '#ui/headless.ts'

configure({ asyncUtilTimeout: 10_000 })

// In the app, this loads right after the first page.
await loadHeadless()

// Files share the environment.
afterAll(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  localStorage.clear()
  sessionStorage.clear()
  document.body.replaceChildren()
  history.replaceState(null, '', '/')
})
