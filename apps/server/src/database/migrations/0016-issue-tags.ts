import { type Kysely, sql } from 'kysely'

/** Issues carry the tags of the account too. */
export const name = '0016-issue-tags'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table issue_tag (
      account_id uuid not null,
      issue_id uuid not null,
      tag_id uuid not null,
      primary key (account_id, issue_id, tag_id),
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade,
      foreign key (account_id, tag_id) references tag (account_id, id) on delete cascade
    )`.execute(db)
  // The issues that a tag is on: what the filter by tags asks, and what goes with a tag.
  await sql`create index issue_tag_of_tag on issue_tag (account_id, tag_id, issue_id)`.execute(db)
  await sql`select fence('issue_tag', 'select, insert, delete')`.execute(db)
}
