/** Words of targets. */
import type { ScanProfile } from '@glacis/contract/primitives'
import type { AllowedHours, SchedulePeriod } from '@glacis/contract/target'

export const periodWords: Readonly<Record<SchedulePeriod, string>> = {
  PERIOD_DAILY: 'Daily',
  PERIOD_WEEKLY: 'Weekly',
  PERIOD_MONTHLY: 'Monthly',
}

export const profileWords: Readonly<Record<ScanProfile, string>> = {
  gentle: 'Gentle',
  standard: 'Standard',
  deep: 'Deep',
}

/** Monday first. */
export const weekdayWords = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** "22:00–06:00, Mon, Tue (Europe/Zurich)" */
export function hoursWords({ start, end, days, timeZone }: AllowedHours): string {
  const names = days?.map((day) => weekdayWords[day - 1]).join(', ')
  return `${start}–${end}${names ? `, ${names}` : ''} (${timeZone})`
}
