/** The tables of the schema `identity` and how they came to be. */
import { type ColumnType, type Generated, type Kysely, sql } from 'kysely'
import type { Message } from '#ui/message.ts'
import type { Ui } from '#ui/node.ts'

/** JSON is kept as text of its own order (`json`, not `jsonb`): clients see keys as they were written. */
type Json<Value> = ColumnType<Value, string, string>

export interface IdentityTable {
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
export interface CredentialTable {
  identity_id: string
  type: string
  config: Json<unknown>
  created_at: Date
  updated_at: Date
}
export interface CredentialIdentifierTable {
  type: string
  identifier: string
  identity_id: string
}
export interface VerifiableAddressTable {
  id: string
  identity_id: string
  value: string
  verified: boolean
  status: 'pending' | 'sent' | 'completed'
  verified_at: Date | null
  created_at: Date
  updated_at: Date
}
export interface RecoveryAddressTable {
  id: string
  identity_id: string
  value: string
  created_at: Date
  updated_at: Date
}
export interface SessionTable {
  id: string
  identity_id: string
  /** SHA-256 of the cookie's value; the value itself is never stored. */
  token_hash: Buffer
  active: boolean
  aal: 'aal1' | 'aal2'
  authentication_methods: Json<readonly AuthenticationMethod[]>
  devices: Json<readonly Device[]>
  issued_at: Date
  authenticated_at: Date
  expires_at: Date
}
export interface AuthenticationMethod {
  readonly method: string
  readonly aal: 'aal1' | 'aal2'
  readonly completed_at: string
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
  /** How often a code was tried in this flow. */
  tries: Generated<number>
  issued_at: Date
  expires_at: Date
  created_at: Date
  updated_at: Date
}
/** What a kind of flow remembers beyond what every flow has. */
export interface FlowMemory {
  readonly refresh?: boolean
  readonly requestedAal?: 'aal1' | 'aal2'
  readonly identitySchema?: string
  readonly afterVerificationReturnTo?: string
  /** The address a code was asked for. */
  readonly address?: string
  readonly notice?: Message
}
export interface CodeTable {
  id: string
  flow_id: string
  /** Null for an address that nobody has: such a code opens nothing. */
  identity_id: string | null
  address: string
  code_hash: Buffer
  expires_at: Date
  used_at: Date | null
  created_at: Date
}
export interface MailTable {
  id: string
  recipient: string
  subject: string
  text: string
  html: string
  status: 'queued' | 'sent' | 'failed' | 'void'
  attempts: Generated<number>
  next_at: Date
  /** After this moment the mail is of no use and is given up. */
  expires_at: Date
  created_at: Date
}
export interface ThrottleTable {
  key: string
  used: number
  resets_at: Date
}
export interface FlowErrorTable {
  id: string
  error: Json<unknown>
  created_at: Date
}
export interface ContinuityTable {
  token_hash: Buffer
  flow_id: string
  identity_id: string
  /** The submit that waits for its sign-in, sealed: it may hold a new password. */
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

/** One step from an older schema to a newer; forward only, never edited once released. */
export interface Migration {
  readonly name: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a migration knows no tables yet
  up(db: Kysely<any>): Promise<void>
}

/** In the order in which they must run; the first creates the schema `identity`. */
export const migrations: readonly Migration[] = [
  {
    name: 'identity-0001-accounts-flows-sessions',
    async up(db) {
      await sql`create schema if not exists identity`.execute(db)
      await sql`
        create table identity.identity (
          id uuid primary key,
          traits json not null,
          state text not null check (state in ('active', 'inactive')),
          state_changed_at timestamptz not null,
          created_at timestamptz not null,
          updated_at timestamptz not null
        )`.execute(db)
      await sql`
        create table identity.credential (
          identity_id uuid not null references identity.identity on delete cascade,
          type text not null,
          config json not null,
          created_at timestamptz not null,
          updated_at timestamptz not null,
          primary key (identity_id, type)
        )`.execute(db)
      await sql`
        create table identity.credential_identifier (
          type text not null,
          identifier text not null,
          identity_id uuid not null references identity.identity on delete cascade,
          primary key (type, identifier)
        )`.execute(db)
      // Changing an address and deleting an identity look identifiers up by identity.
      await sql`create index on identity.credential_identifier (identity_id)`.execute(db)
      await sql`
        create table identity.verifiable_address (
          id uuid primary key,
          identity_id uuid not null references identity.identity on delete cascade,
          value text not null unique,
          verified boolean not null,
          status text not null check (status in ('pending', 'sent', 'completed')),
          verified_at timestamptz,
          created_at timestamptz not null,
          updated_at timestamptz not null
        )`.execute(db)
      // Every whoami reads the addresses of one identity.
      await sql`create index on identity.verifiable_address (identity_id)`.execute(db)
      await sql`
        create table identity.recovery_address (
          id uuid primary key,
          identity_id uuid not null references identity.identity on delete cascade,
          value text not null unique,
          created_at timestamptz not null,
          updated_at timestamptz not null
        )`.execute(db)
      await sql`create index on identity.recovery_address (identity_id)`.execute(db)
      await sql`
        create table identity.session (
          id uuid primary key,
          identity_id uuid not null references identity.identity on delete cascade,
          token_hash bytea not null unique,
          active boolean not null,
          aal text not null check (aal in ('aal1', 'aal2')),
          authentication_methods json not null,
          devices json not null,
          issued_at timestamptz not null,
          authenticated_at timestamptz not null,
          expires_at timestamptz not null
        )`.execute(db)
      // Lists and revocations of one identity's sessions; the sweep of old ones.
      await sql`create index on identity.session (identity_id, issued_at desc)`.execute(db)
      await sql`create index on identity.session (expires_at)`.execute(db)
      await sql`
        create table identity.flow (
          id uuid primary key,
          kind text not null check (kind in ('login', 'registration', 'settings', 'verification', 'recovery')),
          state text not null,
          active text,
          request_url text not null,
          return_to text,
          identity_id uuid references identity.identity on delete cascade,
          csrf_token text not null,
          ui json not null,
          memory json not null,
          tries integer not null default 0,
          issued_at timestamptz not null,
          expires_at timestamptz not null,
          created_at timestamptz not null,
          updated_at timestamptz not null
        )`.execute(db)
      await sql`create index on identity.flow (expires_at)`.execute(db)
      await sql`create index on identity.flow (identity_id) where identity_id is not null`.execute(db)
      await sql`
        create table identity.code (
          id uuid primary key,
          flow_id uuid not null references identity.flow on delete cascade,
          identity_id uuid references identity.identity on delete cascade,
          address text not null,
          code_hash bytea not null,
          expires_at timestamptz not null,
          used_at timestamptz,
          created_at timestamptz not null
        )`.execute(db)
      await sql`create index on identity.code (flow_id)`.execute(db)
      await sql`create index on identity.code (identity_id) where identity_id is not null`.execute(db)
      await sql`
        create table identity.mail (
          id uuid primary key,
          recipient text not null,
          subject text not null,
          text text not null,
          html text not null,
          status text not null check (status in ('queued', 'sent', 'failed', 'void')),
          attempts integer not null default 0,
          next_at timestamptz not null,
          expires_at timestamptz not null,
          created_at timestamptz not null
        )`.execute(db)
      // What the courier takes next.
      await sql`create index on identity.mail (next_at) where status = 'queued'`.execute(db)
      await sql`
        create table identity.throttle (
          key text primary key,
          used integer not null,
          resets_at timestamptz not null
        )`.execute(db)
      await sql`
        create table identity.flow_error (
          id uuid primary key,
          error json not null,
          created_at timestamptz not null
        )`.execute(db)
      await sql`
        create table identity.continuity (
          token_hash bytea primary key,
          flow_id uuid not null references identity.flow on delete cascade,
          identity_id uuid not null references identity.identity on delete cascade,
          sealed bytea not null,
          expires_at timestamptz not null
        )`.execute(db)
    },
  },
]
