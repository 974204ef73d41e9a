/** Helpers for tests of concurrent transactions. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { person, type TestServer } from '#testing/test-server.ts'

/** Resolves once this many queries in this database wait for a lock of another transaction. */
export async function untilLockWait({ database }: TestServer, count = 1): Promise<void> {
  const blockedQueries = async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.owner)
    return rows.length
  }
  await expect.poll(blockedQueries, { timeout: 10_000, interval: 20 }).toBeGreaterThanOrEqual(count)
}

/**
 * Adds an item, and concurrently another one in the same workspace before the first is committed.
 *
 * @returns the outcome of the second
 */
export async function addConcurrently(
  server: TestServer,
  workspace: string,
  add: (ctx: Ctx) => Promise<unknown>,
): Promise<PromiseSettledResult<unknown> | undefined> {
  const { promise: added, resolve: markAdded } = Promise.withResolvers<void>()
  const second = Promise.allSettled([added.then(() => server.as(workspace, add, { actor: person }))])
  await server.as(
    workspace,
    async (ctx) => {
      await add(ctx)
      markAdded()
      await Promise.race([second, untilLockWait(server)])
    },
    { actor: person },
  )
  return (await second)[0]
}
