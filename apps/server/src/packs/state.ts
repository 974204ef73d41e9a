/** The state of a pack: its contents, age, errors, and the position of an interrupted import. */
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql, type Transaction } from 'kysely'

/** The position of an interrupted import. */
export interface Cursor {
  /** Digest of the complete content. */
  readonly digest: string
  /** Number of items written. */
  readonly items: number
}

export interface PackChange {
  readonly version?: string
  readonly records?: number
  readonly skipped?: number
  readonly state?: 'STATE_READY' | 'STATE_EMPTY' | 'STATE_FAILED'
  readonly problem?: string
  readonly progress?: string
  readonly cursor?: Cursor | null
  readonly validators?: Readonly<Record<string, string>>
  readonly failures?: number
  readonly checkedAt?: Date
  readonly nextAt?: Date | null
  /** The data changed, not only the status of the last check. */
  readonly hasNewData?: boolean
}

/** Updates the given fields and creates the pack if it doesn't exist. */
export async function updatePack(
  db: Kysely<Tables> | Transaction<Tables>,
  name: string,
  change: PackChange,
): Promise<void> {
  const { version, records, skipped, state, problem, progress, cursor, validators, failures, checkedAt, nextAt } =
    change
  const row = {
    ...(version !== undefined && { version }),
    ...(records !== undefined && { records }),
    ...(skipped !== undefined && { skipped }),
    ...(state !== undefined && { state }),
    ...(problem !== undefined && { problem }),
    ...(progress !== undefined && { progress }),
    ...(cursor !== undefined && { cursor: cursor && JSON.stringify(cursor) }),
    ...(validators !== undefined && { validators: JSON.stringify(validators) }),
    ...(failures !== undefined && { failures }),
    ...(checkedAt !== undefined && { checked_at: checkedAt }),
    ...(nextAt !== undefined && { next_at: nextAt }),
    ...(change.hasNewData && { updated_at: new Date() }),
  }
  const initial = {
    version: '',
    records: 0,
    skipped: 0,
    state: 'STATE_EMPTY',
    updated_at: new Date(),
    checked_at: null,
    next_at: null,
  }
  await db
    .insertInto('pack')
    .values({ name, ...initial, ...row, cursor: row.cursor ?? null })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ name, ...row }))
    .execute()
}

/** How many items of this content an interrupted import has written. */
export async function cursorOf(db: Kysely<Tables>, digest: string): Promise<number> {
  const { rows } = await sql<{ items: number }>`
    select max((cursor ->> 'items')::int) as items from pack
    where cursor ->> 'digest' = ${digest}`.execute(db)
  return rows[0]?.items ?? 0
}

/** Clears the progress of imports whose process has died. */
export async function clearProgress(owner: Kysely<Tables>): Promise<void> {
  await owner.updateTable('pack').set({ progress: '' }).where('progress', '<>', '').execute()
}
