/** Workspaces and their members, the audit log, and API tokens. */
import type { TokenScope } from '@glacis/contract/access'
import type { Role } from '@glacis/contract/role'
import type { Generated } from 'kysely'
import type { Json } from '#database/tables/kinds.ts'

/** workspaces; the plan_ columns: billing */
export interface WorkspaceTable {
  id: string
  name: string
  plan_id: Generated<string>
  plan_period: Generated<string>
  plan_targets: Generated<number | null>
  time_zone: Generated<string>
  history_days: Generated<number | null>
  evidence_days: Generated<number | null>
  audit_days: Generated<number | null>
  sign_in_networks: Generated<string[]>
  deletes_at: Generated<Date | null>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
/** workspaces */
export interface MemberTable {
  account_id: string
  identity_id: string
  role: Role
  name: string
  email: string
  joined_at: Generated<Date>
  last_used_at: Generated<Date | null>
  left_at: Generated<Date | null>
}
/** workspaces */
export interface InvitationTable {
  account_id: string
  id: string
  email: string
  role: Role
  invited_by: string
  mails: Generated<number>
  created_at: Date
  sent_at: Date
  expires_at: Date
  accepted_at: Generated<Date | null>
  revoked_at: Generated<Date | null>
}
/** workspaces */
export interface EmailDomainTable {
  account_id: string
  id: string
  domain: string
  role: 'analyst' | 'viewer' | 'auditor'
  proof: string
  created_at: Date
  verified_at: Generated<Date | null>
}
/** http */
export interface IdempotencyKeyTable {
  account_id: string
  key: string
  call: string
  digest: string
  answer: Json<unknown>
  created_at: Date
}
/** audit */
export interface AuditEventTable {
  account_id: string
  id: string
  at: Date
  actor_kind: string
  actor_name: string
  actor_id: Generated<string | null>
  action: string
  resource_kind: string
  resource_id: string
  detail: Json<object>
  ip: string
  user_agent: Generated<string>
}
/** deletions */
export interface DeletionTable {
  id: string
  at: Generated<Date>
  operator: string
  action: string
  former_account: string | null
  former_identity: string | null
  detail: Json<Record<string, number>>
}
/** views */
export interface SavedViewTable {
  account_id: string
  id: string
  name: string
  page: string
  query: string
  shared: boolean
  owner_id: string
  created_at: Date
  updated_at: Date
}
/** tokens */
export interface ApiTokenTable {
  account_id: string
  id: string
  name: string
  scopes: TokenScope[]
  prefix: string
  digest: Buffer
  role: Role
  created_by: string
  created_by_id: string
  allowed_networks: Generated<string[]>
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}
