/** Longer timeouts for Testing Library on a busy machine, and a page as new for each file. */
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, vi } from 'vitest'
import { loadHeadless } from '#ui/headless.ts'

configure({ asyncUtilTimeout: 20_000 })

// In the app, this loads right after the first page.
await loadHeadless()

afterEach(cleanup)

// Files share the environment.
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  localStorage.clear()
  sessionStorage.clear()
  document.body.replaceChildren()
  history.replaceState(null, '', '/')
})
