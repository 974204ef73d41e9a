/** Migrations of the `identity` schema for Kysely's `Migrator`. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Forward-only. Never edit a released migration. */
export const migrations: Readonly<Record<string, Migration>> = {
  'identity-0001-baseline': { up: baseline },
  'identity-0002-session-use': { up: addSessionUse },
}

async function addSessionUse(db: Kysely<unknown>): Promise<void> {
  // Existing sessions count as used now, so that an upgrade signs no one out.
  await sql`alter table identity.session add column used_at timestamptz not null default now()`.execute(db)
}

async function baseline(db: Kysely<unknown>): Promise<void> {
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
  // For address changes and cascading deletes.
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
  // Every whoami request reads the addresses of one identity.
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
  // For listing and revoking an identity's sessions, and for the cleanup.
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
      expires_at timestamptz not null,
      created_at timestamptz not null
    )`.execute(db)
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
}
