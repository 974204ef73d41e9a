import { type Kysely, sql } from 'kysely'

/** What a record says of each of its products: whoever asks for one need not read the hundreds of others. */
export const name = '0018-packed-criteria'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table threat_product
      -- As the matcher packs it; null where that was not yet done, and then the whole record is read.
      add column criteria text`.execute(db)
}
