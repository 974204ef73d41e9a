/** Table types of the `identity` schema; see `migrations.ts`. */
import type { ColumnType, Generated, Kysely, Selectable } from 'kysely'
import type { Message } from '#ui/message.ts'
import type { Ui } from '#ui/node.ts'

/** Stored as `json`, not `jsonb`, to preserve the order of keys for clients. */
type Json<Value> = ColumnType<Value, string, string>

interface IdentityTable {
  id: string
  traits: Json<Traits>
  state: 'active' | 'inactive'
  state_changed_at: Date
  created_at: Date
  updated_at: Date
}
export interface Traits {
  readonly email: string
  readonly name: { readonly first: string; readonly last: string }
}
interface CredentialTable {
  identity_id: string
  type: string
  /** Each method has its own format. */
  config: Json<unknown>
  created_at: Date
  updated_at: Date
}
interface CredentialIdentifierTable {
  type: string
  identifier: string
  identity_id: string
}
interface VerifiableAddressTable {
  id: string
  identity_id: string
  value: string
  verified: boolean
  status: 'pending' | 'sent' | 'completed'
  verified_at: Date | null
  created_at: Date
  updated_at: Date
}
interface RecoveryAddressTable {
  id: string
  identity_id: string
  value: string
  created_at: Date
  updated_at: Date
}
interface SessionTable {
  id: string
  identity_id: string
  /** SHA-256 of the session token. */
  token_hash: Buffer
  active: boolean
  aal: 'aal1' | 'aal2'
  authentication_methods: Json<readonly AuthenticationMethod[]>
  devices: Json<readonly Device[]>
  issued_at: Date
  authenticated_at: Date
  expires_at: Date
  used_at: Generated<Date>
}
export interface AuthenticationMethod {
  readonly method: string
  readonly aal: 'aal1' | 'aal2'
  readonly completed_at: string
  /** The external provider, for `oidc`. */
  readonly provider?: string
}
export interface Device {
  readonly id: string
  readonly ip_address: string
  readonly user_agent: string
  readonly location: string
}
export type FlowKind = 'login' | 'registration' | 'settings' | 'verification' | 'recovery'
export interface FlowTable {
  id: string
  kind: FlowKind
  state: string
  active: string | null
  request_url: string
  return_to: string | null
  identity_id: string | null
  csrf_token: string
  ui: Json<Ui>
  memory: Json<FlowMemory>
  /** Number of attempts to enter a code. */
  tries: Generated<number>
  issued_at: Date
  expires_at: Date
  created_at: Date
  updated_at: Date
}
export type Flow = Selectable<FlowTable>
/** Flow state that depends on the kind of flow and its methods. */
export interface FlowMemory {
  readonly refresh?: boolean
  readonly requestedAal?: 'aal1' | 'aal2'
  readonly identitySchema?: string
  readonly afterVerificationReturnTo?: string
  /** The address to which a code was sent. */
  readonly address?: string
  /** The traits for which a sign-up code was sent. */
  readonly traits?: Traits
  readonly notice?: Message
  /** The CAPTCHA was passed. */
  readonly isHuman?: boolean
  /** Secret of an authenticator app that isn't enrolled yet, in base32. */
  readonly totpSecret?: string
  /** Outstanding WebAuthn challenges, and the user handle for a new passkey. */
  readonly passkeyChallenge?: string
  readonly passkeyHandle?: string
  readonly webauthnChallenge?: string
  /** Generated backup codes that aren't confirmed yet. */
  readonly lookupCodes?: readonly string[]
}
export interface CodeTable {
  id: string
  flow_id: string
  /** Null for an unknown address. Such a code is valid only for registration. */
  identity_id: string | null
  address: string
  code_hash: Buffer
  expires_at: Date
  used_at: Date | null
  created_at: Date
}
interface MailTable {
  id: string
  recipient: string
  subject: string
  text: string
  html: string
  status: 'queued' | 'sent' | 'failed' | 'void'
  /** Delivery is abandoned after this time. */
  expires_at: Date
  created_at: Date
}
interface ThrottleTable {
  key: string
  used: number
  resets_at: Date
}
interface FlowErrorTable {
  id: string
  error: Json<unknown>
  created_at: Date
}
interface ContinuityTable {
  token_hash: Buffer
  flow_id: string
  identity_id: string
  /** The submission to resume after reauthentication. Encrypted, because it may contain a new password. */
  sealed: Buffer
  expires_at: Date
}

export interface Tables {
  'identity.identity': IdentityTable
  'identity.credential': CredentialTable
  'identity.credential_identifier': CredentialIdentifierTable
  'identity.verifiable_address': VerifiableAddressTable
  'identity.recovery_address': RecoveryAddressTable
  'identity.session': SessionTable
  'identity.flow': FlowTable
  'identity.code': CodeTable
  'identity.mail': MailTable
  'identity.throttle': ThrottleTable
  'identity.flow_error': FlowErrorTable
  'identity.continuity': ContinuityTable
}
export type Database = Kysely<Tables>
