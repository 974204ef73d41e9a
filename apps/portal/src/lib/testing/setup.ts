/** Longer timeouts for Testing Library on a busy machine. */
import { configure } from '@testing-library/react'
import { loadHeadless } from '#ui/headless.ts'

configure({ asyncUtilTimeout: 10_000 })

// In the app, this loads right after the first page.
await loadHeadless()
