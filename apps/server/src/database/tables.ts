/** Every table and the one room that writes it; any room may join it for reading. */
import type { TokenScope } from '@glacis/contract/access'
import type { ChannelEvent, ChannelKind, DeliveryState, Notice } from '@glacis/contract/channel'
import type { AgentJobState, DisconnectReason } from '@glacis/contract/agent'
import type { IgnoreReason, IssueStatus, Verification } from '@glacis/contract/issue'
import type { Evidence } from '@glacis/contract/issue'
import type { Certificate, Criticality, Wfn } from '@glacis/contract/inventory'
import type { ScanProfile } from '@glacis/contract/primitives'
import type { ScanHost } from '@glacis/contract/runner'
import type { ScanPhase, ScanStatus, ScanType } from '@glacis/contract/scan'
import type { AllowedHours, SchedulePeriod } from '@glacis/contract/target'
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
  agent: AgentTable
  agent_key: AgentKeyTable
  agent_connection: AgentConnectionTable
  target: TargetTable
  tag: { account_id: string; id: string; name: string; color: number }
  idempotency_key: IdempotencyKeyTable
  target_tag: { account_id: string; target_id: string; tag_id: string }
  /** issues */
  issue_tag: { account_id: string; issue_id: string; tag_id: string }
  threat: ThreatTable
  threat_product: { vendor: string; product: string; threat_id: string }
  pack: PackTable
  exploitation: {
    key: string
    epss_score: number | null
    epss_percentile: number | null
    known_exploited_at: Date | null
  }
  threat_change: { threat_id: string; turn: Generated<number> }
  distribution_fix: { key: string; product: string; release: string; fixed_version: string; origin: string }
  release_cycle: ReleaseCycleTable
  software: { part: string; vendor: string; product: string; title: string; threats: number; search: Generated<string> }
  host: HostTable
  service: ServiceTable
  product: ProductTable
  host_product: HostProductTable
  scan: ScanTable
  scan_batch: ScanBatchTable
  scan_lease: ScanLeaseTable
  scan_lease_part: { account_id: string; lease_id: string; part: number; observations: string }
  scan_host: {
    account_id: string
    scan_id: string
    address: string
    host_id: string | null
    reached: boolean
    reason: string
  }
  scan_event: { account_id: string; id: string; scan_id: string; at: Date; level: string; message: string }
  deletion: DeletionTable
  issue: IssueTable
  occurrence: OccurrenceTable
  issue_event: IssueEventTable
  event: EventTable
  channel: ChannelTable
  delivery: DeliveryTable
  api_token: ApiTokenTable
  scan_issue: { account_id: string; scan_id: string; issue_id: string; host_id: string; change: string }
  emergence: EmergenceTable
  issue_comment: IssueCommentTable
  saved_view: SavedViewTable
  issue_target: IssueTargetTable
  host_count: CountTable & { host_id: string; has_verified: Generated<boolean>; has_potential: Generated<boolean> }
  target_count: CountTable & {
    hosts: Generated<number>
    hosts_verified: Generated<number>
    hosts_potential: Generated<number>
  }
  /** stats */
  stats_day: { account_id: string; target_id: string; day: string; closed_at: Date; counts: number[] }
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
/** http */
interface IdempotencyKeyTable {
  account_id: string
  key: string
  call: string
  digest: string
  answer: Json<unknown>
  created_at: Date
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
/** agents (agent, agent_key, agent_connection) */
export interface AgentTable {
  account_id: string
  id: string
  name: string
  version: Generated<string>
  system: Generated<string>
  hostname: Generated<string>
  networks: ColumnType<string[], string | undefined, string>
  latency_ms: number | null
  clock_ahead_ms: Generated<number>
  connection_id: string | null
  instance_id: string | null
  last_seen_at: Date | null
  is_notice_due: Generated<boolean>
  created_at: Date
  updated_at: Date
}
interface AgentKeyTable {
  account_id: string
  agent_id: string
  digest: Buffer
  kind: 'TOKEN' | 'KEY'
  expires_at: Date | null
  created_at: Date
}
interface AgentConnectionTable {
  account_id: string
  id: string
  agent_id: string
  connected_at: Date
  disconnected_at: Date | null
  reason: DisconnectReason | null
  version: string
  address: string
}
/** targets (with tag and target_tag) */
export interface TargetTable {
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
  agent_id: string | null
  former_agent: string | null
  allowed_hours: ColumnType<AllowedHours | null, string | null | undefined, string | null>
  exclusions: Generated<string[]>
  profile: Generated<ScanProfile>
  ports: Generated<string>
  rate_per_host: Generated<number | null>
  paused_at: Generated<Date | null>
  unresolved_since: Generated<Date | null>
  last_scan_at: Generated<Date | null>
}
/** packs (with exploitation, distribution_fix, release_cycle and software) */
interface PackTable {
  name: string
  version: string
  records: number
  skipped: number
  state: string
  problem: Generated<string>
  progress: Generated<string>
  cursor: ColumnType<unknown, string | null, string | null>
  validators: ColumnType<Record<string, string>, string | undefined, string>
  failures: Generated<number>
  checked_at: Date | null
  next_at: Date | null
  updated_at: Date
}
interface ReleaseCycleTable {
  vendor: string
  product: string
  cycle: string
  name: string
  /** A day, as text. */
  ends_on: ColumnType<string | null, string | null, string | null>
  is_over: boolean
  latest: string
}
/** threats (with threat_product and threat_change) */
export interface DeletionTable {
  id: string
  at: Generated<Date>
  operator: string
  action: string
  former_account: string | null
  former_identity: string | null
  detail: Json<Record<string, number>>
}

export interface ThreatTable {
  id: string
  key: string
  kind: 'check' | 'cve' | 'lifecycle'
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
  digests: ColumnType<Record<string, string>, string, string>
  words_rank: number
  criteria_rank: number
  severity_rank: number
  modified_at: Date | null
  published_at: Date | null
  effective_at: Date | null
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
  owner: Generated<string>
  criticality: Generated<Criticality>
  notes: Generated<string>
  merged_into: Generated<string | null>
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
  certificate: ColumnType<Certificate | null, string | null | undefined, string | null>
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
  subject: Generated<string>
  watched: Generated<boolean>
  /** A day, as text. */
  end_on: ColumnType<string | null, string | null | undefined, string | null>
  is_over: Generated<boolean>
  is_end_known: Generated<boolean>
  latest: Generated<string>
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
/** scans (scan, scan_batch, scan_lease, scan_lease_part, scan_host, scan_event) */
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
  agent_id: string | null
  agent_name: Generated<string>
  resume_at: Generated<Date | null>
  ignores_hours: Generated<boolean>
  excluded_hosts: Generated<number>
  /** The issue that this scan checks again; it decides nothing else. */
  retest_of: Generated<string | null>
  checks: Generated<string[] | null>
}
interface ScanLeaseTable {
  account_id: string
  id: string
  agent_id: string
  scan_id: string
  number: number
  state: AgentJobState
  expires_at: Date
  started_at: Date
  ended_at: Date | null
  error: Generated<string>
  result_bytes: Generated<number>
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
/** On which terms something is ignored; empty while it is not. */
interface IgnoreTerms {
  ignore_until: Generated<Date | null>
  ignore_reason: Generated<IgnoreReason | ''>
  ignore_comment: Generated<string>
  ignored_by: Generated<string>
}
/** issues (issue, occurrence, issue_event, issue_comment, scan_issue, issue_target, host_count, target_count) */
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
interface IssueTargetTable {
  account_id: string
  target_id: string
  issue_id: string
  status: IssueStatus
  verified_status: IssueStatus | null
  potential_status: IssueStatus | null
  category: SeverityCategory
}
interface CountTable {
  account_id: string
  target_id: string
  critical: Generated<number>
  high: Generated<number>
  medium: Generated<number>
  low: Generated<number>
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
interface EmergenceTable {
  account_id: string
  id: string
  threat_id: string
  product_id: string
  issue_id: string | null
  host_count: number
  at: Date
}
/** issues */
interface IssueCommentTable {
  account_id: string
  id: string
  issue_id: string
  text: string
  actor: string
  created_at: Date
}
/** views */
interface SavedViewTable {
  account_id: string
  id: string
  name: string
  page: string
  query: string
  shared: boolean
  created_at: Date
  updated_at: Date
}

/** notifications */
interface EventTable {
  account_id: string
  id: Generated<number>
  xid: Generated<string>
  at: Date
  kind: string
  title: string
  score: Numeric | null
  resource_kind: Notice['resource']['kind']
  resource_id: string
  target_ids: string[] | null
}
/** notifications */
interface ChannelTable {
  account_id: string
  id: string
  kind: ChannelKind
  webhook_url: string
  secret: string
  events: ChannelEvent[]
  min_severity: Numeric
  tag_ids: string[]
  is_enabled: Generated<boolean>
  failures: Generated<number>
  taken_until: Generated<string>
  created_at: Date
  updated_at: Date
}
/** notifications */
interface DeliveryTable {
  account_id: string
  id: string
  channel_id: string
  state: z.infer<typeof DeliveryState>
  notices: Json<Notice[]>
  event_count: number
  attempts: Generated<number>
  status_code: number | null
  latency_ms: number | null
  error: Generated<string>
  answer: Generated<string>
  created_at: Date
  completed_at: Date | null
}
/** tokens */
interface ApiTokenTable {
  account_id: string
  id: string
  name: string
  scopes: TokenScope[]
  prefix: string
  digest: Buffer
  created_by: string
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}
