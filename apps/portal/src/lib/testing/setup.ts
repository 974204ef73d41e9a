/** Longer timeouts for Testing Library on a busy machine, and an empty page for each test. */
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { loadHeadless } from '#ui/headless.ts'

configure({ asyncUtilTimeout: 20_000 })

// In the app, this loads right after the first page.
await loadHeadless()

afterEach(cleanup)
