import { type Kysely, sql } from 'kysely'

/**
 * Keys that contain the workspace, so that tables can be distributed by it. Digests are SHA-256 of random secrets, so they
 * are unique without a constraint; the indexes serve lookups by secret.
 */
export async function makeKeysDistributable(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agent_key drop constraint agent_key_pkey, add primary key (account_id, digest)`.execute(db)
  await sql`create index agent_key_digest on agent_key (digest)`.execute(db)
  await sql`alter table api_token drop constraint api_token_digest_key`.execute(db)
  await sql`create index api_token_digest on api_token (digest)`.execute(db)
  await sql`alter table provisioning_token drop constraint provisioning_token_digest_key`.execute(db)
  await sql`create index provisioning_token_digest on provisioning_token (digest)`.execute(db)
}
