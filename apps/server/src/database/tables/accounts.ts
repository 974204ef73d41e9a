/** Accounts, the audit trail, and API tokens. */
import type { TokenScope } from '@glacis/contract/access'
import type { Generated } from 'kysely'
import type { Json } from '#database/tables/kinds.ts'

/** accounts; the plan_ columns: billing */
export interface AccountTable {
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
  action: string
  resource_kind: string
  resource_id: string
  detail: Json<object>
  ip: string
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
  created_by: string
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}
