/** Identity providers of workspaces, and the members that they manage. Written by workspaces. */
import type { GroupRole, GroupRoleName } from '@glacis/contract/group-role'
import type { Generated } from 'kysely'
import type { Json } from '#database/tables/kinds.ts'

export interface ProvisioningTokenTable {
  account_id: string
  id: string
  name: string
  prefix: string
  digest: Buffer
  created_by: string
  created_by_id: string
  created_at: Date
  expires_at: Date
  last_used_at: Generated<Date | null>
}
export interface ProvisioningTable {
  account_id: string
  default_role: Generated<GroupRoleName>
  group_roles: Json<GroupRole[]>
}
export interface ProvisionedUserTable {
  account_id: string
  id: string
  user_name: string
  external_id: string | null
  email: string | null
  attributes: Json<UserAttributes>
  is_active: boolean
  role: GroupRoleName
  identity_id: Generated<string | null>
  created_at: Date
  updated_at: Date
}
/** The attributes of a SCIM user that are stored as the provider sent them (RFC 7643, section 4.1). */
export interface UserAttributes {
  name?: Readonly<Record<string, string>> | undefined
  displayName?: string | undefined
  emails?: readonly UserEmail[] | undefined
}
export interface UserEmail {
  value: string
  type?: string | undefined
  display?: string | undefined
  primary?: boolean | undefined
}
export interface ProvisionedGroupTable {
  account_id: string
  id: string
  name: string
  external_id: string | null
  created_at: Date
  updated_at: Date
}
export interface ProvisionedGroupUserTable {
  account_id: string
  group_id: string
  user_id: string
}
export interface SignInProviderTable {
  account_id: string
  label: string
  issuer: string
  client_id: string
  client_secret: Buffer | null
  groups_claim: string
  group_roles: Json<GroupRole[]>
  default_role: GroupRoleName | null
  is_required: boolean
  updated_at: Date
}

/** workspaces/sign-in: the person of a subject of the provider */
export interface ProviderSubjectTable {
  account_id: string
  issuer: string
  subject: string
  identity_id: string
  linked_at: Date
}

/** workspaces/sign-in: a session of an external identity service that signed in with the provider */
export interface ProviderSessionTable {
  account_id: string
  session_id: string
  identity_id: string
  subject: string
  groups: Json<string[]>
  signed_in_at: Date
  used_at: Date
}
