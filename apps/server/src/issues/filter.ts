import type { IssueFilter, StatusFilter } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

const statuses: Readonly<Record<StatusFilter, readonly string[]>> = {
  STATUS_FILTER_ALL: ['STATUS_OPEN', 'STATUS_REGRESSION', 'STATUS_RESOLVED', 'STATUS_IGNORED'],
  STATUS_FILTER_OPEN: ['STATUS_OPEN', 'STATUS_REGRESSION'],
  STATUS_FILTER_RESOLVED: ['STATUS_RESOLVED'],
  STATUS_FILTER_IGNORED: ['STATUS_IGNORED'],
}

/**
 * What a filter asks of the row `issue`. Lists, counts, batches and exports all ask by it, so that a
 * filter means one thing.
 *
 * @param isInOrder whether a few are taken from an index of issues in its order: then each is looked at by itself.
 *   What matches is the same
 */
export function matching(
  ctx: Ctx,
  filter: IssueFilter,
  { isInOrder = false }: { readonly isInOrder?: boolean } = {},
): RawBuilder<unknown> {
  const parts = [sql`issue.account_id = ${ctx.account}`, ...ownMembers(filter), ...ofThreat(filter)]
  parts.push(...standing(filter), ...ofTarget(ctx, filter, isInOrder), ...ofOccurrences(ctx, filter))
  if (filter.scanId) {
    parts.push(sql`exists (
      select from scan_issue
      where scan_issue.account_id = ${ctx.account} and scan_issue.scan_id = ${filter.scanId} and scan_issue.issue_id = issue.id)`)
  }
  return sql.join(parts, sql` and `)
}

function ownMembers(filter: IssueFilter): RawBuilder<unknown>[] {
  const parts: RawBuilder<unknown>[] = []
  if (filter.verification === 'VERIFICATION_FILTER_VERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_VERIFIED'`)
  if (filter.verification === 'VERIFICATION_FILTER_UNVERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_UNVERIFIED'`)
  if (filter.severities?.length) parts.push(sql`issue.category = any(${filter.severities}::text[])`)
  if (filter.query) parts.push(sql`issue.title like ${`%${escaped(filter.query.toLowerCase())}%`}`)
  if (filter.minEpss !== undefined) parts.push(sql`issue.epss >= ${filter.minEpss}::real`)
  if (filter.newSince) parts.push(sql`issue.first_seen_at >= ${new Date(filter.newSince)}`)
  if (filter.assigneeId) parts.push(sql`issue.assignee_id = ${filter.assigneeId}`)
  return parts
}

/**
 * The status that is asked for is the one where the question looks: on the host, within the target,
 * or of the issue as a whole. What is resolved on a host is not open there because another host has it.
 */
function standing(filter: IssueFilter): RawBuilder<unknown>[] {
  const wanted = statusesOf(filter)
  return wanted && !filter.affectedHostId && !filter.affectedTargetId
    ? [sql`issue.status = any(${wanted}::text[])`]
    : []
}

/** Where issues stand within a target is kept: a row for each, however many hosts it has. */
function ofTarget(ctx: Ctx, filter: IssueFilter, isInOrder: boolean): RawBuilder<unknown>[] {
  if (!filter.affectedTargetId) return []
  return [
    sql`exists (${rowsOfTarget(ctx, filter)} and issue_target.issue_id = issue.id ${isInOrder ? sql`offset 0` : sql``})`,
  ]
}

function rowsOfTarget(ctx: Ctx, filter: IssueFilter): RawBuilder<unknown> {
  const wanted = filter.affectedHostId ? undefined : statusesOf(filter)
  const status = wanted ? sql`and issue_target.status = any(${wanted}::text[])` : sql``
  return sql`
    select from issue_target
    where issue_target.account_id = ${ctx.account} and issue_target.target_id = ${filter.affectedTargetId} ${status}`
}

/** The same rows as `matching` finds, to be counted: from the rows of a target where nothing else is asked. */
export function counting(ctx: Ctx, filter: IssueFilter): RawBuilder<unknown> {
  const { affectedTargetId, status: _, regressive: __, ...others } = filter
  const isTargetAlone = affectedTargetId !== undefined && Object.values(others).every((one) => one === undefined)
  return isTargetAlone ? rowsOfTarget(ctx, filter) : sql`select from issue where ${matching(ctx, filter)}`
}

/** A row `occurrence` of a host, which stands for those that were merged into it too. */
export function onHost(ctx: Ctx, hostId: string): RawBuilder<unknown> {
  return sql`occurrence.host_id in (
    select id from host where account_id = ${ctx.account} and (id = ${hostId} or merged_into = ${hostId}))`
}

/** The statuses that satisfy a filter; undefined where it asks for none. */
function statusesOf({ status, regressive }: IssueFilter): readonly string[] | undefined {
  if (!status?.length && regressive === undefined) return undefined
  const chosen = status?.length ? status.flatMap((one) => statuses[one]) : statuses.STATUS_FILTER_ALL
  return chosen.filter((one) => regressive === undefined || (one === 'STATUS_REGRESSION') === regressive)
}

/** Makes a text mean itself in a LIKE pattern. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

function ofThreat(filter: IssueFilter): RawBuilder<unknown>[] {
  const parts: RawBuilder<unknown>[] = []
  if (filter.kev !== undefined) parts.push(sql`(threat.known_exploited_at is not null) = ${filter.kev}`)
  if (filter.fixAvailable !== undefined)
    parts.push(sql`(threat.solution_kind = 'KIND_VENDOR_FIX') = ${filter.fixAvailable}`)
  if (filter.cve) parts.push(sql`threat.key = ${filter.cve.toUpperCase()}`)
  if (parts.length === 0) return []
  return [sql`exists (select from threat where threat.id = issue.threat_id and ${sql.join(parts, sql` and `)})`]
}

function ofOccurrences(ctx: Ctx, filter: IssueFilter): RawBuilder<unknown>[] {
  const parts: RawBuilder<unknown>[] = []
  if (filter.affectedHostId) {
    parts.push(onHost(ctx, filter.affectedHostId))
  }
  if (filter.tagIds?.length) {
    // Both are asked for once, not once for each occurrence.
    parts.push(sql`(
      occurrence.target_id in (
        select target_id from target_tag where account_id = ${ctx.account} and tag_id = any(${filter.tagIds}::uuid[]))
      or occurrence.issue_id in (
        select issue_id from issue_tag where account_id = ${ctx.account} and tag_id = any(${filter.tagIds}::uuid[])))`)
  }
  if (filter.productId) {
    parts.push(sql`occurrence.product_id = ${filter.productId}`)
  }
  if (parts.length === 0) return []
  // One and the same place is in the target too.
  if (filter.affectedTargetId) parts.push(sql`occurrence.target_id = ${filter.affectedTargetId}`)
  const wanted = filter.affectedHostId ? statusesOf(filter) : undefined
  if (wanted) {
    // A host stands where the worst of its places does.
    return [
      sql`issue.id in (
        select occurrence.issue_id from occurrence
        where occurrence.account_id = ${ctx.account} and ${sql.join(parts, sql` and `)}
        group by occurrence.issue_id
        having status_of(min(status_rank(occurrence.status))) = any(${wanted}::text[]))`,
    ]
  }
  return [
    sql`exists (
      select from occurrence
      where occurrence.account_id = ${ctx.account} and occurrence.issue_id = issue.id and ${sql.join(parts, sql` and `)})`,
  ]
}
