/** Threats that feeds have changed and that have not been matched against the inventories yet. */
import type { Tables } from '#database/tables.ts'
import { withWriteLock, queueChangedThreats } from '#threats/index.ts'
import { type Kysely, sql } from 'kysely'

export interface Changes {
  readonly ids: readonly string[]
  /** Canonical `vendor:product` keys of the changed threats. */
  readonly subjects: readonly string[]
  readonly isNews: boolean
  /** Workspaces that run or watch affected software, have installed affected packages, or have issues of these threats. */
  readonly workspaces: readonly string[]
  /** Removes these changes from the queue, except threats that changed again in the meantime. */
  done(): Promise<void>
}

const chunk = 1000
/** More pending changes than this are an initial load, whose threats are only new to this installation. */
const newsMax = 3000

/** The next changes, oldest first; null if there are none. Includes threats that become effective today. */
export async function nextChanges(owner: Kysely<Tables>): Promise<Changes | null> {
  await queueEffectiveThreats(owner)
  const { rows } = await sql<{ threat_id: string; turn: number; pending: number }>`
    select threat_id, turn, count(*) over ()::int as pending from threat_change order by turn limit ${chunk}`.execute(
    owner,
  )
  if (rows.length === 0) return null
  const ids = rows.map((row) => row.threat_id)
  const { rows: productRows } = await sql<{ subject: string }>`
    select distinct vendor || ':' || product as subject from threat_product where threat_id = any(${ids}::uuid[])`.execute(
    owner,
  )
  const subjects = productRows.map((row) => row.subject)
  const { rows: workspaces } = await sql<{ account_id: string }>`
    select account_id from product where subject = any(${subjects}::text[])
    union
    select account_id from issue where threat_id = any(${ids}::uuid[])
    union
    select agent_package.account_id
    from threat
    join distribution_fix on distribution_fix.key = threat.key
    join agent_package on agent_package.source = distribution_fix.package
    where threat.id = any(${ids}::uuid[])
    union
    select agent_package.account_id
    from threat
    join distribution_fix on distribution_fix.key = threat.key
    join agent_package on agent_package.name = distribution_fix.package and agent_package.manager = 'rpm'
    where threat.id = any(${ids}::uuid[])`.execute(owner)
  return {
    ids,
    subjects,
    isNews: (rows[0]?.pending ?? 0) <= newsMax,
    workspaces: workspaces.map((row) => row.account_id),
    async done() {
      await withWriteLock(owner, (tx) =>
        sql`
        delete from threat_change
        using unnest(${ids}::uuid[], ${rows.map((row) => row.turn)}::bigint[]) as processed (threat_id, turn)
        where threat_change.threat_id = processed.threat_id and threat_change.turn = processed.turn`.execute(tx),
      )
    },
  }
}

async function queueEffectiveThreats(owner: Kysely<Tables>): Promise<void> {
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
