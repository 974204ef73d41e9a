/** Issues, their occurrences, and decisions about them. */
import type { IgnoreReason, IssueStatus, Verification, Evidence } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Generated } from 'kysely'
import type { z } from 'zod'
import type { Json, Numeric } from '#database/tables/kinds.ts'

/** The terms of an ignored status; empty otherwise. */
interface IgnoreTerms {
  ignore_until: Generated<Date | null>
  ignore_reason: Generated<IgnoreReason | ''>
  ignore_comment: Generated<string>
  ignored_by: Generated<string>
}
/** issues (issue, occurrence, issue_decision, issue_event, issue_comment, scan_issue, issue_target, host_count, target_count) */
export interface IssueTable extends IgnoreTerms {
  account_id: string
  id: string
  threat_id: string
  status: IssueStatus
  verification: Verification
  quality: number
  priority: number
  is_reachable: Generated<boolean>
  weight: Generated<number>
  score: Numeric
  category: SeverityCategory
  host_count: Generated<number>
  first_seen_at: Date
  last_seen_at: Date
  ignored_at: Date | null
  resolved_at: Date | null
  updated_at: Date
  epss: Generated<number>
  title: Generated<string>
  assignee_id: Generated<string | null>
  due_at: Generated<Date | null>
}
export type StoredEvidence = Omit<z.infer<typeof Evidence>, 'time'>
export interface OccurrenceTable extends IgnoreTerms {
  account_id: string
  id: string
  issue_id: string
  host_id: string
  target_id: string
  location: string
  port: number | null
  method: string
  status: IssueStatus
  quality: number
  evidence: Json<StoredEvidence>
  evidence_key: string
  decided_by: 'scan' | 'person'
  first_seen_at: Date
  last_seen_at: Date
  ignored_at: Date | null
  resolved_at: Date | null
  not_checked_since: Date | null
  product_id: Generated<string | null>
}
export interface IssueDecisionTable {
  account_id: string
  issue_id: string
  status: Exclude<IssueStatus, 'STATUS_REGRESSION'>
  ignore_until: Date | null
  ignore_reason: IgnoreReason | ''
  ignore_comment: string
  actor: string
  at: Date
  reason: string
}
export interface IssueTargetTable {
  account_id: string
  target_id: string
  issue_id: string
  status: IssueStatus
  verified_status: IssueStatus | null
  potential_status: IssueStatus | null
  category: SeverityCategory
}
export interface CountTable {
  account_id: string
  target_id: string
  critical: Generated<number>
  high: Generated<number>
  medium: Generated<number>
  low: Generated<number>
}
export interface IssueEventTable {
  account_id: string
  id: string
  issue_id: string
  host_id: string | null
  target_id: string | null
  status: IssueStatus
  verification: Verification
  at: Date
  actor: string
  reason: Generated<string>
  scan_id: string | null
}
export interface EmergenceTable {
  account_id: string
  id: string
  threat_id: string
  product_id: string
  issue_id: string | null
  host_count: number
  at: Date
}
/** issues */
export interface IssueCommentTable {
  account_id: string
  id: string
  issue_id: string
  text: string
  actor: string
  actor_id: Generated<string | null>
  mentions: Generated<string[]>
  created_at: Date
}
