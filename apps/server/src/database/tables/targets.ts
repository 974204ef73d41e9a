/** Targets, and the agents that scan them. */
import type { DisconnectReason } from '@glacis/contract/agent'
import type { CheckPermission, ScanProfile } from '@glacis/contract/primitives'
import type { AllowedHours, SchedulePeriod } from '@glacis/contract/target'
import type { ColumnType, Generated } from 'kysely'

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
  created_by: Generated<string | null>
  created_by_id: Generated<string | null>
  expires_at: Generated<Date | null>
  allowed_networks: Generated<string[]>
  has_inventory: Generated<boolean>
  created_at: Date
  updated_at: Date
}
export interface AgentKeyTable {
  account_id: string
  agent_id: string
  digest: Buffer
  kind: 'TOKEN' | 'KEY'
  expires_at: Date | null
  created_at: Date
}
export interface AgentConnectionTable {
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
  owner_id: Generated<string | null>
  allowed_hours: ColumnType<AllowedHours | null, string | null | undefined, string | null>
  exclusions: Generated<string[]>
  profile: Generated<ScanProfile>
  permissions: Generated<CheckPermission[]>
  ports: Generated<string>
  rate_per_host: Generated<number | null>
  paused_at: Generated<Date | null>
  unresolved_since: Generated<Date | null>
  last_scan_at: Generated<Date | null>
}
