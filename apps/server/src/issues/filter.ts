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
 * SQL conditions of a filter on rows of `issue`. Lists, counts, batches, and exports share it, so a filter has the same
 * meaning everywhere.
 *
 * @param isInOrder whether rows are read from an index in list order: conditions are then evaluated
 * per row. The result is the same
 */
export function matching(
  ctx: Ctx,
  filter: IssueFilter,
  { isInOrder = false }: { readonly isInOrder?: boolean } = {},
): RawBuilder<unknown> {
  const parts = [sql`issue.account_id = ${ctx.workspace}`, ...ownMembers(ctx, filter), ...ofThreat(filter)]
  parts.push(...statusConditions(filter), ...targetConditions(ctx, filter, isInOrder), ...ofOccurrences(ctx, filter))
  if (filter.scanId) {
    parts.push(sql`exists (
      select from scan_issue
      where scan_issue.account_id = ${ctx.workspace} and scan_issue.scan_id = ${filter.scanId} and scan_issue.issue_id = issue.id)`)
  }
  return sql.join(parts, sql` and `)
}

function ownMembers(ctx: Ctx, filter: IssueFilter): RawBuilder<unknown>[] {
  const parts: RawBuilder<unknown>[] = []
  if (filter.verification === 'VERIFICATION_FILTER_VERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_VERIFIED'`)
  if (filter.verification === 'VERIFICATION_FILTER_UNVERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_UNVERIFIED'`)
  if (filter.severities?.length) parts.push(sql`issue.category = any(${filter.severities}::text[])`)
  if (filter.query) parts.push(sql`issue.title like ${`%${escapeLike(filter.query.toLowerCase())}%`}`)
  if (filter.minEpss !== undefined) parts.push(sql`issue.epss >= ${filter.minEpss}::double precision`)
  if (filter.newSince) parts.push(sql`issue.first_seen_at >= ${new Date(filter.newSince)}`)
  if (filter.isUnassigned !== undefined) parts.push(sql`${isUnassigned(ctx)} = ${filter.isUnassigned}`)
  if (filter.assigneeId) parts.push(sql`issue.assignee_id = ${filter.assigneeId}`)
  return parts
}

/** An issue stays assigned to a former member until someone else takes over, but counts as unassigned. */
function isUnassigned(ctx: Ctx): RawBuilder<unknown> {
  return sql`(issue.assignee_id is null or not exists (
    select from member
    where member.account_id = ${ctx.workspace} and member.identity_id = issue.assignee_id and member.left_at is null))`
}

/**
 * The status is filtered where the query looks: on the host, within the target, or on the issue as
 * a whole. An issue resolved on this host doesn't match as open because another host still has it.
 */
function statusConditions(filter: IssueFilter): RawBuilder<unknown>[] {
  const statusFilter = statusesOf(filter)
  return statusFilter && !filter.affectedHostId && !filter.affectedTargetId
    ? [sql`issue.status = any(${statusFilter}::text[])`]
    : []
}

/** Uses the rollup per target, one row per issue regardless of its number of hosts. */
function targetConditions(ctx: Ctx, filter: IssueFilter, isInOrder: boolean): RawBuilder<unknown>[] {
  if (!filter.affectedTargetId) return []
  return [
    sql`exists (${rowsOfTarget(ctx, filter)} and issue_target.issue_id = issue.id ${isInOrder ? sql`offset 0` : sql``})`,
  ]
}

function rowsOfTarget(ctx: Ctx, filter: IssueFilter): RawBuilder<unknown> {
  const statusFilter = filter.affectedHostId ? undefined : statusesOf(filter)
  const status = statusFilter ? sql`and issue_target.status = any(${statusFilter}::text[])` : sql``
  return sql`
    select from issue_target
    where issue_target.account_id = ${ctx.workspace} and issue_target.target_id = ${filter.affectedTargetId} ${status}`
}

/**
 * The same rows as `matching`, for counting. Reads the rollup per target if the filter needs
 * nothing else.
 */
export function counting(ctx: Ctx, filter: IssueFilter): RawBuilder<unknown> {
  const { affectedTargetId, status: _, regressive: __, ...others } = filter
  const isTargetOnly = affectedTargetId !== undefined && Object.values(others).every((item) => item === undefined)
  return isTargetOnly ? rowsOfTarget(ctx, filter) : sql`select from issue where ${matching(ctx, filter)}`
}

/** Whether a row of `occurrence` belongs to this host or a host merged into it. */
export function ofHost(ctx: Ctx, hostId: string): RawBuilder<unknown> {
  return sql`occurrence.host_id in (
    select id from host where account_id = ${ctx.workspace} and (id = ${hostId} or merged_into = ${hostId}))`
}

/** The statuses that match a filter; undefined if it doesn't restrict them. */
function statusesOf({ status, regressive }: IssueFilter): readonly string[] | undefined {
  if (!status?.length && regressive === undefined) return undefined
  const chosen = status?.length ? status.flatMap((item) => statuses[item]) : statuses.STATUS_FILTER_ALL
  return chosen.filter((item) => regressive === undefined || (item === 'STATUS_REGRESSION') === regressive)
}

/** Escapes a text for a LIKE pattern. */
function escapeLike(text: string): string {
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
    parts.push(ofHost(ctx, filter.affectedHostId))
  }
  if (filter.tagIds?.length) {
    // Evaluated once, not once per occurrence.
    parts.push(sql`(
      occurrence.target_id in (
        select target_id from target_tag where account_id = ${ctx.workspace} and tag_id = any(${filter.tagIds}::uuid[]))
      or occurrence.issue_id in (
        select issue_id from issue_tag where account_id = ${ctx.workspace} and tag_id = any(${filter.tagIds}::uuid[])))`)
  }
  if (filter.productId) {
    parts.push(sql`occurrence.product_id = ${filter.productId}`)
  }
  if (parts.length === 0) return []
  // Host and target must match in the same occurrence.
  if (filter.affectedTargetId) parts.push(sql`occurrence.target_id = ${filter.affectedTargetId}`)
  const statusFilter = filter.affectedHostId ? statusesOf(filter) : undefined
  if (statusFilter) {
    // A host has the worst status of its occurrences.
    return [
      sql`issue.id in (
        select occurrence.issue_id from occurrence
        where occurrence.account_id = ${ctx.workspace} and ${sql.join(parts, sql` and `)}
        group by occurrence.issue_id
        having status_of(min(status_rank(occurrence.status))) = any(${statusFilter}::text[]))`,
    ]
  }
  return [
    sql`exists (
      select from occurrence
      where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = issue.id and ${sql.join(parts, sql` and `)})`,
  ]
}
