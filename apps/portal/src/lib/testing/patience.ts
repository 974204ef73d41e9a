/** A busy machine makes a test slow, not wrong: whatever is waited for may take its time. */
import { configure } from '@testing-library/react'
import { loadHeadless } from '#ui/headless.ts'

configure({ asyncUtilTimeout: 10_000 })

// In a browser it is there a moment after the first page.
await loadHeadless()
