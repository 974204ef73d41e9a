import { type Kysely, sql } from 'kysely'

/** Inventories that agents report about their machines, and the packages named by distribution fixes. */
export async function createAgentInventory(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agent add column has_inventory boolean not null default false`.execute(db)
  await sql`
    create table agent_inventory (
      account_id uuid not null,
      agent_id uuid not null,
      digest text not null,
      -- False until all parts have been received.
      is_complete boolean not null,
      -- For display, such as 'Debian GNU/Linux 12 (bookworm)'.
      system text not null,
      -- As in distribution_fix, such as 'debian:12'; empty if no advisories are read for the system.
      release text not null,
      kernel text not null,
      addresses text[] not null,
      received_at timestamptz not null,
      primary key (account_id, agent_id),
      foreign key (account_id, agent_id) references agent (account_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create table agent_package (
      account_id uuid not null,
      agent_id uuid not null,
      manager text not null check (manager in ('dpkg', 'rpm', 'apk')),
      name text not null,
      version text not null,
      architecture text not null,
      source text not null,
      source_version text not null,
      -- CVEs that a newer version fixes, with that version.
      threats jsonb not null default '[]',
      -- The highest score of these threats.
      score numeric(3, 1) not null default 0,
      primary key (account_id, agent_id, manager, name, architecture, version),
      foreign key (account_id, agent_id) references agent_inventory (account_id, agent_id) on delete cascade
    )`.execute(db)
  // Find the workspaces with a package that an advisory names.
  await sql`create index agent_package_source on agent_package (source)`.execute(db)
  await sql`create index agent_package_name on agent_package (name) where manager = 'rpm'`.execute(db)
  await sql`
    create table agent_socket (
      account_id uuid not null,
      agent_id uuid not null,
      transport text not null check (transport in ('tcp', 'udp')),
      address text not null,
      port integer not null check (port between 1 and 65535),
      -- Empty if the agent may not see the process.
      process text not null,
      primary key (account_id, agent_id, transport, address, port, process),
      foreign key (account_id, agent_id) references agent_inventory (account_id, agent_id) on delete cascade
    )`.execute(db)
  await sql`
    create table agent_container (
      account_id uuid not null,
      agent_id uuid not null,
      container_id text not null,
      name text not null,
      image text not null,
      image_id text not null,
      -- Ports published on the machine.
      ports integer[] not null,
      primary key (account_id, agent_id, container_id),
      foreign key (account_id, agent_id) references agent_inventory (account_id, agent_id) on delete cascade
    )`.execute(db)
  for (const table of ['agent_inventory', 'agent_package', 'agent_socket', 'agent_container'])
    await sql`select enable_tenancy(${table}, 'select, insert, update, delete')`.execute(db)
  // Finds what inventories no longer imply.
  await sql`
    create index occurrence_of_package on occurrence (account_id, host_id) where method = 'package'`.execute(db)

  await sql`alter table distribution_fix add column package text not null default ''`.execute(db)
  // Names of source packages are lowercase, identifiers of advisories are not.
  await sql`update distribution_fix set package = origin where origin !~ '[A-Z]'`.execute(db)
  await sql`
    alter table distribution_fix drop constraint distribution_fix_pkey,
      add primary key (key, package, release, origin, product)`.execute(db)
  // Finds the fixes of an inventory.
  await sql`create index distribution_fix_of_release on distribution_fix (release, package)`.execute(db)
  // Read again, because packages that scans can't detect were skipped.
  await sql`update pack set validators = '{}' where name = 'Debian security tracker'`.execute(db)
}
