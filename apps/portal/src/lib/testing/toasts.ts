import { dismissToast, shownToasts, toastLeaveMs } from '#lib/toasts.ts'
import { waitFor } from '@testing-library/react'
import { expect, vi } from 'vitest'

/** Takes every notice away, so that the next test has its own. Those that are leaving already take their time. */
export async function clearToasts(): Promise<void> {
  vi.useFakeTimers()
  for (const { id } of shownToasts()) dismissToast(id)
  vi.advanceTimersByTime(toastLeaveMs)
  vi.useRealTimers()
  await waitFor(() => expect(shownToasts()).toEqual([]), { timeout: 4 * toastLeaveMs })
}
