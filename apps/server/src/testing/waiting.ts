/** What only shows when two do something at the same time. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { person, type TestServer } from '#testing/test-server.ts'

/** Resolves once a query in this database waits for a lock of another transaction. */
export async function somebodyWaits({ database }: TestServer): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.owner)
    return rows.length
  }
  await expect.poll(waiting, { timeout: 10_000, interval: 20 }).toBeGreaterThan(0)
}

/**
 * Somebody adds something, and before that is committed somebody else of the account adds another.
 *
 * @returns what became of the second
 */
export async function addBeside(
  server: TestServer,
  account: string,
  add: (ctx: Ctx) => Promise<unknown>,
): Promise<PromiseSettledResult<unknown> | undefined> {
  const { promise: added, resolve: tell } = Promise.withResolvers<void>()
  const second = Promise.allSettled([added.then(() => server.as(account, add, { actor: person }))])
  await server.as(
    account,
    async (ctx) => {
      await add(ctx)
      tell()
      await Promise.race([second, somebodyWaits(server)])
    },
    { actor: person },
  )
  return (await second)[0]
}
