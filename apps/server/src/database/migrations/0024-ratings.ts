import { type Kysely, sql } from 'kysely'

/**
 * When the severity of an issue changed, so that charts count it on each day by what it was then; and software of
 * targets that were deleted runs nowhere any more.
 */
export const name = '0024-ratings'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table issue_rating (
      account_id uuid not null,
      issue_id uuid not null,
      id uuid not null,
      at timestamptz not null,
      before text not null,
      after text not null,
      primary key (account_id, issue_id, id),
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('issue_rating', 'select, insert')`.execute(db)
  await uncountDeleted(db)
}

/** Takes hosts of targets that were deleted before off what is counted of products. */
export async function uncountDeleted(db: Kysely<unknown>): Promise<void> {
  await sql`
    update product set hosts = product.hosts - gone.hosts
    from (
      select host_product.account_id, product_id, count(distinct host_id)::int as hosts
      from host_product
      join host on host.account_id = host_product.account_id and host.id = host_product.host_id
      join target on target.account_id = host.account_id and target.id = host.target_id
      where host_product.gone_at is null and target.deleted_at is not null
      group by host_product.account_id, product_id
    ) as gone
    where product.account_id = gone.account_id and product.id = gone.product_id`.execute(db)
}
