/** Matches changed threats against the inventory of one workspace. */
import type { Knowledge } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { type ChangedThreats, announceEmergingThreats } from '#issues/emerging-threats.ts'
import { lockIssues } from '#issues/lock.ts'
import { assessMachinesOf } from '#issues/machine.ts'
import { type Inferred, infer, type Installed, installedOn } from '#issues/potential.ts'
import { raise } from '#issues/raise.ts'
import { rollUp } from '#issues/rollup.ts'
import { markResolved } from '#issues/resolve-unseen.ts'
import { sql } from 'kysely'

/** Software is read in chunks of hosts to bound memory. */
const hostsMax = 20_000

/**
 * Raises potential issues for changed threat records, resolves those that no longer match, with the
 * reason, and announces emerging threats, including those for watched software that isn't
 * installed.
 *
 * @returns targets that should be scanned now
 */
export async function matchThreats(ctx: Ctx, changed: ChangedThreats, knowledge: Knowledge): Promise<string[]> {
  const installed = await installedOn(ctx, sql`product.subject = any(${changed.subjects}::text[])`)
  const isPlatformIndependent = !(await dependsOnPlatform(ctx, changed.ids))
  const inferred: Inferred[] = []
  for (const group of groups(installed)) {
    const hosts = [...new Set(group.map((item) => item.hostId))]
    const around = isPlatformIndependent
      ? group
      : await installedOn(ctx, sql`host_product.host_id = any(${hosts}::uuid[])`)
    inferred.push(...(await infer(ctx, group, around, knowledge, changed.ids)))
  }
  await lockIssues(ctx, sql`threat_id = any(${changed.ids}::uuid[])`)
  const raised = await raise(
    ctx,
    inferred.map(({ finding }) => finding),
  )
  await resolveUnmatched(ctx, changed.ids, inferred)
  await rollUp(
    ctx,
    raised.filter(({ change }) => change !== 'SEEN').map(({ issueId }) => issueId),
    { reason: '', scanId: null },
  )
  await assessMachinesOf(ctx, changed.ids, knowledge)
  return changed.isNews ? announceEmergingThreats(ctx, changed, inferred, knowledge) : []
}

function groups(installed: readonly Installed[]): Installed[][] {
  const byHost = [...Map.groupBy(installed, (item) => item.hostId).values()]
  return Array.from({ length: Math.ceil(byHost.length / hostsMax) }, (_, index) =>
    byHost.slice(index * hostsMax, (index + 1) * hostsMax).flat(),
  )
}

/** Only one record in eight depends on the platform. */
async function dependsOnPlatform(ctx: Ctx, ids: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from threat
    where id = any(${ids}::uuid[]) and jsonb_path_exists(record, '$.configurations[*] ? (@.operator == "AND")')
    limit 1`.execute(ctx.tx)
  return rows.length > 0
}

/** Resolves issues that these records no longer imply. */
async function resolveUnmatched(ctx: Ctx, ids: readonly string[], inferred: readonly Inferred[]): Promise<void> {
  const stillMatching = new Set(
    inferred.map(({ finding }) => `${finding.threat.id} ${finding.hostId} ${finding.location}`),
  )
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
    where issue.account_id = ${ctx.workspace} and issue.threat_id = any(${ids}::uuid[])
      and occurrence.method = 'version' and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    order by occurrence.id
    for update of occurrence`.execute(ctx.tx)
  const noLongerMatching = rows.filter((row) => !stillMatching.has(`${row.threat_id} ${row.host_id} ${row.location}`))
  await markResolved(
    ctx,
    noLongerMatching.map((row) => row.id),
  )
  for (const [key, group] of Map.groupBy(noLongerMatching, (row) => row.key)) {
    const reason = `The record for ${key} changed and no longer matches this software`
    await rollUp(
      ctx,
      group.map((row) => row.issue_id),
      { reason, scanId: null },
    )
  }
}
