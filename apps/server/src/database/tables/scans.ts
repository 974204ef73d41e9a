/** Scans, batches, and leases. */
import type { AgentJobState } from '@glacis/contract/agent'
import type { ScanHost } from '@glacis/contract/runner'
import type { ScanPhase, ScanStatus, ScanType } from '@glacis/contract/scan'
import type { Generated } from 'kysely'
import type { Json } from '#database/tables/kinds.ts'

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
  /** The only issue that this retest can change. */
  retest_of: Generated<string | null>
  checks: Generated<string[] | null>
}
export interface ScanLeaseTable {
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
export interface ScanBatchTable {
  account_id: string
  scan_id: string
  number: number
  hosts: Json<ScanHost[]>
  state: 'WAITING' | 'QUEUED' | 'DONE'
  attempt: Generated<number>
  hosts_done: Generated<number>
}
