import { type Kysely, sql } from 'kysely'

/** Sign-ins with the provider of a workspace, for sessions of an external identity service. */
export async function createProviderSessions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table provider_subject (
      account_id uuid not null references workspace (id) on delete cascade,
      issuer text not null,
      -- Unique per issuer: OpenID Connect Core 1.0, section 2.
      subject text not null,
      identity_id text not null,
      linked_at timestamptz not null,
      primary key (account_id, issuer, subject)
    )`.execute(db)
  await sql`
    create table provider_session (
      -- Removing the provider ends the sign-ins.
      account_id uuid not null references sign_in_provider (account_id) on delete cascade,
      session_id text not null,
      identity_id text not null,
      subject text not null,
      groups jsonb not null,
      signed_in_at timestamptz not null,
      used_at timestamptz not null,
      primary key (account_id, session_id)
    )`.execute(db)
  for (const table of ['provider_subject', 'provider_session'])
    await sql`select enable_tenancy(${table}, 'select, insert, update, delete')`.execute(db)
  // Deletes the expired.
  await sql`create index provider_session_age on provider_session (signed_in_at)`.execute(db)
}
