import { type Kysely, sql } from 'kysely'

/** On how many hosts software runs is told in every list of it, and was counted over all of them each time. */
export const name = '0021-running'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table product add column hosts integer not null default 0`.execute(db)
  await countHosts(db)
}

/** Counts anew on how many hosts each product runs; the inventory keeps it so. */
export async function countHosts(db: Kysely<unknown>): Promise<void> {
  await sql`
    update product set hosts = running.hosts
    from (
      select account_id, product_id, count(distinct host_id)::int as hosts from host_product
      where gone_at is null
      group by account_id, product_id
    ) as running
    where product.account_id = running.account_id and product.id = running.product_id`.execute(db)
}
