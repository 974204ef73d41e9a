-- Accounts become workspaces with several members. Ids and the tenant column account_id stay.
alter table account rename to workspace;

create table member (
  account_id uuid not null references workspace (id) on delete cascade,
  identity_id text not null,
  role text not null check (role in ('owner', 'admin', 'analyst', 'viewer', 'auditor')),
  name text not null,
  email text not null,
  joined_at timestamptz not null default now(),
  -- Hourly precision. A person's default workspace is the one used last.
  last_used_at timestamptz,
  -- Former members keep their row: history names them, and their pages can say that they were removed.
  left_at timestamptz,
  primary key (account_id, identity_id)
);
-- The workspaces of a person, with every request.
create index member_identity on member (identity_id);
select enable_tenancy('member', 'select, insert, update');

insert into member (account_id, identity_id, role, name, email, joined_at, last_used_at)
select id, identity_id, 'owner', name, email, created_at, updated_at from workspace;

create table invitation (
  account_id uuid not null references workspace (id) on delete cascade,
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'analyst', 'viewer', 'auditor')),
  invited_by text not null,
  -- Number of emails sent. The link contains it, so a new email invalidates the previous link.
  mails integer not null default 1,
  created_at timestamptz not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (account_id, id)
);
create unique index invitation_pending on invitation (account_id, lower(email))
  where accepted_at is null and revoked_at is null;
-- The invitations of a person who signs in for the first time.
create index invitation_email on invitation (lower(email)) where accepted_at is null and revoked_at is null;
-- The link of an invitation.
create index invitation_id on invitation (id);
select enable_tenancy('invitation', 'select, insert, update');

create table email_domain (
  account_id uuid not null references workspace (id) on delete cascade,
  id uuid not null,
  domain text not null,
  role text not null check (role in ('analyst', 'viewer', 'auditor')),
  -- Published in DNS to prove the domain, so it is no secret.
  proof text not null,
  created_at timestamptz not null,
  verified_at timestamptz,
  primary key (account_id, id),
  unique (account_id, domain)
);
-- The workspaces that a person may join.
create index email_domain_verified on email_domain (domain) where verified_at is not null;
select enable_tenancy('email_domain', 'select, insert, update, delete');

alter table audit_event
  add column actor_id text,
  add column user_agent text not null default '';

alter table api_token
  add column role text not null default 'owner' check (role in ('owner', 'admin', 'analyst', 'viewer', 'auditor')),
  add column created_by_id text,
  add column allowed_networks text[] not null default '{}';
update api_token set created_by_id = workspace.identity_id from workspace where workspace.id = api_token.account_id;
alter table api_token
  alter column role drop default,
  alter column created_by_id set not null;

-- A private view belongs to the member who saved it.
alter table saved_view add column owner_id text;
update saved_view set owner_id = workspace.identity_id from workspace where workspace.id = saved_view.account_id;
alter table saved_view alter column owner_id set not null;
drop index saved_view_name;
create unique index saved_view_name on saved_view
  (account_id, page, lower(name), (case when shared then '' else owner_id end));

alter table issue_comment
  add column actor_id text,
  -- Identity ids of members.
  add column mentions text[] not null default '{}';

alter table workspace
  drop column identity_id,
  drop column email,
  -- Days; null for the installation's setting.
  add column history_days integer check (history_days > 0),
  add column evidence_days integer check (evidence_days > 0),
  add column audit_days integer check (audit_days > 0),
  -- When the workspace is deleted, after a grace period.
  add column deletes_at timestamptz;
grant update (name, time_zone, history_days, evidence_days, audit_days, deletes_at) on workspace to glacis_app;
