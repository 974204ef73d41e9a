/** Words of targets. */
import type { ScanProfile } from '@glacis/contract/primitives'
import type { AllowedHours, SchedulePeriod, Target } from '@glacis/contract/target'
import { formatNumber } from '#lib/format.ts'

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

/** What it means that a target has no open risks: only a scan that reached hosts can say that there are none. */
export function noRisksWords({ hostCount = 0, lastScan, agent }: Target): { title: string; text?: string } {
  if (hostCount > 0)
    return { title: 'No open risks', text: `On ${formatNumber(hostCount)} ${hostCount === 1 ? 'host' : 'hosts'}.` }
  switch (lastScan?.status) {
    case undefined:
      return { title: 'Not scanned yet', text: 'Start a scan to see what is there.' }
    case 'STATUS_CREATED':
    case 'STATUS_RUNNING':
      return { title: 'Being scanned', text: 'What is found stands here at once.' }
    case 'STATUS_COMPLETED':
      return {
        title: 'No host answered',
        text: `The last scan found nothing to look at. Check the address, and that ${agent?.name ?? 'this server'} reaches it.`,
      }
    default:
      return { title: 'Nothing is known yet', text: 'The last scan ended before it reached a host.' }
  }
}

/** How an address is shown: in the script of its owner where that is safe. Its ASCII form belongs in the title. */
export function shownAddress({ address, readableAddress }: Pick<Target, 'address' | 'readableAddress'>): string {
  return readableAddress ?? address
}
