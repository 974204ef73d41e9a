/** Which account belongs to whom at a provider. */
import { z } from 'zod'
import { dropCredential, lockCredential, readCredential, writeCredential } from '#method/credential.ts'
import type { Database } from '#store.ts'

const Link = z.object({ provider: z.string(), subject: z.string() })
type Link = z.infer<typeof Link>
const Config = z.object({ links: z.array(Link) })

/** An account's links, oldest first. */
export async function readLinks(db: Database, identityId: string): Promise<readonly Link[]> {
  return linksIn(await readCredential(db, identityId, 'oidc'))
}

/** Whose account it is; null when nobody's. */
export async function ownerOfLink(db: Database, link: Link): Promise<string | null> {
  const row = await db
    .selectFrom('identity.credential_identifier')
    .select('identity_id')
    .where('type', '=', 'oidc')
    .where('identifier', '=', identifierOf(link))
    .executeTakeFirst()
  return row?.identity_id ?? null
}

/** Links an account, inside the caller's transaction; false when the link is some account's already. */
export async function addLink(tx: Database, identityId: string, link: Link, now: Date): Promise<boolean> {
  const links = linksIn(await lockCredential(tx, identityId, 'oidc'))
  const row = await tx
    .insertInto('identity.credential_identifier')
    .values({ type: 'oidc', identifier: identifierOf(link), identity_id: identityId })
    .onConflict((conflict) => conflict.columns(['type', 'identifier']).doNothing())
    .returning('identifier')
    .executeTakeFirst()
  if (!row) return false
  await writeCredential(tx, identityId, 'oidc', { links: [...links, link] }, now)
  return true
}

/** Forgets an account's links with a provider, inside the caller's transaction. */
export async function dropLinks(tx: Database, identityId: string, provider: string, now: Date): Promise<void> {
  const links = linksIn(await lockCredential(tx, identityId, 'oidc'))
  for (const link of links.filter((one) => one.provider === provider)) {
    await tx
      .deleteFrom('identity.credential_identifier')
      .where('identity_id', '=', identityId)
      .where('type', '=', 'oidc')
      .where('identifier', '=', identifierOf(link))
      .execute()
  }
  const kept = links.filter((one) => one.provider !== provider)
  if (kept.length === 0) await dropCredential(tx, identityId, 'oidc')
  else await writeCredential(tx, identityId, 'oidc', { links: kept }, now)
}

function linksIn(config: unknown): Link[] {
  return config === undefined ? [] : Config.parse(config).links
}

function identifierOf({ provider, subject }: Link): string {
  return `${provider}:${subject}`
}
