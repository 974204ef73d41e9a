/** End-of-life dates of the software in the inventory. */
import type { EndOfLife } from '@glacis/contract/product'
import { cycleOf } from '@glacis/intelligence'
import type { Tables } from '#database/tables.ts'
import { splitProductKey } from '#inventory/product-key.ts'
import { type Kysely, sql } from 'kysely'
import type { z } from 'zod'

interface Version {
  readonly subject: string
  readonly version: string
}

/**
 * Updates products from the known lifecycles: for all workspaces, or for one workspace inside its transaction.
 * Idempotent.
 *
 * @param subjects restricts the update to products with these canonical `vendor:product` keys
 */
export async function refreshEndOfLife(db: Kysely<Tables>, subjects?: readonly string[]): Promise<void> {
  await forgetEndOfLife(db, subjects)
  const pairs = subjects?.map(splitProductKey)
  const { rows: cycles } = await sql<{
    subject: string
    cycle: string
    ends_on: string | null
    is_over: boolean
    latest: string
  }>`
    select vendor || ':' || product as subject, cycle, ends_on, is_over, latest from release_cycle
    where ${pairs ? sql`(vendor, product) in (select * from unnest(${pairs.map((item) => item.vendor)}::text[], ${pairs.map((item) => item.product)}::text[]))` : sql`true`}`.execute(
    db,
  )
  if (cycles.length === 0) return
  const bySubject = Map.groupBy(cycles, (cycle) => cycle.subject)
  const { rows: versions } = await sql<Version>`
    select distinct subject, wfn ->> 'version' as version from product
    where subject = any(${[...bySubject.keys()]}::text[])`.execute(db)
  const ends = versions.map((item) => ({ ...item, cycle: cycleOf(item.version, bySubject.get(item.subject) ?? []) }))
  await sql`
    update product set end_on = ends.ends_on, is_over = ends.is_over, is_end_known = ends.is_known, latest = ends.latest
    from unnest(
      ${ends.map((item) => item.subject)}::text[], ${ends.map((item) => item.version)}::text[],
      ${ends.map((item) => item.cycle?.ends_on ?? null)}::date[], ${ends.map((item) => item.cycle?.is_over ?? false)}::boolean[],
      ${ends.map((item) => item.cycle !== undefined)}::boolean[], ${ends.map((item) => item.cycle?.latest ?? '')}::text[]
    ) as ends (subject, version, ends_on, is_over, is_known, latest)
    where product.subject = ends.subject and product.wfn ->> 'version' = ends.version
      and (product.end_on, product.is_over, product.is_end_known, product.latest)
        is distinct from (ends.ends_on, ends.is_over, ends.is_known, ends.latest)`.execute(db)
}

/** Clears the end of life of products whose lifecycle is no longer published. */
async function forgetEndOfLife(db: Kysely<Tables>, subjects?: readonly string[]): Promise<void> {
  await sql`
    update product set end_on = null, is_over = false, is_end_known = false, latest = ''
    where is_end_known and ${subjects ? sql`subject = any(${subjects}::text[])` : sql`true`}
      and not exists (select from release_cycle where vendor || ':' || release_cycle.product = subject)`.execute(db)
}

/** Support counts as ending soon this many days before it ends. */
export const soonDays = 90

/** Maps the end of life to its API representation; null if unknown. */
export function endOfLife(
  row: { end_on: string | null; is_over: boolean; is_end_known: boolean; latest: string },
  now: Date,
): z.infer<typeof EndOfLife> | null {
  if (!row.is_end_known) return null
  return { date: row.end_on, state: stateOf(row, now), ...(row.latest && { latestVersion: row.latest }) }
}

function stateOf(row: { end_on: string | null; is_over: boolean }, now: Date): z.infer<typeof EndOfLife>['state'] {
  if (row.is_over) return 'STATE_PAST'
  if (row.end_on === null) return 'STATE_SUPPORTED'
  const days = (Date.parse(`${row.end_on}T00:00:00Z`) - now.getTime()) / 86_400_000
  if (days < 0) return 'STATE_PAST'
  return days < soonDays ? 'STATE_SOON' : 'STATE_SUPPORTED'
}
