/** The row of a pack: what is there, how old it is, what went wrong, how far a reading has come. */
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql, type Transaction } from 'kysely'

/** How far the reading of one file or folder has come. */
export interface Cursor {
  /** Of its whole content. */
  readonly digest: string
  /** Items that are written. */
  readonly items: number
}

/** What a pack says of itself. */
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
  /** The knowledge itself is new, not only what is said of it. */
  readonly isRenewed?: boolean
}

/** Writes what changed; a pack that was never heard of begins empty. */
export async function notePack(
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
    ...(change.isRenewed && { updated_at: new Date() }),
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

/** The pack that was reading this very content when it was interrupted, and how far it came. */
export async function cursorOf(db: Kysely<Tables>, digest: string): Promise<number> {
  const { rows } = await sql<{ items: number }>`
    select max((cursor ->> 'items')::int) as items from pack
    where cursor ->> 'digest' = ${digest}`.execute(db)
  return rows[0]?.items ?? 0
}

/** Takes away what was said of readings under way: whoever said it has died with them. */
export async function forgetProgress(owner: Kysely<Tables>): Promise<void> {
  await owner.updateTable('pack').set({ progress: '' }).where('progress', '<>', '').execute()
}
