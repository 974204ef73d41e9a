-- Members that an identity provider manages with SCIM 2.0 (RFC 7643, RFC 7644).
create table provisioning_token (
  account_id uuid not null references workspace (id) on delete cascade,
  id uuid not null,
  name text not null,
  prefix text not null,
  -- SHA-256 of the token, which has 256 random bits.
  digest bytea not null unique,
  created_by text not null,
  created_by_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  primary key (account_id, id)
);
select enable_tenancy('provisioning_token', 'select, insert, delete');

-- Absent until someone changes a default.
create table provisioning (
  account_id uuid primary key references workspace (id) on delete cascade,
  default_role text not null default 'viewer' check (default_role in ('admin', 'analyst', 'viewer', 'auditor')),
  group_roles jsonb not null default '[]'
);
select enable_tenancy('provisioning', 'select, insert, update');

create table provisioned_user (
  account_id uuid not null references workspace (id) on delete cascade,
  id uuid not null,
  user_name text not null,
  external_id text,
  -- The address that the person must have verified; null if the provider sent none.
  email text,
  -- name, displayName, and emails, as the provider sent them.
  attributes jsonb not null,
  is_active boolean not null,
  -- From the groups; the role of the membership may have been changed since.
  role text not null check (role in ('admin', 'analyst', 'viewer', 'auditor')),
  -- Null until someone signs in with the address.
  identity_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, identity_id)
);
create unique index provisioned_user_name on provisioned_user (account_id, lower(user_name));
create index provisioned_user_external_id on provisioned_user (account_id, external_id);
-- The memberships that wait for a person who signs in.
create index provisioned_user_pending on provisioned_user (lower(email)) where identity_id is null and is_active;
select enable_tenancy('provisioned_user', 'select, insert, update, delete');

create table provisioned_group (
  account_id uuid not null references workspace (id) on delete cascade,
  id uuid not null,
  name text not null,
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create index provisioned_group_external_id on provisioned_group (account_id, external_id);
select enable_tenancy('provisioned_group', 'select, insert, update, delete');

create table provisioned_group_user (
  account_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  primary key (account_id, group_id, user_id),
  foreign key (account_id, group_id) references provisioned_group (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references provisioned_user (account_id, id) on delete cascade
);
-- The groups of a user.
create index provisioned_group_user_user on provisioned_group_user (account_id, user_id);
select enable_tenancy('provisioned_group_user', 'select, insert, delete');
