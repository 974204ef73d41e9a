/** What a feed changed, held against the inventory of one account. */
import type { Knowledge } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { tellOfEmergence } from '#issues/emergence.ts'
import { type Inferred, infer, type Installed, installedOn } from '#issues/potential.ts'
import { raise } from '#issues/raise.ts'
import { rollUp } from '#issues/roll-up.ts'
import { resolve } from '#issues/settle.ts'
import { sql } from 'kysely'

/** Threats that are new or whose records changed, with what they name. */
export interface ChangedThreats {
  readonly ids: readonly string[]
  /** Canonical `vendor:product` keys. */
  readonly subjects: readonly string[]
  /** False after a first load: what is merely new to us is no news to anyone. */
  readonly isNews: boolean
}

/** Software of a host is asked for in portions, so that an account with a million rows takes little memory. */
const hostsMax = 20_000

/**
 * Raises the potential issues that changed records bring, resolves those that they took back, each
 * with its reason, and announces what people want to hear of. Software that a person watches and
 * that runs nowhere is told of too.
 *
 * @returns the targets that a scan should look at now
 */
export async function matchThreats(ctx: Ctx, changed: ChangedThreats, knowledge: Knowledge): Promise<string[]> {
  const installed = await installedOn(ctx, sql`product.subject = any(${changed.subjects}::text[])`)
  const isAlone = !(await needsSurroundings(ctx, changed.ids))
  const inferred: Inferred[] = []
  for (const group of groups(installed)) {
    const hosts = [...new Set(group.map((one) => one.hostId))]
    const around = isAlone ? group : await installedOn(ctx, sql`host_product.host_id = any(${hosts}::uuid[])`)
    inferred.push(...(await infer(ctx, group, around, knowledge, changed.ids)))
  }
  const raised = await raise(
    ctx,
    inferred.map(({ finding }) => finding),
  )
  await takeBack(ctx, changed.ids, inferred)
  await rollUp(
    ctx,
    raised.filter(({ change }) => change !== 'SEEN').map(({ issueId }) => issueId),
    { reason: '', scanId: null },
  )
  return changed.isNews ? tellOfEmergence(ctx, changed, inferred, knowledge) : []
}

function groups(installed: readonly Installed[]): Installed[][] {
  const byHost = [...Map.groupBy(installed, (one) => one.hostId).values()]
  return Array.from({ length: Math.ceil(byHost.length / hostsMax) }, (_, index) =>
    byHost.slice(index * hostsMax, (index + 1) * hostsMax).flat(),
  )
}

/** Only one record in eight asks what a product runs on. */
async function needsSurroundings(ctx: Ctx, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from threat
    where id = any(${ids}::uuid[]) and jsonb_path_exists(record, '$.configurations[*] ? (@.operator == "AND")')
    limit 1`.execute(ctx.tx)
  return rows.length > 0
}

/** Resolves what stood on these records and is no longer said by them. */
async function takeBack(ctx: Ctx, ids: readonly string[], inferred: readonly Inferred[]): Promise<void> {
  const stands = new Set(inferred.map(({ finding }) => `${finding.threat.id} ${finding.hostId} ${finding.location}`))
  const { rows } = await sql<{
    id: string
    issue_id: string
    threat_id: string
    host_id: string
    location: string
    key: string
  }>`
    select occurrence.id, occurrence.issue_id, issue.threat_id, occurrence.host_id, occurrence.location, threat.key
    from issue
    join occurrence on occurrence.account_id = issue.account_id and occurrence.issue_id = issue.id
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.account} and issue.threat_id = any(${ids}::uuid[])
      and occurrence.method = 'version' and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    order by occurrence.id
    for update of occurrence`.execute(ctx.tx)
  const gone = rows.filter((row) => !stands.has(`${row.threat_id} ${row.host_id} ${row.location}`))
  await resolve(
    ctx,
    gone.map((row) => row.id),
  )
  for (const [key, group] of Map.groupBy(gone, (row) => row.key)) {
    const reason = `The record of ${key} changed and no longer names what runs there`
    await rollUp(
      ctx,
      group.map((row) => row.issue_id),
      { reason, scanId: null },
    )
  }
}
