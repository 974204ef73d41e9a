/** User decisions: a status and, for ignored issues, the terms. Pure. */
import { type IgnoreReason, type IssueStatus, ignoreDaysMax, ignoreReasonLabels } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { invalid } from '#errors.ts'

/** A decision as sent in a request. */
export interface Decision {
  readonly status: Exclude<IssueStatus, 'STATUS_REGRESSION'>
  readonly reason?: IgnoreReason | undefined
  readonly comment?: string | undefined
  readonly ignoreUntilTime?: string | undefined
}

const dayMs = 86_400_000

/**
 * Validates a decision independently of any issue. A status alone is enough, but a comment or end
 * time requires a reason.
 *
 * @throws ApiError `invalid` with the field
 */
export function validateDecision(decision: Decision, now: Date): void {
  const { status, reason, comment, ignoreUntilTime } = decision
  if (status !== 'STATUS_IGNORED') {
    if (ignoreUntilTime) throw invalid('ignoreUntilTime', 'Only ignored issues have an end time')
    return
  }
  if (ignoreUntilTime && new Date(ignoreUntilTime) <= now)
    throw invalid('ignoreUntilTime', 'The end time is in the past')
  if (!reason && (comment || ignoreUntilTime)) throw invalid('reason', 'Choose a reason')
}

/** The error if an issue of this severity can't be ignored that long; null if it can. */
export function ignorePeriodError({ ignoreUntilTime }: Decision, category: SeverityCategory, now: Date): string | null {
  if (!ignoreUntilTime || !isSerious(category) || new Date(ignoreUntilTime) <= latestEnd(now)) return null
  return `Critical and high issues can be ignored for at most ${ignoreDaysMax} days`
}

/**
 * When an ignored issue reopens automatically; null for never. Accepting a critical or high risk is
 * limited in time and defaults to the maximum. A false positive has no end.
 */
export function ignoreEndOf({ reason, ignoreUntilTime }: Decision, category: SeverityCategory, now: Date): Date | null {
  if (ignoreUntilTime) return new Date(ignoreUntilTime)
  return isSerious(category) && reason !== 'REASON_FALSE_POSITIVE' ? latestEnd(now) : null
}

function isSerious(category: SeverityCategory): boolean {
  return category === 'CATEGORY_CRITICAL' || category === 'CATEGORY_HIGH'
}

function latestEnd(now: Date): Date {
  return new Date(now.getTime() + ignoreDaysMax * dayMs)
}

/** A status in messages. */
export function statusLabel(status: IssueStatus): string {
  return status === 'STATUS_REGRESSION' ? 'regressed' : status.slice('STATUS_'.length).toLowerCase()
}

/** `31 Dec 2026` */
export function formatDay(time: Date, timeZone = 'UTC'): string {
  return time.toLocaleDateString('en-CH', { day: 'numeric', month: 'short', year: 'numeric', timeZone })
}

/**
 * Formats a decision for the history: "Accepted risk until 31 Dec 2026: the port is closed
 * outside". Issues are not opened for one of the reasons.
 */
export function formatDecision({ status, reason, comment, ignoreUntilTime }: Decision): string {
  const until = ignoreUntilTime ? ` until ${formatDay(new Date(ignoreUntilTime))}` : ''
  return [reason && status !== 'STATUS_OPEN' && ignoreReasonLabels[reason] + until, comment].filter(Boolean).join(': ')
}
