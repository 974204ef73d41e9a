/** A workspace with a million installations, for benchmarks. */
import { type Database, newId } from '#database/index.ts'
import { sql } from 'kysely'

const hosts = 20_000
/** Number of products; a host runs one in twenty of them. */
const products = 1000

/**
 * Creates the workspace.
 *
 * @returns its ID, and the canonical name of a product that one host in twenty runs
 */
export async function manyInstallations({ owner }: Database): Promise<{ workspace: string; subject: string }> {
  const account = newId()
  await owner.insertInto('workspace').values({ id: account, name: 'Bench' }).execute()
  await sql`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    values (${account}, new_id(), 'All', '10.0.0.0/8', 'NETWORK', 'PERIOD_WEEKLY', now(), now())`.execute(owner)
  await sql`
    insert into host (account_id, id, target_id, address, first_seen_at, last_seen_at, last_checked_at, updated_at)
    select account_id, new_id(), id, '10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, now(), now(), now(), now()
    from target, generate_series(1, ${hosts}::int) as n
    where account_id = ${account}`.execute(owner)
  await sql`
    insert into product (account_id, id, key, name, version, part, vendor, product, wfn, subject, created_at, updated_at)
    select ${account}, new_id(), 'cpe ' || n, 'Bench ' || n, '1.0', 'a', 'bench', 'bench_' || n,
           jsonb_build_object('part', 'a', 'vendor', 'bench', 'product', 'bench_' || n, 'version', '1.0', 'update', '',
             'edition', '', 'language', '', 'softwareEdition', '', 'targetSoftware', '', 'targetHardware', '',
             'other', '', 'text', 'cpe ' || n),
           'bench:bench_' || n, now(), now()
    from generate_series(1, ${products}::int) as n`.execute(owner)
  await sql`
    insert into host_product (account_id, host_id, product_id, port, evidence, quality, first_seen_at, last_seen_at)
    select ${account}, host.id, product.id, 80, 'seen', 80, now(), now()
    from (select id, row_number() over () as n from host where account_id = ${account}) as host
    join (select id, row_number() over () as m from product where account_id = ${account}) as product
      on (m + n) % 20 = 0`.execute(owner)
  await sql`analyze`.execute(owner)
  return { workspace: account, subject: 'bench:bench_7' }
}
