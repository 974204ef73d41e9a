/** What feeds changed and was not yet held against the inventories. */
import type { Tables } from '#database/tables.ts'
import { withWriteLock, queueChangedThreats } from '#threats/index.ts'
import { type Kysely, sql } from 'kysely'

export interface Changes {
  readonly ids: readonly string[]
  /** Canonical `vendor:product` keys that they name. */
  readonly subjects: readonly string[]
  readonly isNews: boolean
  /** Accounts that run or watch what is named, or have issues about it. */
  readonly accounts: readonly string[]
  /** Forgets them, except what changed again in the meantime. */
  done(): Promise<void>
}

const chunk = 1000
/** So many at once are a first load: what is merely new to us is no news. */
const newsMax = 3000

/** The next changes, oldest first; null when there are none. What begins to hold today counts as changed. */
export async function takeChanges(owner: Kysely<Tables>): Promise<Changes | null> {
  await noteDue(owner)
  const { rows } = await sql<{ threat_id: string; turn: number; pending: number }>`
    select threat_id, turn, count(*) over ()::int as pending from threat_change order by turn limit ${chunk}`.execute(
    owner,
  )
  if (rows.length === 0) return null
  const ids = rows.map((row) => row.threat_id)
  const { rows: named } = await sql<{ subject: string }>`
    select distinct vendor || ':' || product as subject from threat_product where threat_id = any(${ids}::uuid[])`.execute(
    owner,
  )
  const subjects = named.map((row) => row.subject)
  const { rows: accounts } = await sql<{ account_id: string }>`
    select account_id from product where subject = any(${subjects}::text[])
    union
    select account_id from issue where threat_id = any(${ids}::uuid[])`.execute(owner)
  return {
    ids,
    subjects,
    isNews: (rows[0]?.pending ?? 0) <= newsMax,
    accounts: accounts.map((row) => row.account_id),
    async done() {
      await withWriteLock(owner, (tx) =>
        sql`
        delete from threat_change
        using unnest(${ids}::uuid[], ${rows.map((row) => row.turn)}::bigint[]) as held (threat_id, turn)
        where threat_change.threat_id = held.threat_id and threat_change.turn = held.turn`.execute(tx),
      )
    },
  }
}

async function noteDue(owner: Kysely<Tables>): Promise<void> {
  await withWriteLock(owner, async (tx) => {
    const due = await tx
      .updateTable('threat')
      .set({ effective_at: null })
      .where('effective_at', '<=', new Date())
      .returning('id')
      .execute()
    await queueChangedThreats(
      tx,
      due.map((row) => row.id),
    )
  })
}
