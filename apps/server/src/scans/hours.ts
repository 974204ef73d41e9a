/**
 * Scans run only in the allowed hours of their target: they start within these hours, and pause between
 * batches when they end.
 */
import type { AllowedHours } from '@glacis/contract/target'
import { formatHours, nextOpening } from '#targets/index.ts'

/** The columns of a scan that has to wait, or of one that can run now. */
export function waitColumns(hours: AllowedHours | null, now: Date): { resume_at: Date | null; reason: string } {
  const resumeAt = nextOpening(hours, now)
  if (!resumeAt || !hours) return { resume_at: null, reason: '' }
  return { resume_at: resumeAt, reason: `Waiting for the allowed hours, ${formatHours(hours)}` }
}
