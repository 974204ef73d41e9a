/** What a person decides: a status, and for ignoring its terms. Pure. */
import type { IgnoreReason, IssueStatus } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { ignoreDaysMax } from '@glacis/contract/issue'
import { invalid } from '#errors.ts'

/** A decision as a call carries it. */
export interface Decision {
  readonly status: Exclude<IssueStatus, 'STATUS_REGRESSION'>
  readonly reason?: IgnoreReason | undefined
  readonly comment?: string | undefined
  readonly ignoreUntilTime?: string | undefined
}

const dayMs = 86_400_000

/**
 * Refuses what makes no sense for any issue. A status alone is enough; a person who gives a comment
 * or an end to an ignoring also says why it is ignored.
 *
 * @throws Refusal `invalid` with the member
 */
export function refuseSenseless(decision: Decision, now: Date): void {
  const { status, reason, comment, ignoreUntilTime } = decision
  if (status !== 'STATUS_IGNORED') {
    if (ignoreUntilTime) throw invalid('ignoreUntilTime', 'An end belongs to ignoring')
    return
  }
  if (ignoreUntilTime && new Date(ignoreUntilTime) <= now) throw invalid('ignoreUntilTime', 'The end lies in the past')
  if (!reason && (comment || ignoreUntilTime)) throw invalid('reason', 'Say why it is ignored')
}

/** Why an issue of this severity cannot be ignored for so long; null when it can. */
export function tooLong({ ignoreUntilTime }: Decision, category: SeverityCategory, now: Date): string | null {
  if (!ignoreUntilTime || !isSerious(category) || new Date(ignoreUntilTime) <= longest(now)) return null
  return `Critical and high risks are ignored for at most ${ignoreDaysMax} days`
}

/**
 * When an ignored issue opens again by itself; null for never. A critical or high risk is accepted
 * for a time: without an end it gets the longest one. A false positive needs none.
 */
export function endOf({ reason, ignoreUntilTime }: Decision, category: SeverityCategory, now: Date): Date | null {
  if (ignoreUntilTime) return new Date(ignoreUntilTime)
  return isSerious(category) && reason !== 'REASON_FALSE_POSITIVE' ? longest(now) : null
}

function isSerious(category: SeverityCategory): boolean {
  return category === 'CATEGORY_CRITICAL' || category === 'CATEGORY_HIGH'
}

function longest(now: Date): Date {
  return new Date(now.getTime() + ignoreDaysMax * dayMs)
}

const reasons: Readonly<Record<IgnoreReason, string>> = {
  REASON_ACCEPTED_RISK: 'Accepted risk',
  REASON_FALSE_POSITIVE: 'False positive',
  REASON_MITIGATED: 'Mitigated elsewhere',
}
const days = new Intl.DateTimeFormat('en-CH', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A decision as the history tells it: "Accepted risk until 31 Dec 2026: the port is closed outside". */
export function inWords({ reason, comment, ignoreUntilTime }: Decision): string {
  const until = ignoreUntilTime ? ` until ${days.format(new Date(ignoreUntilTime))}` : ''
  return [reason && reasons[reason] + until, comment].filter(Boolean).join(': ')
}
