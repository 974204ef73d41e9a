import { type Kysely, sql } from 'kysely'

export const name = '0004-inventory'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host (
      account_id uuid not null,
      id uuid not null,
      target_id uuid not null,
      address text not null,
      name text not null default '',
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      last_checked_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, id),
      unique (account_id, target_id, address),
      foreign key (account_id, target_id) references target (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('host', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table service (
      account_id uuid not null,
      host_id uuid not null,
      port integer not null check (port between 1 and 65535),
      transport text not null check (transport in ('tcp', 'udp')),
      protocol text not null,
      tls boolean not null,
      banner text not null,
      product text not null default '',
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      gone_at timestamptz,
      primary key (account_id, host_id, port, transport),
      foreign key (account_id, host_id) references host (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('service', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table product (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      -- The well-formed name bound as a formatted string.
      key text not null,
      name text not null,
      version text not null,
      part text not null,
      vendor text not null,
      product text not null,
      wfn jsonb not null,
      min_notification_severity numeric(3, 1) not null default 7,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, id),
      unique (account_id, key)
    )`.execute(db)
  // Which accounts run what a new threat is about.
  await sql`create index product_name on product (vendor, product)`.execute(db)
  await sql`select fence('product', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table host_product (
      account_id uuid not null,
      host_id uuid not null,
      product_id uuid not null,
      port integer not null,
      revision text not null default '',
      evidence text not null,
      quality smallint not null check (quality between 0 and 100),
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      gone_at timestamptz,
      primary key (account_id, host_id, product_id, port),
      foreign key (account_id, host_id) references host (account_id, id) on delete cascade,
      foreign key (account_id, product_id) references product (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index host_product_product on host_product (account_id, product_id)`.execute(db)
  await sql`select fence('host_product', 'select, insert, update, delete')`.execute(db)
}
