import { type Kysely, sql } from 'kysely'

/** What remains of deleted accounts, and short ways to what people type two or three letters of. */
export const name = '0014-trail-and-search'
export async function up(db: Kysely<unknown>): Promise<void> {
  await deletions(db)
  await addresses(db)
  await software(db)
}

/** An account's trail goes with the account; that it was deleted, when and by whom, must stay. */
async function deletions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deletion (
      id uuid primary key,
      at timestamptz not null default now(),
      -- Who runs the installation, as the system names them.
      operator text not null,
      action text not null,
      -- Ids that name nothing any more: they say whom it was about to somebody who holds a copy from before.
      former_account uuid,
      former_identity text,
      -- Counts, and never what was counted.
      detail jsonb not null default '{}'
    )`.execute(db)
  // Append only, even for whoever owns the tables.
  await sql`
    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'what stands in % is never changed', tg_table_name;
    end $$`.execute(db)
  await sql`
    create trigger deletion_stays before update or delete on deletion
    for each row execute function refuse_change()`.execute(db)
}

/**
 * The beginning of an address may be that of a third of all hosts: an ordered index gives the first of
 * them without looking at the others. As with `hosts_found`, row-level security would keep it from being used.
 */
async function addresses(db: Kysely<unknown>): Promise<void> {
  await sql`create index host_by_address_text on host (account_id, address text_pattern_ops)`.execute(db)
  await sql`
    create function hosts_at(beginning text, most integer) returns setof uuid
    language sql stable security definer set search_path = public rows 10 as $$
      select id from host
      where account_id = nullif(current_setting('glacis.account', true), '')::uuid
        -- An address is made of digits, letters, dots and colons; all of them stand before a tilde.
        and address ~>=~ beginning and address ~<~ (beginning || '~')
      order by address using ~<~
      limit most
    $$`.execute(db)
  // Where a function is thought to find a thousand, all hosts are read to join them.
  await sql`alter function hosts_found(tsquery, integer) rows 10`.execute(db)
  await sql`revoke execute on function hosts_at from public`.execute(db)
  await sql`grant execute on function hosts_at to glacis_app`.execute(db)
}

/** Two letters are in every second name: reading in the order of the answer soon has enough of them. */
async function software(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index software_by_weight
      on software (threats desc, octet_length(title), vendor collate "C", product collate "C")`.execute(db)
  // What is named exactly comes before that.
  await sql`create index software_product on software (product)`.execute(db)
  await sql`create index software_title on software (lower(title))`.execute(db)
}
