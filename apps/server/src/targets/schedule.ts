import type { SchedulePeriod } from '@glacis/contract/target'

const days: Readonly<Record<SchedulePeriod, number>> = { PERIOD_DAILY: 1, PERIOD_WEEKLY: 7, PERIOD_MONTHLY: 30 }
const dayMs = 86_400_000

/**
 * When a target is due again. A share of the period, taken from the target's id, spreads targets
 * that were made together over time, so that they do not all start at the same minute.
 *
 * @param from the start of the scan before, or the moment the target was made
 */
export function nextScanAt(period: SchedulePeriod, targetId: string, from: Date): Date {
  const spread = Number.parseInt(targetId.slice(-6), 16) / 0xff_ff_ff
  const jitterMs = spread * Math.min(days[period] * dayMs * 0.1, 4 * 3_600_000)
  return new Date(from.getTime() + days[period] * dayMs + jitterMs)
}
