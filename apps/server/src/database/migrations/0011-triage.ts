import { type Kysely, sql } from 'kysely'

export const name = '0011-triage'
export async function up(db: Kysely<unknown>): Promise<void> {
  await terms(db)
  await orders(db)
  await comments(db)
  await retests(db)
  await views(db)
  await words(db)
}

/** On which terms something is ignored: of each occurrence, and rolled up to its issue. */
async function terms(db: Kysely<unknown>): Promise<void> {
  for (const table of ['occurrence', 'issue']) {
    await sql`
      alter table ${sql.table(table)}
        add column ignore_reason text not null default ''
          check (ignore_reason in ('', 'REASON_ACCEPTED_RISK', 'REASON_FALSE_POSITIVE', 'REASON_MITIGATED')),
        add column ignore_comment text not null default '',
        add column ignored_by text not null default ''`.execute(db)
  }
  await sql`alter table occurrence add column ignore_until timestamptz`.execute(db)
  await sql`
    update occurrence set ignore_until = issue.ignore_until
    from issue
    where issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
      and issue.ignore_until is not null and occurrence.status = 'STATUS_IGNORED'`.execute(db)
  await sql`drop index issue_ignore_until`.execute(db)
  // The sweep that reopens what was ignored until a date, over all accounts.
  await sql`
    create index occurrence_ignore_until on occurrence (ignore_until) where ignore_until is not null`.execute(db)
}

/** What lists are ordered and searched by, copied from the threat whenever an issue is rolled up. */
async function orders(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table issue
      add column epss real not null default 0,
      -- Name and key of the threat in lower case.
      add column title text not null default '',
      add column assignee_id text,
      add column due_at timestamptz`.execute(db)
  await sql`
    update issue set epss = coalesce(threat.epss_score, 0), title = lower(threat.name || ' ' || threat.key)
    from threat where threat.id = issue.threat_id`.execute(db)
  // The other orders of the risk list, each within one verification.
  await sql`create index issue_by_epss on issue (account_id, verification, epss desc, id desc)`.execute(db)
  await sql`create index issue_by_hosts on issue (account_id, verification, host_count desc, id desc)`.execute(db)
  await sql`create index issue_by_age on issue (account_id, verification, first_seen_at, id)`.execute(db)
}

async function comments(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table issue_comment (
      account_id uuid not null,
      id uuid not null,
      issue_id uuid not null,
      text text not null check (char_length(text) between 1 and 4000),
      actor text not null,
      created_at timestamptz not null,
      primary key (account_id, id),
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index issue_comment_of_issue on issue_comment (account_id, issue_id, id desc)`.execute(db)
  await sql`select fence('issue_comment', 'select, insert, delete')`.execute(db)
}

/** A scan that checks one issue again runs its checks alone and decides nothing else. */
async function retests(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table scan
      add column retest_of uuid,
      -- Checks that prove the issue, 'version' among them where a version suggests it.
      add column checks text[]`.execute(db)
}

async function views(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table saved_view (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      name text not null check (char_length(name) between 1 and 40),
      page text not null,
      query text not null,
      shared boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, id)
    )`.execute(db)
  await sql`create unique index saved_view_name on saved_view (account_id, page, lower(name))`.execute(db)
  await sql`select fence('saved_view', 'select, insert, update, delete')`.execute(db)
}

/**
 * Hosts by the beginnings of their words. The account is one of the words, so that an account's
 * search reads its own entries alone. Operators on words are not leakproof, so row-level security
 * would keep the index from being used: the function looks past it and asks for the account itself.
 */
async function words(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function host_words(account uuid, address text, name text) returns tsvector language sql immutable as $$
      select array_to_tsvector(array(
        select distinct left(word, 200) from unnest(
          array[account::text, lower(address), lower(name)] ||
          regexp_split_to_array(lower(address || ' ' || name), '[^[:alnum:]]+')) as word
        where word <> ''))
    $$`.execute(db)
  await sql`create index host_search on host using gin (host_words(account_id, address, name)) with (fastupdate = off)`.execute(
    db,
  )
  await sql`
    create function hosts_found(wanted tsquery, most integer) returns setof uuid
    language sql stable security definer set search_path = public as $$
      select id from host
      where host_words(account_id, address, name) @@ (current_setting('glacis.account', true)::tsquery && wanted)
        and account_id = nullif(current_setting('glacis.account', true), '')::uuid
      limit most
    $$`.execute(db)
  await sql`revoke execute on function hosts_found from public`.execute(db)
  await sql`grant execute on function hosts_found to glacis_app`.execute(db)
}
