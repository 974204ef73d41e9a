/** Longer timeouts for Testing Library on a busy machine, and an empty page without toasts for each test. */
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { setRole } from '#lib/role.ts'
import { clearToasts } from '#lib/testing/toasts.ts'
import { loadHeadless } from '#ui/headless.ts'

configure({ asyncUtilTimeout: 20_000 })

// In the app, this loads right after the first page.
await loadHeadless()

// Test files share the modules, and so their state.
afterEach(() => {
  cleanup()
  clearToasts()
  setRole(undefined)
})
