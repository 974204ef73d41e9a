/** A busy machine makes a test slow, not wrong: whatever is waited for may take its time. */
import { configure } from '@testing-library/react'

configure({ asyncUtilTimeout: 10_000 })
