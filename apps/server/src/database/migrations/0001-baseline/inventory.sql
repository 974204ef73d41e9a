create table host (
  account_id uuid not null,
  id uuid not null,
  target_id uuid not null,
  address text not null,
  name text not null default '',
  owner text not null default '',
  criticality text not null default 'CRITICALITY_NORMAL'
    check (criticality in ('CRITICALITY_LOW', 'CRITICALITY_NORMAL', 'CRITICALITY_HIGH')),
  notes text not null default '',
  -- The host that this one was merged into: the same machine at another address.
  merged_into uuid,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  last_checked_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, target_id, address),
  foreign key (account_id, target_id) references target (account_id, id) on delete cascade,
  foreign key (account_id, merged_into) references host (account_id, id) on delete set null (merged_into)
);
-- Sort orders of the host list.
create index host_by_address on host (account_id, (address::inet), id);
create index host_by_check on host (account_id, last_checked_at, id);
create index host_by_first_seen on host (account_id, first_seen_at, id);
create index host_merged on host (account_id, merged_into) where merged_into is not null;
-- Counts the hosts of a target.
create index host_of_target_whole on host (account_id, target_id) where merged_into is null;
-- Whether an issue is reachable from the internet, and whether it is on hosts of low or high criticality.
create index host_outside on host (account_id, id)
  where not (address::inet <<= any ('{10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,fc00::/7,fe80::/10}'::inet[]));
create index host_weighed on host (account_id, id) include (criticality) where criticality <> 'CRITICALITY_NORMAL';
select enable_tenancy('host', 'select, insert, update, delete');

-- Full-text search for hosts by word prefixes. The account is one of the words, so that a search reads only the
-- account's entries. Text search operators aren't leakproof, so row-level security would prevent the use of the
-- index: the function bypasses it and filters by account itself.
create function host_words(account uuid, address text, name text) returns tsvector language sql immutable as $$
  select array_to_tsvector(array(
    select distinct left(word, 200) from unnest(
      array[account::text, lower(address), lower(name)] ||
      regexp_split_to_array(lower(address || ' ' || name), '[^[:alnum:]]+')) as word
    where word <> ''))
$$;
create index host_search on host using gin (host_words(account_id, address, name)) with (fastupdate = off);
-- `rows 10`: with the default estimate of a thousand rows, the planner reads all hosts to join them.
create function hosts_found(wanted tsquery, most integer) returns setof uuid
language sql stable security definer set search_path = public rows 10 as $$
  select id from host
  where host_words(account_id, address, name) @@ (current_setting('glacis.account', true)::tsquery && wanted)
    and account_id = nullif(current_setting('glacis.account', true), '')::uuid
  limit most
$$;

-- An address prefix can match a third of all hosts: an ordered index returns the first matches without reading the
-- others. As above, row-level security would prevent its use.
create index host_by_address_text on host (account_id, address text_pattern_ops);
create function hosts_at(beginning text, most integer) returns setof uuid
language sql stable security definer set search_path = public rows 10 as $$
  select id from host
  where account_id = nullif(current_setting('glacis.account', true), '')::uuid
    -- Addresses consist of digits, letters, dots, and colons, which all sort before a tilde.
    and address ~>=~ beginning and address ~<~ (beginning || '~')
  order by address using ~<~
  limit most
$$;
revoke execute on function hosts_found, hosts_at from public;
grant execute on function hosts_found, hosts_at to glacis_app;

create table service (
  account_id uuid not null,
  host_id uuid not null,
  port integer not null check (port between 1 and 65535),
  transport text not null check (transport in ('tcp', 'udp')),
  protocol text not null,
  tls boolean not null,
  -- Null without TLS.
  certificate jsonb,
  banner text not null,
  product text not null default '',
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  gone_at timestamptz,
  primary key (account_id, host_id, port, transport),
  foreign key (account_id, host_id) references host (account_id, id) on delete cascade
);
-- Finds hosts by open port.
create index service_by_port on service (account_id, port, host_id) where gone_at is null;
select enable_tenancy('service', 'select, insert, update, delete');

create table product (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  -- The well-formed name as a CPE 2.3 formatted string.
  key text not null,
  -- Canonical vendor:product, because vendors rename themselves and feeds disagree.
  subject text not null default '',
  name text not null,
  version text not null,
  part text not null,
  vendor text not null,
  product text not null,
  wfn jsonb not null,
  watched boolean not null default false,
  min_notification_severity numeric(3, 1) not null default 7,
  -- End of support.
  end_on date,
  is_over boolean not null default false,
  is_end_known boolean not null default false,
  latest text not null default '',
  -- Number of hosts that run it now, excluding those of deleted targets.
  hosts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, key)
);
create index product_by_name on product (account_id, name, id);
-- Finds the accounts that run the software of a new threat.
create index product_name on product (vendor, product);
create index product_subject on product (subject);
select enable_tenancy('product', 'select, insert, update, delete');

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
);
create index host_product_product on host_product (account_id, product_id);
-- Finds the hosts that run a product now.
create index host_product_running on host_product (account_id, product_id, host_id) where gone_at is null;
select enable_tenancy('host_product', 'select, insert, update, delete');
