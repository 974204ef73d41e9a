/** What only shows when two do something at the same time. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { House } from '#testing/house.ts'

/** Resolves once somebody in this house waits for a lock that another transaction holds. */
export async function somebodyWaits({ database }: House): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.owner)
    return rows.length
  }
  await expect.poll(waiting, { timeout: 10_000, interval: 20 }).toBeGreaterThan(0)
}
