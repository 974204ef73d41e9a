/** Labels and messages for targets. */
import type { CheckPermission, ScanProfile } from '@glacis/contract/primitives'
import type { AllowedHours, SchedulePeriod, Target } from '@glacis/contract/target'
import { formatNumber } from '#lib/format.ts'

export const periodLabels: Readonly<Record<SchedulePeriod, string>> = {
  PERIOD_DAILY: 'Daily',
  PERIOD_WEEKLY: 'Weekly',
  PERIOD_MONTHLY: 'Monthly',
}

export const profileLabels: Readonly<Record<ScanProfile, string>> = {
  gentle: 'Gentle',
  standard: 'Standard',
  deep: 'Deep',
}

export const permissionLabels: Readonly<Record<CheckPermission, string>> = {
  logins: 'Log in with default credentials',
  writes: 'Write to the target',
  crashes: 'Risk crashing a service',
}

/** Monday first. */
export const weekdayLabels = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** "22:00–06:00, Mon, Tue (Europe/Zurich)" */
export function formatAllowedHours({ start, end, days, timeZone }: AllowedHours): string {
  const names = days?.map((day) => weekdayLabels[day - 1]).join(', ')
  return `${start}–${end}${names ? `, ${names}` : ''} (${timeZone})`
}

/** Why a target has no open risks. Only a scan that reached hosts can show that there are none. */
export function noRisksMessage({ hostCount = 0, lastScan, agent }: Target): { title: string; text?: string } {
  if (hostCount > 0)
    return {
      title: 'No open risks',
      text: `Scans found none on ${formatNumber(hostCount)} ${hostCount === 1 ? 'host' : 'hosts'}.`,
    }
  switch (lastScan?.status) {
    case undefined:
      return { title: 'Not scanned yet', text: 'Start a scan to find its hosts and risks.' }
    case 'STATUS_CREATED':
    case 'STATUS_RUNNING':
      return { title: 'Scan in progress', text: 'Risks appear here as soon as they are found.' }
    case 'STATUS_COMPLETED':
      return {
        title: 'No hosts responded',
        text: `The last scan found no reachable host. Check the address and that ${agent?.name ?? 'this server'} can reach it.`,
      }
    default:
      return { title: 'No results yet', text: 'The last scan ended before it reached a host. Start it again.' }
  }
}
