import { type Kysely, sql } from 'kysely'

/** The OpenID Connect provider of a workspace. */
export async function createSignInProvider(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_provider (
      account_id uuid primary key references workspace (id) on delete cascade,
      label text not null,
      issuer text not null,
      client_id text not null,
      -- Encrypted; null for a public client.
      client_secret bytea,
      groups_claim text not null,
      group_roles jsonb not null,
      default_role text check (default_role in ('admin', 'analyst', 'viewer', 'auditor')),
      is_required boolean not null,
      updated_at timestamptz not null
    )`.execute(db)
  await sql`select enable_tenancy('sign_in_provider', 'select, insert, update, delete')`.execute(db)
}
