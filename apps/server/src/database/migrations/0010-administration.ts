import { type Kysely, sql } from 'kysely'

/** Administrators of the installation, and the networks from which users can sign in. */
export async function addAdministration(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table installation_admin (
      identity_id text primary key,
      granted_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    alter table installation
      -- Set with the first account; later accounts don't become administrators on their own.
      add column has_first_admin boolean not null default false,
      add column sign_in_networks text[] not null default '{}'`.execute(db)
  await sql`alter table workspace add column sign_in_networks text[] not null default '{}'`.execute(db)
  await sql`grant update (sign_in_networks) on workspace to glacis_app`.execute(db)
  await sql`
    insert into installation_admin (identity_id)
    select identity_id from member where role = 'owner' and left_at is null
    order by joined_at, account_id limit 1`.execute(db)
  await sql`
    update installation set has_first_admin = true where exists (select from installation_admin)`.execute(db)
}
