/** Links between identities and provider accounts. */
import { z } from 'zod'
import { deleteCredential, lockCredential, readCredential, writeCredential } from '#method/credential.ts'
import type { Database } from '#store.ts'

const Link = z.object({ provider: z.string(), subject: z.string() })
type Link = z.infer<typeof Link>
const Config = z.object({ links: z.array(Link) })

/** An identity's links, oldest first. */
export async function readLinks(db: Database, identityId: string): Promise<readonly Link[]> {
  return parseLinks(await readCredential(db, identityId, 'oidc'))
}

/** Returns the ID of the identity with this link. */
export async function findLinkOwner(db: Database, link: Link): Promise<string | null> {
  const row = await db
    .selectFrom('identity.credential_identifier')
    .select('identity_id')
    .where('type', '=', 'oidc')
    .where('identifier', '=', identifierOf(link))
    .executeTakeFirst()
  return row?.identity_id ?? null
}

/** Adds a link in the caller's transaction. Returns false if an identity already has it. */
export async function addLink(tx: Database, identityId: string, link: Link, now: Date): Promise<boolean> {
  const links = parseLinks(await lockCredential(tx, identityId, 'oidc'))
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

/** Deletes an identity's links to a provider in the caller's transaction. */
export async function deleteLinks(tx: Database, identityId: string, provider: string, now: Date): Promise<void> {
  const links = parseLinks(await lockCredential(tx, identityId, 'oidc'))
  for (const link of links.filter((link) => link.provider === provider)) {
    await tx
      .deleteFrom('identity.credential_identifier')
      .where('identity_id', '=', identityId)
      .where('type', '=', 'oidc')
      .where('identifier', '=', identifierOf(link))
      .execute()
  }
  const remaining = links.filter((link) => link.provider !== provider)
  if (remaining.length === 0) await deleteCredential(tx, identityId, 'oidc')
  else await writeCredential(tx, identityId, 'oidc', { links: remaining }, now)
}

function parseLinks(config: unknown): Link[] {
  return config === undefined ? [] : Config.parse(config).links
}

function identifierOf({ provider, subject }: Link): string {
  return `${provider}:${subject}`
}
