/** Every table and the one room that writes it; any room may join it for reading. */
import type { IssueStatus, Verification } from '@glacis/contract/issue'
import type { Evidence } from '@glacis/contract/issue'
import type { Wfn } from '@glacis/contract/inventory'
import type { ScanHost } from '@glacis/contract/runner'
import type { ScanPhase, ScanStatus, ScanType } from '@glacis/contract/scan'
import type { SchedulePeriod } from '@glacis/contract/target'
import type { Reference, SeverityCategory, SolutionKind } from '@glacis/contract/threat'
import type { ColumnType, Generated } from 'kysely'
import type { z } from 'zod'

/** Written as JSON text, read as the value. */
type Json<T> = ColumnType<T, string, string>
/** `numeric` is read as a number (see database/index.ts). */
type Numeric = number

export interface Tables {
  account: AccountTable
  /** compose */
  installation: { is_only: Generated<boolean>; secret: string }
  audit_event: AuditEventTable
  target: TargetTable
  tag: { account_id: string; id: string; name: string; color: number }
  target_tag: { account_id: string; target_id: string; tag_id: string }
  threat: ThreatTable
  threat_product: { vendor: string; product: string; threat_id: string }
  pack: { name: string; version: string; records: number; skipped: number; state: string; updated_at: Date }
  host: HostTable
  service: ServiceTable
  product: ProductTable
  host_product: HostProductTable
  scan: ScanTable
  scan_batch: ScanBatchTable
  scan_host: {
    account_id: string
    scan_id: string
    address: string
    host_id: string | null
    reached: boolean
    reason: string
  }
  scan_event: { account_id: string; id: string; scan_id: string; at: Date; level: string; message: string }
  issue: IssueTable
  occurrence: OccurrenceTable
  issue_event: IssueEventTable
  scan_issue: { account_id: string; scan_id: string; issue_id: string; host_id: string; change: string }
}

/** accounts; the plan_ columns: billing */
interface AccountTable {
  id: string
  identity_id: string
  name: string
  email: string
  plan_id: Generated<string>
  plan_period: Generated<string>
  plan_targets: Generated<number | null>
  time_zone: Generated<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
/** audit */
interface AuditEventTable {
  account_id: string
  id: string
  at: Date
  actor_kind: string
  actor_name: string
  action: string
  resource_kind: string
  resource_id: string
  detail: Json<object>
  ip: string
}
/** targets (with tag and target_tag) */
interface TargetTable {
  account_id: string
  id: string
  name: string
  address: string
  kind: string
  schedule_period: SchedulePeriod
  next_scan_at: Date | null
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
}
/** threats (with threat_product); pack belongs to packs */
export interface ThreatTable {
  id: string
  key: string
  kind: 'check' | 'cve'
  name: string
  summary: string
  impact: string
  affected: string
  insight: string
  cvss: string
  score: Numeric
  category: SeverityCategory
  solution_kind: SolutionKind
  solution: string
  refs: Json<Reference[]>
  epss_score: number | null
  epss_percentile: number | null
  known_exploited_at: Date | null
  record: ColumnType<unknown, string | null, string | null>
  digest: string
  updated_at: Generated<Date>
}
/** inventory (host, service, product, host_product) */
interface HostTable {
  account_id: string
  id: string
  target_id: string
  address: string
  name: string
  first_seen_at: Date
  last_seen_at: Date
  last_checked_at: Date
  updated_at: Date
}
interface ServiceTable {
  account_id: string
  host_id: string
  port: number
  transport: 'tcp' | 'udp'
  protocol: string
  tls: boolean
  banner: string
  product: string
  first_seen_at: Date
  last_seen_at: Date
  gone_at: Date | null
}
interface ProductTable {
  account_id: string
  id: string
  key: string
  name: string
  version: string
  part: string
  vendor: string
  product: string
  wfn: Json<Wfn>
  min_notification_severity: Generated<Numeric>
  created_at: Date
  updated_at: Date
}
interface HostProductTable {
  account_id: string
  host_id: string
  product_id: string
  port: number
  revision: string
  evidence: string
  quality: number
  first_seen_at: Date
  last_seen_at: Date
  gone_at: Date | null
}
/** scans (scan, scan_batch, scan_host, scan_event) */
export interface ScanTable {
  account_id: string
  id: string
  target_id: string
  type: ScanType
  status: ScanStatus
  phase: ScanPhase
  reason: Generated<string>
  hosts_total: Generated<number>
  hosts_done: Generated<number>
  scanned_hosts: Generated<number>
  affected_hosts: Generated<number>
  critical: Generated<number>
  high: Generated<number>
  medium: Generated<number>
  low: Generated<number>
  new_count: Generated<number>
  resolved_count: Generated<number>
  regressive_count: Generated<number>
  started_by: string
  created_at: Date
  started_at: Date | null
  completed_at: Date | null
  last_activity_at: Date | null
  updated_at: Date
}
interface ScanBatchTable {
  account_id: string
  scan_id: string
  number: number
  hosts: Json<ScanHost[]>
  state: 'WAITING' | 'QUEUED' | 'DONE'
  attempt: Generated<number>
  hosts_done: Generated<number>
}
/** issues (issue, occurrence, issue_event, scan_issue) */
export interface IssueTable {
  account_id: string
  id: string
  threat_id: string
  status: IssueStatus
  verification: Verification
  quality: number
  priority: number
  score: Numeric
  category: SeverityCategory
  host_count: Generated<number>
  first_seen_at: Date
  last_seen_at: Date
  ignored_at: Date | null
  ignore_until: Date | null
  resolved_at: Date | null
  updated_at: Date
}
export type StoredEvidence = Omit<z.infer<typeof Evidence>, 'time'>
export interface OccurrenceTable {
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
}
interface IssueEventTable {
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
