/** Words of targets. */
import type { SchedulePeriod } from '@glacis/contract/target'

export const periodWords: Readonly<Record<SchedulePeriod, string>> = {
  PERIOD_DAILY: 'Daily',
  PERIOD_WEEKLY: 'Weekly',
  PERIOD_MONTHLY: 'Monthly',
}
