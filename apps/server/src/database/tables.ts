/** Every table and the one module that writes it. Any module may read it. */
import type { ColumnType, Generated } from 'kysely'
import type {
  WorkspaceTable,
  MemberTable,
  InvitationTable,
  EmailDomainTable,
  IdempotencyKeyTable,
  AuditEventTable,
  DeletionTable,
  SavedViewTable,
  ApiTokenTable,
} from '#database/tables/workspaces.ts'
import type {
  ProvisionedGroupTable,
  ProvisionedGroupUserTable,
  ProvisionedUserTable,
  ProvisioningTable,
  ProvisioningTokenTable,
  ProviderSessionTable,
  ProviderSubjectTable,
  SignInProviderTable,
} from '#database/tables/provisioning.ts'
import type { AgentTable, AgentKeyTable, AgentConnectionTable, TargetTable } from '#database/tables/targets.ts'
import type { PackTable, ReleaseCycleTable, ThreatTable } from '#database/tables/knowledge.ts'
import type {
  AgentContainerTable,
  AgentInventoryTable,
  AgentPackageTable,
  AgentSocketTable,
  HostTable,
  ServiceTable,
  ProductTable,
  HostProductTable,
} from '#database/tables/inventory.ts'
import type { ScanTable, ScanLeaseTable, ScanBatchTable } from '#database/tables/scans.ts'
import type {
  IssueTable,
  OccurrenceTable,
  IssueDecisionTable,
  IssueTargetTable,
  CountTable,
  IssueEventTable,
  EmergenceTable,
  IssueCommentTable,
} from '#database/tables/issues.ts'
import type { EventTable, ChannelTable, DeliveryTable } from '#database/tables/notifications.ts'

export type { DeletionTable } from '#database/tables/workspaces.ts'
export type { AgentTable, TargetTable } from '#database/tables/targets.ts'
export type { ThreatTable } from '#database/tables/knowledge.ts'
export type { ScanTable } from '#database/tables/scans.ts'
export type { IssueTable, IssueDecisionTable, StoredEvidence, OccurrenceTable } from '#database/tables/issues.ts'

export interface Tables {
  workspace: WorkspaceTable
  member: MemberTable
  invitation: InvitationTable
  email_domain: EmailDomainTable
  sign_in_provider: SignInProviderTable
  provider_subject: ProviderSubjectTable
  provider_session: ProviderSessionTable
  provisioning_token: ProvisioningTokenTable
  provisioning: ProvisioningTable
  provisioned_user: ProvisionedUserTable
  provisioned_group: ProvisionedGroupTable
  provisioned_group_user: ProvisionedGroupUserTable
  /** compose; the other columns: installation */
  installation: {
    is_only: Generated<boolean>
    secret: string
    has_first_admin: Generated<boolean>
    sign_in_networks: Generated<string[]>
  }
  /** installation */
  installation_admin: { identity_id: string; granted_at: Generated<Date> }
  audit_event: AuditEventTable
  agent: AgentTable
  agent_key: AgentKeyTable
  agent_connection: AgentConnectionTable
  target: TargetTable
  tag: { account_id: string; id: string; name: string; color: number; team: Generated<string[] | null> }
  idempotency_key: IdempotencyKeyTable
  target_tag: { account_id: string; target_id: string; tag_id: string }
  /** issues */
  issue_tag: { account_id: string; issue_id: string; tag_id: string }
  threat: ThreatTable
  threat_product: { vendor: string; product: string; threat_id: string; criteria: string | null }
  pack: PackTable
  exploitation: {
    key: string
    epss_score: number | null
    epss_percentile: number | null
    known_exploited_at: Date | null
  }
  threat_change: { threat_id: string; turn: Generated<number> }
  distribution_fix: {
    key: string
    package: Generated<string>
    product: string
    release: string
    fixed_version: string
    origin: string
  }
  release_cycle: ReleaseCycleTable
  software: { part: string; vendor: string; product: string; title: string; threats: number; search: Generated<string> }
  host: HostTable
  service: ServiceTable
  product: ProductTable
  host_product: HostProductTable
  agent_inventory: AgentInventoryTable
  agent_package: AgentPackageTable
  agent_socket: AgentSocketTable
  agent_container: AgentContainerTable
  scan: ScanTable
  scan_batch: ScanBatchTable
  pack_set: { kind: 'template' | 'fingerprints'; digest: string }
  pack_set_part: { kind: 'template' | 'fingerprints'; part: number; body: Buffer }
  request_count: { key: string; used: number; resets_at: Date }
  scan_lease: ScanLeaseTable
  scan_lease_part: { account_id: string; lease_id: string; part: number; observations: string }
  scan_host: {
    account_id: string
    scan_id: string
    address: string
    host_id: string | null
    reached: boolean
    reason: string
    stopped: ColumnType<{ port?: number; check: string; reason: string }[], string | undefined, string>
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
  issue_decision: IssueDecisionTable
  issue_target: IssueTargetTable
  host_count: CountTable & { host_id: string; verified: Generated<number>; potential: Generated<number> }
  target_count: CountTable & {
    hosts: Generated<number>
    hosts_verified: Generated<number>
    hosts_potential: Generated<number>
  }
  /** stats */
  stats_day: { account_id: string; target_id: string; day: string; closed_at: Date; counts: number[] }
}
