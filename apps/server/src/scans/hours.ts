/** Scans keep to the allowed hours of their target: they begin in them, and pause between batches outside. */
import type { AllowedHours } from '@glacis/contract/target'
import { hoursInWords, opening } from '#targets/index.ts'

/** The columns of a scan that has to wait, and of one that may go on. */
export function waitFor(hours: AllowedHours | null, now: Date): { resume_at: Date | null; reason: string } {
  const resumeAt = opening(hours, now)
  if (!resumeAt || !hours) return { resume_at: null, reason: '' }
  return { resume_at: resumeAt, reason: `Waits for the allowed hours, ${hoursInWords(hours)}` }
}
